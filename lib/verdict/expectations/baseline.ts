import * as z from 'zod'
import { fail, type Result, succeed } from '../../protocol/result'
import { privacyRule } from '../rules/privacy'
import { formatValue } from '../text'
import type { Finding, Verdict } from '../verdict'
import { type Judged, type KnownFailure, mergeKnownFailures, type Report } from './report'

const knownSchema = z.object({
  id: z.string(),
  about: z.string(),
  path: z.string(),
})
const baselineSchema = z.object({
  waystation: z.literal('baseline'),
  version: z.literal(1),
  /** When it was written, as ISO 8601. */
  made: z.string(),
  known: z.array(knownSchema),
  /** Number of findings per id that were counted but not listed. */
  beyond: z.record(z.string(), z.number().int().min(0)),
})
/** One known failure. The actual value is left out, because it differs in each run. Secrets are scrubbed. */
type BaselineEntry = z.infer<typeof knownSchema>
/** Failures that existed when the baseline was written. They are reported and do not fail the check. */
export type Baseline = z.infer<typeof baselineSchema>

/** Replaces ids, numbers and durations: `error 12: order 4711` becomes `error #: order #`. */
const withoutNumbers = (text: string): string =>
  text
    .replace(/\b(?=[0-9a-f-]*\d)[0-9a-f-]{8,}\b/gi, '#')
    .replace(/\d+(?:,\d{3})*(?:\.\d+)?/g, '#')
    .replace(/# (?:µs|ms|s|min|h|d)(?![\p{L}\p{N}])(?: # (?:s|min|h)(?![\p{L}\p{N}]))?/gu, '#')

const knownOf = (id: string, { about, path }: Finding): BaselineEntry => ({
  id,
  about: withoutNumbers(about),
  path: withoutNumbers(path),
})
const keyOf = ({ id, about, path }: BaselineEntry): string => JSON.stringify([id, about, path])

/** A leaked secret stays a leak, and a baseline does not store by how much a budget was exceeded. */
const isNeverKnown = ({ id, group }: Pick<Judged, 'id' | 'group'>): boolean =>
  id === privacyRule.id || group === 'budget'

export function neverBaselined({ judged }: Report): { readonly leaks: number; readonly budgets: number } {
  const failing = judged.flatMap(({ id, group, severity, verdict }) =>
    verdict.verdict === 'fail' && severity === 'error' ? [{ id, group, found: verdict.found }] : [],
  )
  return {
    leaks: failing.reduce((sum, { id, found }) => (id === privacyRule.id ? sum + found : sum), 0),
    budgets: failing.filter(({ group }) => group === 'budget').length,
  }
}

/** All failures and warnings, except leaks and exceeded budgets. @param now ms since the epoch. */
export function baselineOf(report: Report, now: number): Baseline {
  const failing = report.judged.flatMap(({ id, group, verdict }) =>
    verdict.verdict === 'fail' && !isNeverKnown({ id, group }) ? [{ id, ...verdict }] : [],
  )
  const known = failing.flatMap(({ id, findings }) => findings.map((finding) => knownOf(id, finding)))
  const beyond = failing.filter(({ found, findings }) => found > findings.length)
  return {
    waystation: 'baseline',
    version: 1,
    made: new Date(now).toISOString(),
    known: [...new Map(known.map((one) => [keyOf(one), one])).values()].sort((one, other) =>
      keyOf(one) < keyOf(other) ? -1 : 1,
    ),
    beyond: Object.fromEntries(beyond.map(({ id, found, findings }) => [id, found - findings.length])),
  }
}

/** The text of a baseline file. The order is stable, which keeps diffs in a repository small. */
export const baselineText = (baseline: Baseline): string => `${JSON.stringify(baseline, null, 2)}\n`

/** Parses a baseline file. @returns the baseline, or an error message */
export function readBaseline(text: string): Result<Baseline, string> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return fail(
      `not valid JSON: ${formatValue(text.slice(0, 40))}; write a baseline with waystation check --write-baseline FILE`,
    )
  }
  const parsed = baselineSchema.safeParse(json)
  if (parsed.success) return succeed(parsed.data)
  const [issue] = parsed.error.issues
  return fail(
    `not a baseline: ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'invalid'}; write a baseline with waystation check --write-baseline FILE`,
  )
}

const BY_BASELINE = 'the baseline'

/** `fixed` are the entries that no longer fail, of checks whose findings are listed completely. */
export function subtractBaseline(
  judged: readonly Judged[],
  baseline: Baseline,
): {
  readonly judged: readonly Judged[]
  readonly known: number
  readonly knownFailures: readonly KnownFailure[]
  readonly fixed: readonly BaselineEntry[]
} {
  const keys = new Set(baseline.known.map(keyOf))
  const found = new Set<string>()
  let known = 0
  const forgiven: KnownFailure[] = []
  const rest = judged.map((one): Judged => {
    const { verdict } = one
    if (verdict.verdict !== 'fail' || isNeverKnown(one)) return one
    const unknown = verdict.findings.filter((finding) => {
      const key = keyOf(knownOf(one.id, finding))
      found.add(key)
      return !keys.has(key)
    })
    const kept = verdict.findings.length
    const allowedBeyond = Object.hasOwn(baseline.beyond, one.id) ? (baseline.beyond[one.id] ?? 0) : 0
    const beyond = Math.max(0, verdict.found - kept - allowedBeyond)
    const left = unknown.length + beyond
    known += verdict.found - left
    const isNew = new Set(unknown)
    for (const finding of verdict.findings)
      if (!isNew.has(finding)) forgiven.push({ id: one.id, about: finding.about, count: 1, by: BY_BASELINE })
    const counted = verdict.found - kept - beyond
    if (counted > 0) forgiven.push({ id: one.id, about: 'more of them', count: counted, by: BY_BASELINE })
    return { ...one, verdict: without(verdict, unknown, left) }
  })
  const isCompared = (one: Judged): boolean =>
    isWhole(one.verdict) && !(one.verdict.verdict === 'fail' && isNeverKnown(one))
  const whole = new Set(judged.filter(isCompared).map(({ id }) => id))
  const mended = baseline.known.filter((one) => whole.has(one.id) && !found.has(keyOf(one)))
  return { judged: rest, known, knownFailures: mergeKnownFailures(forgiven), fixed: mended }
}

const isWhole = (verdict: Verdict): boolean =>
  verdict.verdict === 'pass' || (verdict.verdict === 'fail' && verdict.found === verdict.findings.length)

/** A verdict with the findings that are left; a pass without any. */
export function without(
  verdict: Extract<Verdict, { readonly verdict: 'fail' }>,
  findings: readonly Finding[],
  found: number,
): Verdict {
  return found === 0 ? { verdict: 'pass', judged: Math.max(1, verdict.judged) } : { ...verdict, found, findings }
}
