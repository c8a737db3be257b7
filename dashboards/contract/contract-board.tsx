'use client'

import { isStamp } from '../../lib/protocol/request'
import type { Contract, JudgedRule, JudgedSetting } from '../../lib/wire/contract'
import type { JournalFact } from '../../lib/wire/journal'
import { ConnectionBanner, ConnectionState, Empty } from '../ui/board'
import board from '../ui/board.module.css'
import { client } from '../ui/client'
import { useNow } from '../ui/clock'
import { UnknownParameters } from '../ui/filter-notes'
import { useSearchParam } from '../ui/page-address'
import table from '../ui/plain-table.module.css'
import { type StampedState, StampField, StampHint, useStampedRead } from '../ui/stamp'
import styles from './contract-board.module.css'
import { Sum } from './contract-summary'
import { RuleRow } from './rule-row'
import { lineOfRule, lineOfSetting } from './verdict-lines'

const KNOWN_PARAMS: readonly string[] = ['stamp']

/** `/contract?stamp=`: each setting of the runtime contract, its value, where it is set, and its verdict on what is recorded. */
export function ContractBoard() {
  const [named, setStamp] = useSearchParam('stamp')
  // What is no stamp is not asked for; the field says so.
  const stamp = named !== null && isStamp(named) ? named : null
  const { read: contract, ...live } = useContract(stamp)
  const now = useNow()
  return (
    <div className={board.board}>
      <div className={board.bar}>
        <h1>Contract</h1>
        <ConnectionState {...live} />
        <StampField key={named ?? ''} stamp={named} onStamp={setStamp} />
      </div>
      <UnknownParameters page="Contract" known={KNOWN_PARAMS} />
      <ConnectionBanner {...live} />
      {contract === null && live.failure === null && <p className="small faint">Judging …</p>}
      {contract !== null && contract.from.submissions === 0 && <NothingToJudge stamp={stamp} />}
      {contract !== null && contract.from.submissions > 0 && <Sum contract={contract} now={now} />}
      {contract !== null && (
        <>
          <Settings settings={contract.settings} />
          <Beyond rules={contract.beyond} />
        </>
      )}
    </div>
  )
}

/** What is judged besides, whatever the settings are. */
function Beyond({ rules }: { readonly rules: readonly JudgedRule[] }) {
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

/** Every setting of the contract: its value, where it is set, and its verdict on what is recorded. */
function Settings({ settings }: { readonly settings: readonly JudgedSetting[] }) {
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

/** Nothing is recorded: what would be judged here, and how to make something arrive. */
function NothingToJudge({ stamp }: { readonly stamp: string | null }) {
  return (
    <Empty title={stamp === null ? 'Nothing is recorded yet' : 'Nothing came with this stamp'} what="page">
      <p>
        Here each setting of the runtime contract is compared with what really arrived: its value, where it is set, and
        whether the telemetry on record keeps to it. What does not is named, with what was seen, what was wanted, and
        the item it is in. Until something is recorded no setting passes: nothing measured is never green.
      </p>
      {stamp === null ? (
        <ol>
          <li>
            <a href="/lab">Open the lab</a>: loading the page already sends a few things, and each button causes one
            more.
          </li>
          <li>
            Or give your own program the local DSN from the <a href="/">home page</a>.
          </li>
          <li>
            In CI <code>waystation run -- CMD</code> records what a command sends, and judges it by the same rules.
          </li>
        </ol>
      ) : (
        <StampHint stamp={stamp} />
      )}
    </Empty>
  )
}

/** Nothing else changes what is on record, or what a page was told. */
const CONCERNING: ReadonlySet<JournalFact['kind']> = new Set(['received', 'evicted', 'cleared', 'changed'])
/** That a page kept to a limit until it ended makes no fact. */
const EVERY_MS = 15_000

/** The runtime contract with its verdicts on what is recorded, of everybody or of one stamp. */
const useContract = (stamp: string | null): StampedState<Contract> =>
  useStampedRead(stamp, { readOf: client.contract, concerns: ({ kind }) => CONCERNING.has(kind), everyMs: EVERY_MS })
