import type { Context } from 'hono'
import { parseSpanPattern } from '../../lib/verdict/expectations/span-pattern'
import type { SpanExpectation } from '../../lib/wire/span-expectation'
import { problem } from '../runtime/problem'
import type { LiveHub } from './live-hub'
import { TOO_MANY_LISTENERS } from './live-stream'
import { badRequest, checkParameters, integerParameter, invalidValue, stampParameter } from './query-parameters'
import { MAX_WAIT_SECONDS } from './query-waits'

export interface ExpectDeps {
  readonly hub: LiveHub
  /** ms since the epoch. */
  readonly now: () => number
  /** Searches everything on record now. */
  readonly expectSpans: (query: { readonly stamp: string | null; readonly pattern: string }) => Promise<SpanExpectation>
}

/** Answers as soon as a trace contains the spans, otherwise with the nearest miss when the wait is over. */
export async function answerExpectation(c: Context, { expectSpans, hub, now }: ExpectDeps): Promise<Response> {
  const checked = checkParameters(c, ['pattern', 'stamp', 'wait'])
  if (!checked.ok) return badRequest(c, checked.error)
  const stamp = stampParameter(c)
  if (!stamp.ok) return badRequest(c, stamp.error)
  const wait = integerParameter(c, 'wait', { least: 0, most: MAX_WAIT_SECONDS, fallback: 0 })
  if (!wait.ok) return badRequest(c, wait.error)
  const pattern = c.req.query('pattern')
  const mistake = patternMistake(pattern)
  if (pattern === undefined || mistake !== null)
    return badRequest(c, { ...invalidValue('pattern', pattern ?? '', ''), detail: `pattern: ${mistake}` })
  const until = now() + wait.value * 1000
  const { signal } = c.req.raw
  for (;;) {
    const head = hub.head
    const found = await expectSpans({ stamp: stamp.value, pattern })
    const leftMs = until - now()
    if (found.answer === 'match' || leftMs <= 0) return c.json(found)
    if (hub.isFull) return problem(c, TOO_MANY_LISTENERS)
    if (!(await hub.waitPast(head, leftMs, signal))) return c.json(found)
  }
}

function patternMistake(pattern: string | undefined): string | null {
  try {
    parseSpanPattern(pattern ?? '')
    return null
  } catch (error) {
    if (error instanceof TypeError) return error.message
    throw error
  }
}
