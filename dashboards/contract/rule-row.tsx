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
  /** What must hold, or why it matters. */
  readonly holds: string
  readonly line: VerdictLine
  readonly rules: readonly JudgedRule[]
  /** Cells behind the verdict. */
  readonly children: ReactNode
  /** Of the table. */
  readonly columns: number
}

/** One line of the contract, and below it what breaks it. */
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
            {rules.length > 1 ? <EachRule rules={rules} /> : <Received className={styles.says} text={line.says} />}
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

/** A setting that is checked by several rules: what each of them found. */
function EachRule({ rules }: { readonly rules: readonly JudgedRule[] }) {
  return (
    <ul className={styles.each}>
      {rules.map((rule) => {
        const line = lineOfRule(rule)
        return (
          <li key={rule.id} data-each={rule.id}>
            {rule.title}: <VerdictMark line={line} /> <Received className={styles.says} text={line.says} />
          </li>
        )
      })}
    </ul>
  )
}

/** What a reader takes in at once; the others are one press away. */
const SHOWN_AT_ONCE = 5

/** What a rule found: what it is about, where, what was seen there and wanted, and the way to open it. */
function Findings({ rule }: { readonly rule: JudgedRule }) {
  if (rule.verdict.verdict !== 'fail') return null
  const { findings, found } = rule.verdict
  const first = findings.slice(0, SHOWN_AT_ONCE)
  const others = findings.slice(SHOWN_AT_ONCE)
  return (
    <div className={styles.findings} data-findings={rule.id}>
      <p>
        {rule.why} <span className={styles.fix}>{rule.fix}</span>
      </p>
      <FindingList findings={first} />
      {others.length > 0 && (
        <details>
          <summary>{formatCount(others.length)} more</summary>
          <FindingList findings={others} />
        </details>
      )}
      {found > findings.length && (
        <p className="faint">
          {formatCount(found)} were found; the first {formatCount(findings.length)} are told.
        </p>
      )}
    </div>
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
      <span className={styles.about}>{at === null ? <Received text={about} /> : <Place about={about} at={at} />}</span>
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

interface PlaceProps {
  readonly about: string
  readonly at: NonNullable<ContractFinding['at']>
}

/** The way to what it is about, and to the envelope that brought it. */
function Place({ about, at }: PlaceProps) {
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

const LOOKS = {
  pass: { glyph: 'accepted', tone: 'good' },
  fail: { glyph: 'invalid', tone: 'bad' },
  incomplete: { glyph: 'pending', tone: 'open' },
  stated: { glyph: 'dropped', tone: 'quiet' },
} as const

/** A verdict: a glyph and its word. */
export function VerdictMark({ line: { word, isWarning } }: { readonly line: Omit<VerdictLine, 'says'> }) {
  const { glyph, tone } = LOOKS[word]
  return (
    <Mark glyph={glyph} tone={isWarning ? 'warn' : tone}>
      {word === 'fail' ? <strong>{word}</strong> : word}
      {isWarning && <span className="faint">warning</span>}
    </Mark>
  )
}
