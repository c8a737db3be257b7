'use client'

import { plural } from '../../lib/format'
import { isStamp } from '../../lib/protocol/request'
import type { Contract, JudgedRule, JudgedSetting } from '../../lib/wire/contract'
import type { JournalFact } from '../../lib/wire/journal'
import { Empty, FirstSteps, TableHead } from '../ui/board'
import { BoardPage } from '../ui/board-page'
import { client } from '../ui/client'
import { useNow } from '../ui/clock'
import { useSearchParam } from '../ui/page-address'
import table from '../ui/plain-table.module.css'
import { Section } from '../ui/section'
import { StampField, StampHint, useStampedRead } from '../ui/stamp'
import styles from './contract-board.module.css'
import { Sum } from './contract-summary'
import { RuleRow } from './rule-row'
import { lineOfRule, lineOfSetting } from './verdict-lines'

const KNOWN_PARAMS: readonly string[] = ['stamp']

/** `/contract?stamp=`: the settings of the runtime contract with their values and their verdicts on the recorded telemetry. */
export function ContractBoard() {
  const [named, setStamp] = useSearchParam('stamp')
  // An invalid stamp is not queried; the field shows the error.
  const stamp = named !== null && isStamp(named) ? named : null
  const { read: contract, ...live } = useStampedRead(stamp, {
    readOf: client.contract,
    concerns: ({ kind }) => CONCERNING.has(kind),
    everyMs: EVERY_MS,
  })
  const now = useNow()
  return (
    <BoardPage
      title="Contract"
      scope={contract === null ? null : scopeOf(contract)}
      live={live}
      reading={contract === null ? 'Judging …' : null}
      known={KNOWN_PARAMS}
      tools={<StampField key={named ?? ''} stamp={named} onStamp={setStamp} />}
    >
      {contract !== null && contract.from.submissions === 0 && <NothingToJudge stamp={stamp} />}
      {contract !== null && contract.from.submissions > 0 && <Sum contract={contract} now={now} />}
      {contract !== null && (
        <>
          <Settings settings={contract.settings} />
          <Beyond rules={contract.beyond} />
        </>
      )}
    </BoardPage>
  )
}

const scopeOf = ({ stamp, from }: Contract): string =>
  `${stamp === null ? 'all projects' : `stamp ${stamp}`}, ${from.isPart ? 'the newest ' : ''}${plural(from.submissions, 'envelope')}`

function Beyond({ rules }: { readonly rules: readonly JudgedRule[] }) {
  if (rules.length === 0) return null
  return (
    <Section id="beyond" title="Further rules">
      <table className={`${table.table} ${styles.beyond}`} aria-labelledby="beyond">
        <TableHead columns={['Rule', 'Verdict', 'Effect']} />
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
              <td data-column="Effect" className="soft">
                <span>{rule.severity === 'error' ? 'fails the check' : 'only a warning'}</span>
              </td>
            </RuleRow>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

function Settings({ settings }: { readonly settings: readonly JudgedSetting[] }) {
  return (
    <Section id="settings" title="Settings">
      <table className={`${table.table} ${styles.settings}`} aria-labelledby="settings">
        <TableHead columns={['Setting', 'Verdict', 'Value', 'Set by']} />
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
    </Section>
  )
}

function NothingToJudge({ stamp }: { readonly stamp: string | null }) {
  return (
    <Empty title={stamp === null ? 'Nothing recorded yet' : 'Nothing recorded with this stamp'} what="page">
      <p>
        This page compares each setting of the runtime contract with the recorded telemetry. A failed rule lists its
        findings: the actual value, the expected value and the item. A setting passes only when telemetry was measured.
      </p>
      {stamp === null ? (
        <FirstSteps lab=": loading the page already sends a few items, and each button sends one more.">
          <li>
            In CI, <code>waystation run -- CMD</code> records the telemetry of a command and judges it by the same
            rules.
          </li>
        </FirstSteps>
      ) : (
        <StampHint stamp={stamp} />
      )}
    </Empty>
  )
}

const CONCERNING: ReadonlySet<JournalFact['kind']> = new Set(['received', 'evicted', 'cleared', 'changed'])
/** That a page obeyed a limit until its end is not a fact of the stream. */
const EVERY_MS = 15_000
