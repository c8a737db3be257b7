import { groupBy } from '../../group-by'
import type { Losses } from '../../wire/losses'
import type { Evidence } from '../evidence/evidence'
import type { Report } from '../expectations/report'
import { subtractLosses } from '../expectations/subtract-losses'
import type { ObservedTest } from './observed'

export interface Attempts {
  /** The last attempt of each test. */
  readonly last: readonly ObservedTest[]
  /** Stamps of the other attempts, whose telemetry is not judged. */
  readonly earlier: ReadonlySet<string>
  readonly flaky: Report['flaky']
}

/** Separates the last attempts of tests, which decide about them, from earlier ones. Pure. */
export function attemptsOf(tests: readonly ObservedTest[]): Attempts {
  const byTest = [...groupBy(tests, ({ testId }) => testId).values()].map((attempts) => {
    const [last, ...earlier] = [...attempts].sort((one, other) => other.attempt - one.attempt)
    return { last, earlier }
  })
  return {
    last: byTest.flatMap(({ last }) => last ?? []),
    earlier: new Set(byTest.flatMap(({ earlier }) => earlier.map(({ stamp }) => stamp))),
    flaky: byTest.flatMap(({ last, earlier }) => {
      // Tests of a serial group are retried together with the one that failed; a crashed attempt reports nothing.
      const hasFailed = earlier.some(({ isOk }) => !isOk) || earlier.length < (last?.attempt ?? 0)
      return last?.isOk && hasFailed ? [{ test: last.test, attempt: last.attempt }] : []
    }),
  }
}

/**
 * The evidence without telemetry of earlier attempts: that with their stamps, and entries without a stamp in their traces,
 * which servers sent. Pure.
 */
export function withoutAttempts(evidence: Evidence, earlier: ReadonlySet<string>): Evidence {
  if (earlier.size === 0) return evidence
  const { items, spans, events } = evidence
  const tracesOf = (isOf: (stamp: string) => boolean): ReadonlySet<string> =>
    new Set(
      [items, spans, events].flatMap((list) =>
        list.flatMap(({ stamp, traceId }) => (stamp !== null && traceId !== null && isOf(stamp) ? [traceId] : [])),
      ),
    )
  const kept = tracesOf((stamp) => !earlier.has(stamp))
  const traces = new Set([...tracesOf((stamp) => earlier.has(stamp))].filter((trace) => !kept.has(trace)))
  const isJudged = ({ stamp, traceId = null }: { readonly stamp: string | null; readonly traceId?: string | null }) =>
    stamp === null ? traceId === null || !traces.has(traceId) : !earlier.has(stamp)
  const judgedEvents = events.filter(isJudged)
  const ids = new Set(judgedEvents.map(({ eventId }) => eventId))
  return {
    envelopes: evidence.envelopes.filter(({ stamp }) => isJudged({ stamp })),
    items: items.filter(isJudged),
    events: judgedEvents,
    segments: evidence.segments.filter(isJudged),
    spans: spans.filter(isJudged),
    breadcrumbs: evidence.breadcrumbs.filter(({ eventId }) => ids.has(eventId)),
    signals: evidence.signals.filter(isJudged),
  }
}

/** The losses of a run without those of earlier attempts. @param lossesOf the losses by stamp */
export const withoutAttemptLosses = (
  losses: Losses,
  earlier: ReadonlySet<string>,
  lossesOf: ReadonlyMap<string, Losses>,
): Losses =>
  [...earlier].reduce((rest, stamp) => {
    const own = lossesOf.get(stamp)
    return own === undefined ? rest : subtractLosses(rest, own)
  }, losses)
