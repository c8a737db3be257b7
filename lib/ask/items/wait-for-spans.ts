import { runWithTimeout } from '../../time'
import { hasMaximum, parseSpanPattern } from '../../verdict/expectations/span-pattern'
import type { CollectorClient } from '../../wire/query-client'
import type { SpanExpectation } from '../../wire/span-expectation'

/** Shorter than the collector's limit, as proxies end longer requests. */
const LONG_POLL_S = 25

/** Queries until there is a match or the time is over, and then once more. @throws what the client throws */
export async function waitForSpans(
  given: {
    readonly pattern: string
    /** `null`: everything recorded. */
    readonly stamp: string | null
    /** A journal number: only later submissions are searched. */
    readonly after: number
    readonly timeoutMs: number
    /** For each answer, in addition to the time that the collector may wait. */
    readonly answerTimeoutMs: number
  },
  { expectSpans }: Pick<CollectorClient, 'expectSpans'>,
  stop: AbortSignal,
): Promise<SpanExpectation> {
  const { pattern, stamp, after, timeoutMs, answerTimeoutMs } = given
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMs)
  const stopOrLate = AbortSignal.any([stop, late.signal])
  const ask = (wait: number, until: AbortSignal): Promise<SpanExpectation> =>
    runWithTimeout(wait * 1000 + answerTimeoutMs, until, (signal) =>
      expectSpans({ pattern, stamp, after, wait, signal }),
    )
  try {
    // The past is searched even with a time-out of 0.
    let found = await ask(0, stop)
    // The collector waits until nothing more arrives that could exceed a maximum.
    let isCertain = !hasMaximum(parseSpanPattern(pattern))
    while ((found.answer !== 'match' || !isCertain) && !stopOrLate.aborted) {
      isCertain = true
      const next = await ask(LONG_POLL_S, stopOrLate).catch((cause) => {
        if (late.signal.aborted && !stop.aborted) return null
        throw cause
      })
      if (next !== null) found = next
      else found = await ask(0, stop)
    }
    return found
  } finally {
    clearTimeout(timer)
  }
}
