import { plural } from '../../format'
import type { Evidence, SeenSegment, SeenSpan } from '../evidence/evidence'
import { errorEvents, errorVisibility } from '../rules/coverage'
import { durationText, truncate, withoutSecrets } from '../text'
import { type Finding, type Verdict, verdictOf } from '../verdict'
import { PAGE_HEADER_HOWTO } from './back-off'
import { positionOf } from './explain'
import { labelWithDuration } from './kinds'
import { wildcard } from './pattern-text'
import type { Judged } from './report'

export const QUANTILES = { p50: 0.5, p75: 0.75, p95: 0.95, p99: 0.99, max: 1 } as const
type Quantile = keyof typeof QUANTILES

/** Upper limits; a limit that is left out is not checked. */
export interface Budgets {
  /** Items that one page load sends. */
  readonly items?: number | undefined
  /** Uncompressed bytes that one page load sends. */
  readonly bytes?: number | undefined
  /** Spans of one trace. */
  readonly spans?: number | undefined
  /** Events of level error and fatal in total. */
  readonly errors?: number | undefined
  /**
   * ms that a transaction takes, by its name or its op and name; `*` matches any text: `{ '/checkout': 2000 }`,
   * `{ 'pageload *': { p95: 1500, max: 3000 } }`. A number is short for `{ max: … }`.
   */
  readonly durations?:
    | Readonly<Record<string, number | { readonly [Name in Quantile]?: number | undefined }>>
    | undefined
}

/** Checks each budget. Copies and duplicates do not count. */
export function judgeBudgets(evidence: Evidence, budgets: Budgets): readonly Judged[] {
  const { items, bytes, spans, errors, durations = {} } = budgets
  return [
    ...(items === undefined ? [] : [perPage(evidence, 'items', items)]),
    ...(bytes === undefined ? [] : [perPage(evidence, 'bytes', bytes)]),
    ...(spans === undefined ? [] : [spansOfTraces(evidence, spans)]),
    ...(errors === undefined ? [] : [errorsAltogether(evidence, errors)]),
    ...Object.entries(durations).map(([name, most]) =>
      durationOf(evidence, name, typeof most === 'number' ? { max: most } : most),
    ),
  ]
}

function budget(name: string, title: string, verdict: Verdict): Judged {
  return {
    id: `budget-${name}`,
    title,
    group: 'budget',
    severity: 'error',
    why: 'Visitors pay for what a page sends and for how long it takes.',
    fix: 'Send less or make it faster, or raise the budget in the configuration.',
    verdict,
  }
}

function perPage({ envelopes, items, segments }: Evidence, what: 'items' | 'bytes', most: number): Judged {
  const noun = what === 'items' ? 'item' : 'byte'
  const sums = new Map<string, { sum: number; readonly seq: number }>()
  const add = (page: string | null, copy: boolean, seq: number, sum: number): void => {
    if (page === null || copy) return
    const before = sums.get(page)
    if (before === undefined) sums.set(page, { sum, seq })
    else before.sum += sum
  }
  if (what === 'items') for (const { page, copy, seq } of items) add(page, copy, seq, 1)
  else for (const { page, copy, seq, bytes } of envelopes) add(page, copy, seq, bytes)
  const loads = new Map(segments.flatMap((one) => (one.op === 'pageload' ? [[one.page, one] as const] : [])))
  const findings = [...sums].flatMap(([page, { sum, seq }]): Finding[] => {
    if (sum <= most) return []
    const load = loads.get(page)
    const about = load === undefined ? `page ${truncate(page, 40)}` : labelWithDuration(load)
    return [{ about, at: { seq, item: 0 }, path: '', actual: plural(sum, noun), expected: `at most ${most}` }]
  })
  const sent = [...sums.values()].map(({ sum }) => sum)
  const verdict = verdictOf(sums.size, findings, `no page load has a page header; set ${PAGE_HEADER_HOWTO}`)
  return budget(what, `At most ${plural(most, noun)} per page load${measured(sent, String)}`, verdict)
}

function spansOfTraces({ spans }: Evidence, most: number): Judged {
  const traces = new Map<string, { readonly ids: Set<string>; first: SeenSpan }>()
  for (const span of spans) {
    const trace = traces.get(span.traceId)
    if (trace === undefined) traces.set(span.traceId, { ids: new Set([span.spanId]), first: span })
    else {
      trace.ids.add(span.spanId)
      if (span.startUs < trace.first.startUs) trace.first = span
    }
  }
  const findings = [...traces].flatMap(([traceId, { ids, first }]): Finding[] => {
    if (ids.size <= most) return []
    const at = { seq: first.seq, item: first.item, traceId }
    return [
      { about: labelWithDuration(first), at, path: '', actual: plural(ids.size, 'span'), expected: `at most ${most}` },
    ]
  })
  const sizes = [...traces.values()].map(({ ids }) => ids.size)
  const title = `At most ${plural(most, 'span')} per trace${measured(sizes, String)}`
  return budget('spans', title, verdictOf(traces.size, findings, 'no spans were recorded'))
}

function errorsAltogether(evidence: Evidence, most: number): Judged {
  const errors = errorEvents(evidence)
  const telling = errorVisibility(evidence)
  const last = errors[most]
  const findings: readonly Finding[] =
    last === undefined
      ? []
      : [
          {
            about: `error ${most + 1}: ${truncate(withoutSecrets(last.title), 80)}`,
            at: positionOf(last),
            path: '',
            actual: plural(errors.length, 'error'),
            expected: `at most ${most}`,
          },
        ]
  return budget(
    'errors',
    `At most ${plural(most, 'error')} (recorded: ${errors.length})`,
    findings.length === 0 && typeof telling !== 'number'
      ? telling
      : verdictOf(typeof telling === 'number' ? telling : errors.length, findings, ''),
  )
}

function durationOf(
  { segments }: Evidence,
  name: string,
  most: { readonly [Name in Quantile]?: number | undefined },
): Judged {
  const fits = wildcard(name)
  const each = new Map(
    segments
      .filter((one) => fits(one.name) || fits(`${one.op ?? ''} ${one.name}`))
      .map((one) => [`${one.traceId} ${one.segmentId}`, one]),
  )
  const byLength = [...each.values()].sort((one, other) => lengthOf(one) - lengthOf(other))
  const named = Object.entries(most) as readonly (readonly [Quantile, number | undefined])[]
  const findings = named.flatMap(([quantile, ms]): Finding[] => {
    // Nearest rank: the duration of an actual transaction, not interpolated.
    const at = byLength[Math.max(0, Math.ceil(QUANTILES[quantile] * byLength.length) - 1)]
    if (ms === undefined || at === undefined || lengthOf(at) <= ms * 1000) return []
    const actual = `${quantile} ${durationText(lengthOf(at))} of ${byLength.length}`
    return [
      {
        about: labelWithDuration(at),
        at: positionOf(at),
        path: '',
        actual,
        expected: `at most ${durationText(ms * 1000)}`,
      },
    ]
  })
  const limits = named.flatMap(([quantile, ms]) =>
    ms === undefined ? [] : [`${quantile === 'max' ? '' : `${quantile} `}${durationText(ms * 1000)}`],
  )
  const title = `${truncate(name, 60)} takes at most ${limits.join(', ')}${measured(byLength.map(lengthOf), durationText)}`
  return budget(
    `duration ${truncate(name, 60)}`,
    title,
    verdictOf(byLength.length, findings, `no transaction ${truncate(name, 60)} was recorded`),
  )
}

const lengthOf = ({ startUs, endUs }: SeenSegment): number => endUs - startUs

function measured(all: readonly number[], words: (one: number) => string): string {
  if (all.length === 0) return ''
  return ` (maximum: ${words(all.reduce((most, one) => Math.max(most, one)))}, of ${all.length})`
}
