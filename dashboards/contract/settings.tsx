import type { JudgedSetting } from '../../lib/wire/contract'
import table from '../ui/tables.module.css'
import styles from './contract-board.module.css'
import { RuleRow } from './rule-row'
import { lineOfSetting } from './verdict-lines'

/** Every setting of the contract: its value, where it is set, and its verdict on what is recorded. */
export function Settings({ settings }: { readonly settings: readonly JudgedSetting[] }) {
  return (
    <section className={styles.section} aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <table className={`${table.table} ${styles.settings}`} aria-labelledby="settings">
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">On what is recorded</th>
            <th scope="col">Value</th>
            <th scope="col">Set by</th>
          </tr>
        </thead>
        <tbody>
          {settings.map((setting) => (
            <RuleRow
              key={setting.id}
              id={setting.id}
              name="Setting"
              title={setting.title}
              holds={setting.holds}
              line={lineOfSetting(setting)}
              rules={setting.rules}
              columns={4}
            >
              <td data-column="Value">
                <span>{setting.value}</span>
              </td>
              <td data-column="Set by" className="soft">
                <span>{setting.setBy}</span>
              </td>
            </RuleRow>
          ))}
        </tbody>
      </table>
    </section>
  )
}
