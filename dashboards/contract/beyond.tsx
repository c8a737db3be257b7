import type { JudgedRule } from '../../lib/wire/contract'
import table from '../ui/tables.module.css'
import styles from './contract-board.module.css'
import { RuleRow } from './rule-row'
import { lineOfRule } from './verdict-lines'

/** What is judged besides, whatever the settings are. */
export function Beyond({ rules }: { readonly rules: readonly JudgedRule[] }) {
  if (rules.length === 0) return null
  return (
    <section className={styles.section} aria-labelledby="beyond">
      <h2 id="beyond">Beyond the settings</h2>
      <table className={`${table.table} ${styles.beyond}`} aria-labelledby="beyond">
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">On what is recorded</th>
            <th scope="col">Where it fails</th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => (
            <RuleRow
              key={rule.id}
              id={rule.id}
              name="Rule"
              title={rule.title}
              holds={rule.why}
              line={lineOfRule(rule)}
              rules={[rule]}
              columns={3}
            >
              <td data-column="Where it fails" className="soft">
                <span>{rule.severity === 'error' ? 'a check fails' : 'it is told, and fails no check'}</span>
              </td>
            </RuleRow>
          ))}
        </tbody>
      </table>
    </section>
  )
}
