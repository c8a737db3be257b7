import type { Database } from 'better-sqlite3'
import { CONTRACT } from '../../lib/contract/settings'
import type { Endpoint } from '../../lib/protocol/request'
import type { Submission } from '../../lib/verdict/evidence/evidence'
import { OBSERVATIONS, RULES } from '../../lib/verdict/rules/registry'
import type { Case, Rule, TimeRange } from '../../lib/verdict/rules/rule'
import { truncateFindings } from '../../lib/verdict/verdict'
import type { Contract, JudgedRule } from '../../lib/wire/contract'
import { prepareOnce } from '../spool/database'
import { BodyDamagedError, inflateBody } from '../spool/record-body'
import type { SubmissionFacts } from '../spool/submission'

/** Each setting with the rules that check it and what was seen beside it, then the rules that come from none. Pure. */
export function judgeContract(
  given: Case,
  rules: readonly Rule[] = RULES,
  stated: typeof OBSERVATIONS = OBSERVATIONS,
): Pick<Contract, 'settings' | 'beyond'> {
  const judge = (rule: Rule): JudgedRule => {
    const { id, title, why, fix: mend, severity } = rule
    return { id, title, why, fix: mend, severity, verdict: verdictBy(rule, given) }
  }
  return {
    settings: CONTRACT.map((setting) => ({
      ...setting,
      judgedFrom: [...setting.judgedFrom],
      rules: rules.filter((rule) => rule.setting === setting.id).map(judge),
      observed: stated[setting.id]?.(given) ?? null,
    })),
    beyond: rules.filter((rule) => rule.setting === null).map(judge),
  }
}

/** @throws where a rule has a bug, by the name of the rule. */
function verdictBy(rule: Rule, given: Case): JudgedRule['verdict'] {
  try {
    const verdict = truncateFindings(rule.judge(given))
    if (verdict.verdict !== 'fail') return verdict
    return { ...verdict, findings: verdict.findings.map((finding) => ({ ...finding })) }
  } catch (cause) {
    throw new Error(`the rule ${rule.id} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** As evidence a body takes about ten times the memory that it has bytes, for as long as it is judged. */
export const JUDGE_BOUNDS = {
  submissions: 2000,
  bytes: 32 * 1024 * 1024,
  /** Submissions that are looked at for those of a stamp. */
  scanned: 50_000,
} as const

export interface Newest {
  /** Oldest first. */
  readonly submissions: readonly Submission[]
  /** Those whose bodies cannot be read any more. */
  readonly damaged: readonly number[]
  /** There are older ones that were asked for. */
  readonly isPart: boolean
  /** When those came that are on record and are not among these: older ones, and damaged ones. */
  readonly unseen: readonly TimeRange[]
}

export interface JudgeQuery {
  readonly stamp: string | null
  /** Journal number; only what came later. */
  readonly after: number
}

interface Row extends Omit<Submission, 'body' | 'page' | 'userAgent' | 'origin'> {
  readonly endpoint: Endpoint
  readonly facts: string
  readonly bytes: number
  readonly deflated: number
  readonly body: Uint8Array
}

interface Older {
  readonly seq: number
  readonly receivedAt: number
}

/** The newest submissions on record, as many as are judged at once. One is given however long it is. */
export function newestSubmissions(
  spool: Database,
  { stamp, after }: JudgeQuery,
  bounds: { readonly submissions: number; readonly bytes: number; readonly scanned: number } = JUDGE_BOUNDS,
): Newest {
  const submissions: Submission[] = []
  const damaged: number[] = []
  const unseen: TimeRange[] = []
  const floor = prepareOnce(spool, FLOOR).get(bounds.scanned) as Older | undefined
  const end = (isPart: boolean, older?: Older): Newest => {
    if (older !== undefined) unseen.push({ from: 0, until: older.receivedAt })
    return { submissions: submissions.reverse(), damaged, isPart, unseen }
  }
  let bytes = 0
  const found = prepareOnce(spool, NEWEST).iterate({ floor: floor?.seq ?? 0, stamp }) as IterableIterator<Row>
  for (const row of found) {
    if (row.journal <= after) return end(false, row)
    const isFull = submissions.length + damaged.length >= bounds.submissions
    if (isFull || (bytes > 0 && bytes + row.bytes > bounds.bytes)) return end(true, row)
    const read = submissionFrom(row)
    if (read === null) {
      damaged.push(row.seq)
      unseen.push({ from: row.receivedAt, until: row.receivedAt })
    } else {
      submissions.push(read)
      bytes += row.bytes
    }
  }
  return end(floor !== undefined, floor)
}

/** The submission at which a look ends, which it does not reach. */
const FLOOR = 'SELECT seq, received_at AS receivedAt FROM submissions ORDER BY seq DESC LIMIT 1 OFFSET ?'

const NEWEST = `SELECT seq, journal, received_at AS receivedAt, endpoint, project, public_key AS publicKey, stamp, facts, bytes,
    deflated, body FROM submissions
  WHERE seq > @floor AND (@stamp IS NULL OR stamp = @stamp) ORDER BY seq DESC`

/** `null` where its body cannot be read any more. */
function submissionFrom({ facts, bytes, deflated, body, ...row }: Row): Submission | null {
  const { page, userAgent, origin } = JSON.parse(facts) as SubmissionFacts
  try {
    return { ...row, page, userAgent, origin, body: inflateBody({ deflated, bytes, body }) }
  } catch (error) {
    if (error instanceof BodyDamagedError) return null
    throw error
  }
}
