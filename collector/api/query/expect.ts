import type { Context } from 'hono'
import { hex32 } from '../../../lib/protocol/ids'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { hasMaximum, type PatternStep, parseSpanPattern } from '../../../lib/verdict/expectations/span-pattern'
import type { SpanExpectation } from '../../../lib/wire/span-expectation'
import { problem } from '../../runtime/problem'
import type { LiveHub } from '../live-hub'
import { TOO_MANY_LISTENERS } from '../live-stream'
import { badRequest, checkParameters, integerParameter, invalidValue, stampParameter } from './parameters'
import { MAX_WAIT_SECONDS } from './waits'

interface SearchedSpans {
  readonly stamp: string | null
  /** A journal number: only later submissions are searched. */
  readonly after: number
  /** `null`: every trace. */
  readonly traceId: string | null
  readonly pattern: string
}

export interface ExpectDeps {
  readonly hub: LiveHub
  /** ms since the epoch. */
  readonly now: () => number
  /** Searches everything on record now. */
  readonly expectSpans: (query: SearchedSpans) => Promise<SpanExpectation>
}

/** A later span may exceed a maximum, so a match with one is answered when nothing has arrived for this time. */
export const MAXIMUM_SETTLES_MS = 2000

/** Answers as soon as a trace contains the spans, otherwise with the nearest miss when the wait is over. */
export async function answerExpectation(c: Context, { expectSpans, hub, now }: ExpectDeps): Promise<Response> {
  const checked = checkParameters(c, ['pattern', 'stamp', 'trace', 'after', 'wait'])
  if (!checked.ok) return badRequest(c, checked.error)
  const stamp = stampParameter(c)
  if (!stamp.ok) return badRequest(c, stamp.error)
  const trace = c.req.query('trace')
  const traceId = trace === undefined ? null : hex32(trace)
  if (trace !== undefined && traceId === null)
    return badRequest(c, invalidValue('trace', trace, 'must be a trace id of 32 hexadecimal digits'))
  const after = integerParameter(c, 'after', { least: 0, most: Number.MAX_SAFE_INTEGER, fallback: 0 })
  if (!after.ok) return badRequest(c, after.error)
  const wait = integerParameter(c, 'wait', { least: 0, most: MAX_WAIT_SECONDS, fallback: 0 })
  if (!wait.ok) return badRequest(c, wait.error)
  const pattern = c.req.query('pattern')
  const steps = parse(pattern ?? '')
  if (pattern === undefined || !steps.ok)
    return badRequest(c, {
      ...invalidValue('pattern', pattern ?? '', ''),
      detail: `pattern: ${steps.ok ? '' : steps.error}`,
    })
  const until = now() + wait.value * 1000
  const { signal } = c.req.raw
  for (;;) {
    const { published } = hub
    const found = await expectSpans({ stamp: stamp.value, after: after.value, traceId, pattern })
    const leftMs = until - now()
    const isMatch = found.answer === 'match'
    if ((isMatch && !hasMaximum(steps.value)) || leftMs <= 0) return c.json(found)
    if (hub.isFull) return problem(c, TOO_MANY_LISTENERS)
    const pauseMs = isMatch ? Math.min(leftMs, MAXIMUM_SETTLES_MS) : leftMs
    if (!(await hub.waitForMore(published, pauseMs, signal))) return c.json(found)
  }
}

function parse(pattern: string): Result<readonly PatternStep[], string> {
  try {
    return succeed(parseSpanPattern(pattern))
  } catch (error) {
    if (error instanceof TypeError) return fail(error.message)
    throw error
  }
}
