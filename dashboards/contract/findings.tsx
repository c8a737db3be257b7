import { formatCount } from '../../lib/format'
import { pathOf } from '../../lib/verdict/verdict'
import type { ContractFinding, JudgedRule } from '../../lib/wire/contract'
import { Received } from '../ui/received'
import styles from './contract-board.module.css'

/** What a reader takes in at once; the others are one press away. */
const SHOWN_AT_ONCE = 5

/** What a rule found: what it is about, where, what was seen there and wanted, and the way to open it. */
export function Findings({ rule }: { readonly rule: JudgedRule }) {
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
  const href = pathOf(at)
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
