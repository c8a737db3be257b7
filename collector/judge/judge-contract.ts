import type { Database } from 'better-sqlite3'
import { CONTRACT } from '../../lib/contract/settings'
import type { Endpoint } from '../../lib/protocol/request'
import type { Submission } from '../../lib/verdict/evidence/evidence'
import { readEvidence } from '../../lib/verdict/evidence/read-evidence'
import { OBSERVATIONS, RULES } from '../../lib/verdict/rules/registry'
import type { Case, Rule, TimeRange } from '../../lib/verdict/rules/rule'
import { hasOnlyMinorFindings, truncateFindings } from '../../lib/verdict/verdict'
import type { Contract, JudgedRule } from '../../lib/wire/contract'
import { prepareOnce } from '../runtime/database'
import type { CheckedRow } from '../spool/record-body'
import { readSubmitted } from '../spool/stored-record'

export interface JudgeQuery {
  readonly stamp: string | null
  /** A journal number: only later submissions are judged. */
  readonly after: number
}

/** Judges the newest submissions on record by the runtime contract. */
export function judgeRecord(
  spool: Database,
  query: JudgeQuery,
  limits: NonNullable<Case['pageLimits']>,
  collectorUrl: string,
): Contract {
  const { submissions, damaged, isPart, missing } = newestSubmissions(spool, query)
  const evidence = readEvidence(submissions)
  const pages = new Set(submissions.map(({ page }) => page))
  const isAll = query.stamp === null && query.after === 0
  const given: Case = {
    evidence,
    missing,
    requests: null,
    fallbacks: null,
    // Limits that were sent to other pages say nothing about these.
    pageLimits: isAll ? limits : { pages: limits.pages.filter(({ page }) => pages.has(page)), unnamed: 0 },
    collectorUrl,
  }
  const from = {
    submissions: submissions.length,
    items: evidence.items.length,
    first: submissions[0]?.receivedAt ?? null,
    last: submissions.at(-1)?.receivedAt ?? null,
    isPart,
    damaged: [...damaged],
  }
  return { ...query, from, ...judgeContract(given) }
}

/** Each setting with the verdicts of its rules and the observed value, then the rules without a setting. Pure. */
export function judgeContract(
  given: Case,
  rules: readonly Rule[] = RULES,
  observations: typeof OBSERVATIONS = OBSERVATIONS,
): Pick<Contract, 'settings' | 'beyond'> {
  const judge = (rule: Rule): JudgedRule => {
    const { id, title, why, fix } = rule
    const verdict = verdictOf(rule, given)
    const severity = rule.severity === 'error' && hasOnlyMinorFindings(verdict) ? 'warning' : rule.severity
    return { id, title, why, fix, severity, verdict }
  }
  return {
    settings: CONTRACT.map((setting) => ({
      ...setting,
      judgedFrom: [...setting.judgedFrom],
      rules: rules.filter((rule) => rule.setting === setting.id).map(judge),
      observed: observations[setting.id]?.(given) ?? null,
    })),
    beyond: rules.filter((rule) => rule.setting === null).map(judge),
  }
}

/** @throws with the name of the rule when the rule has a bug. */
function verdictOf(rule: Rule, given: Case): JudgedRule['verdict'] {
  try {
    const verdict = truncateFindings(rule.judge(given))
    if (verdict.verdict !== 'fail') return verdict
    // The schema of the answer has writable lists.
    return { ...verdict, findings: verdict.findings.map((finding) => ({ ...finding })) }
  } catch (cause) {
    throw new Error(`the rule ${rule.id} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** As evidence a body takes about ten times its bytes of memory. */
export const JUDGE_BOUNDS = {
  submissions: 2000,
  bytes: 32 * 1024 * 1024,
  /** Submissions to search for those of a stamp. */
  scanned: 50_000,
} as const

export interface SubmissionQuery extends JudgeQuery {
  /** Only submissions without any stamp, instead of those with `stamp`. */
  readonly unstamped?: boolean
}

interface NewestSubmissions {
  /** Oldest first. */
  readonly submissions: readonly Submission[]
  readonly damaged: readonly number[]
  readonly isPart: boolean
  /** Times in which submissions on record are not among these: older and damaged ones. */
  readonly missing: readonly TimeRange[]
}

interface Row extends Omit<Submission, 'body' | 'page' | 'userAgent' | 'origin'>, CheckedRow {
  readonly endpoint: Endpoint
}

interface Older {
  readonly seq: number
  readonly receivedAt: number
}

/** Reads the newest submissions within the bounds; at least one, even if it exceeds the byte limit. */
export function newestSubmissions(
  spool: Database,
  { stamp, after, unstamped = false }: SubmissionQuery,
  bounds: { readonly submissions: number; readonly bytes: number; readonly scanned: number } = JUDGE_BOUNDS,
): NewestSubmissions {
  const submissions: Submission[] = []
  const damaged: number[] = []
  const missing: TimeRange[] = []
  const floor = prepareOnce(spool, FLOOR).get(bounds.scanned) as Older | undefined
  const end = (isPart: boolean, older?: Older): NewestSubmissions => {
    if (older !== undefined) missing.push({ from: 0, until: older.receivedAt })
    return { submissions: submissions.reverse(), damaged, isPart, missing }
  }
  let bytes = 0
  const selection = { floor: floor?.seq ?? 0, stamp, unstamped: unstamped ? 1 : 0 }
  const found = prepareOnce(spool, NEWEST).iterate(selection) as IterableIterator<Row>
  for (const row of found) {
    if (row.journal <= after) return end(false, row)
    const isFull = submissions.length + damaged.length >= bounds.submissions
    if (isFull || (bytes > 0 && bytes + row.bytes > bounds.bytes)) return end(true, row)
    const read = submissionFrom(row)
    if (read === null) {
      damaged.push(row.seq)
      missing.push({ from: row.receivedAt, until: row.receivedAt })
    } else {
      submissions.push(read)
      bytes += row.bytes
    }
  }
  return end(floor !== undefined, floor)
}

const FLOOR = 'SELECT seq, received_at AS receivedAt FROM submissions ORDER BY seq DESC LIMIT 1 OFFSET ?'

const NEWEST = `SELECT seq, journal, received_at AS receivedAt, endpoint, project, public_key AS publicKey, stamp, facts, quantities,
    checksum, bytes, deflated, body FROM submissions
  WHERE seq > @floor AND CASE @unstamped WHEN 1 THEN stamp IS NULL ELSE @stamp IS NULL OR stamp = @stamp END
  ORDER BY seq DESC`

/** @returns `null` when the record is damaged. */
function submissionFrom({ facts, quantities, checksum, bytes, deflated, body, ...row }: Row): Submission | null {
  const read = readSubmitted({ facts, quantities, checksum, bytes, deflated, body })
  return read === null ? null : { ...row, ...read }
}
