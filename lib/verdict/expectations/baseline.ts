import * as z from 'zod'
import { fail, type Result, succeed } from '../../protocol/result'
import { privacyRule } from '../rules/privacy'
import { formatValue } from '../text'
import type { Finding, Verdict } from '../verdict'
import { type Judged, type KnownFailure, mergeKnownFailures, type Report } from './report'

const knownSchema = z.object({
  /** Of what was judged: a rule's id, `errors`, `losses`. */
  id: z.string(),
  about: z.string(),
  path: z.string(),
})
const baselineSchema = z.object({
  waystation: z.literal('baseline'),
  version: z.literal(1),
  /** When it was written, as a person reads it. */
  made: z.string(),
  known: z.array(knownSchema),
  /** Findings of an id that were counted and not kept one by one. */
  beyond: z.record(z.string(), z.number().int().min(0)),
})
/**
 * One failure that is known. What was seen is not in it: it is another each time. What it is about the report tells without
 * what is secret.
 */
export type BaselineEntry = z.infer<typeof knownSchema>
/** Failures that were there when a team began to look: they are told, and fail nothing. */
export type Baseline = z.infer<typeof baselineSchema>

/**
 * Ids, numbers and durations are others at each run; what is about the same thing reads the same without them.
 * `error 12: order 4711` is `error #: order #`, and `pageload /, 950 ms` and `pageload /, 1.10 s` are both `pageload /, #`.
 */
const steady = (text: string): string =>
  text
    .replace(/\b(?=[0-9a-f-]*\d)[0-9a-f-]{8,}\b/gi, '#')
    .replace(/\d+(?:\.\d+)?/g, '#')
    .replace(/# (?:µs|ms|s|min|h)(?![\p{L}\p{N}])/gu, '#')

const knownOf = (id: string, { about, path }: Finding): BaselineEntry => ({
  id,
  about: steady(about),
  path: steady(path),
})
const keyOf = ({ id, about, path }: BaselineEntry): string => JSON.stringify([id, about, path])

/**
 * A secret that leaks goes on leaking, whoever knows of it; and a budget that is known to be exceeded would limit nothing
 * any more, for by how much is not in a baseline.
 */
const isNeverKnown = ({ id, group }: Pick<Judged, 'id' | 'group'>): boolean =>
  id === privacyRule.id || group === 'budget'

/** How many failures of a report no baseline takes: leaks, and budgets that are not kept. */
export function neverBaselined({ judged }: Report): { readonly leaks: number; readonly budgets: number } {
  const failing = judged.flatMap(({ id, group, severity, verdict }) =>
    verdict.verdict === 'fail' && severity === 'error' ? [{ id, group, found: verdict.found }] : [],
  )
  return {
    leaks: failing.reduce((sum, { id, found }) => (id === privacyRule.id ? sum + found : sum), 0),
    budgets: failing.filter(({ group }) => group === 'budget').length,
  }
}

/**
 * All that fails in a report, warnings among it, but for what leaks and budgets that are not kept.
 * @param now ms since the epoch.
 */
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

/** A baseline's text as it is kept in a repository: a line for each failure, in the same order each time. */
export const baselineText = (baseline: Baseline): string => `${JSON.stringify(baseline, null, 2)}\n`

/** @returns else a sentence that says what the text is instead. */
export function readBaseline(text: string): Result<Baseline, string> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return fail(
      `it is no JSON, but ${formatValue(text.slice(0, 40))}: a baseline is written by waystation check --write-baseline`,
    )
  }
  const parsed = baselineSchema.safeParse(json)
  if (parsed.success) return succeed(parsed.data)
  const [issue] = parsed.error.issues
  return fail(
    `${issue?.path.join('.') || 'the whole'}: ${issue?.message ?? 'not as it has to be'}; a baseline is written by waystation check --write-baseline`,
  )
}

const BY_BASELINE = 'the baseline'

/**
 * What was judged, less the failures that a baseline knows, and how many those are. What fails by nothing else passes.
 * `mended` are those that it knows of a check all of whose failures are here, and that are not among them.
 */
export function subtractBaseline(
  judged: readonly Judged[],
  baseline: Baseline,
): {
  readonly judged: readonly Judged[]
  readonly known: number
  readonly forgiven: readonly KnownFailure[]
  readonly mended: readonly BaselineEntry[]
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
  return { judged: rest, known, forgiven: mergeKnownFailures(forgiven), mended }
}

/** Are all its failures here? */
const isWhole = (verdict: Verdict): boolean =>
  verdict.verdict === 'pass' || (verdict.verdict === 'fail' && verdict.found === verdict.findings.length)

/** A failure with so many findings left; none left is a pass, for it was judged. */
function without(
  verdict: Extract<Verdict, { readonly verdict: 'fail' }>,
  findings: readonly Finding[],
  found: number,
): Verdict {
  return found === 0 ? { verdict: 'pass', judged: Math.max(1, verdict.judged) } : { ...verdict, found, findings }
}
