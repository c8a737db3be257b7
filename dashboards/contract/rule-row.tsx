import type { ReactNode } from 'react'
import { formatCount } from '../../lib/format'
import { boardPath } from '../../lib/verdict/verdict'
import type { ContractFinding, JudgedRule } from '../../lib/wire/contract'
import { Mark } from '../ui/delivery-status-mark'
import { Received } from '../ui/received'
import styles from './contract-board.module.css'
import { lineOfRule, type VerdictLine } from './verdict-lines'

interface RuleRowProps {
  readonly id: string
  readonly name: string
  readonly title: string
  readonly holds: string
  readonly line: VerdictLine
  readonly rules: readonly JudgedRule[]
  /** The cells after the verdict. */
  readonly children: ReactNode
  readonly columns: number
}

/** A setting or rule with its verdict, and its findings below. */
export function RuleRow({ id, name, title, holds, line, rules, children, columns }: RuleRowProps) {
  return (
    <>
      <tr id={id} data-rule={id} data-verdict={line.word} className={styles.row}>
        <th scope="row" data-column={name}>
          <span>
            {title}
            <span className={styles.holds}>{holds}</span>
          </span>
        </th>
        <td data-column="Verdict">
          <span>
            <VerdictMark line={line} />
            {rules.length > 1 ? <EachRule rules={rules} /> : <Received className={styles.basis} text={line.text} />}
          </span>
        </td>
        {children}
      </tr>
      {rules.some(({ verdict }) => verdict.verdict === 'fail') && (
        <tr className={styles.broken}>
          <td colSpan={columns}>
            {rules.map((rule) => (
              <Findings key={rule.id} rule={rule} />
            ))}
          </td>
        </tr>
      )}
    </>
  )
}

function EachRule({ rules }: { readonly rules: readonly JudgedRule[] }) {
  return (
    <ul className={styles.each}>
      {rules.map((rule) => {
        const line = lineOfRule(rule)
        return (
          <li key={rule.id} data-each={rule.id}>
            {rule.title}: <VerdictMark line={line} /> <Received className={styles.basis} text={line.text} />
          </li>
        )
      })}
    </ul>
  )
}

/** Further findings are folded. */
const SHOWN_AT_ONCE = 5

function Findings({ rule }: { readonly rule: JudgedRule }) {
  if (rule.verdict.verdict !== 'fail') return null
  return (
    <div className={styles.findings} data-findings={rule.id}>
      <p>
        {rule.why} <span className={styles.fix}>{rule.fix}</span>
      </p>
      <FoldedFindings {...rule.verdict} />
    </div>
  )
}

/** The first findings of a rule, and the others folded. */
function FoldedFindings({
  findings,
  found,
}: {
  readonly findings: readonly ContractFinding[]
  readonly found: number
}) {
  const first = findings.slice(0, SHOWN_AT_ONCE)
  const others = findings.slice(SHOWN_AT_ONCE)
  return (
    <>
      <FindingList findings={first} />
      {others.length > 0 && (
        <details>
          <summary>{formatCount(others.length)} more</summary>
          <FindingList findings={others} />
        </details>
      )}
      {found > findings.length && (
        <p className="faint">
          {formatCount(findings.length)} of {formatCount(found)} findings are shown.
        </p>
      )}
    </>
  )
}

function FindingList({ findings }: { readonly findings: readonly ContractFinding[] }) {
  return (
    <ol className={styles.list}>
      {findings.map((finding, index) => (
        <li key={`${finding.at?.seq} ${finding.at?.item} ${finding.path} ${index}`}>
          <FindingLine finding={finding} />
        </li>
      ))}
    </ol>
  )
}

function FindingLine({ finding: { about, at, path, actual, expected } }: { readonly finding: ContractFinding }) {
  return (
    <>
      <span className={styles.about}>
        {at === null ? <Received text={about} /> : <Subject about={about} at={at} />}
      </span>
      <dl className={styles.values}>
        {path !== '' && (
          <div>
            <dt>at</dt>
            <dd>
              <Received className="mono" text={path} />
            </dd>
          </div>
        )}
        <div>
          <dt>expected</dt>
          <dd>
            <Received text={expected} />
          </dd>
        </div>
        <div>
          <dt>actual</dt>
          <dd data-actual>
            <Received text={actual} />
          </dd>
        </div>
      </dl>
    </>
  )
}

function Subject({ about, at }: { readonly about: string; readonly at: NonNullable<ContractFinding['at']> }) {
  const href = boardPath(at)
  const name = `envelope ${at.seq}`
  const envelope = `/envelopes/${at.seq}`
  return (
    <>
      <a href={href}>
        <Received text={about} />
      </a>
      {!about.endsWith(name) && (
        <span className="faint">
          {' · '}
          {href === envelope ? name : <a href={envelope}>{name}</a>}
        </span>
      )}
    </>
  )
}

const MARKS = {
  pass: { glyph: 'accepted', tone: 'good' },
  fail: { glyph: 'invalid', tone: 'bad' },
  incomplete: { glyph: 'pending', tone: 'open' },
  stated: { glyph: 'dropped', tone: 'quiet' },
} as const

export function VerdictMark({ line: { word, isWarning } }: { readonly line: Omit<VerdictLine, 'text'> }) {
  const { glyph, tone } = MARKS[word]
  return (
    <Mark glyph={glyph} tone={isWarning ? 'warn' : tone}>
      {word === 'fail' ? <strong>{word}</strong> : word}
      {isWarning && <span className="faint">warning</span>}
    </Mark>
  )
}
