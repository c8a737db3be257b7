import type { MiddlewareHandler } from 'hono'
import { problem } from '../runtime/problem'
import type { SharedRecord } from '../spool/spool'
import type { LiveHub } from './live-hub'

/** How long a query waits for the mirror. */
const WAIT_MS = 5000

/** Verdicts and cursors: about a record that lacks something they would be wrong. Lists show what there is. */
const NEEDS_ALL = /^\/query\/(?:contract|expect|losses|items|recorded|journal)\b/
/** These say how the collector is, also while the store is away; the stream follows the mirror itself. */
const WAITS_FOR_NOTHING = /^\/query\/(?:status|figures|stream|storage|overview)\b/

/**
 * Queries read a mirror of the shared record, which is some milliseconds behind. Each one waits until the mirror has all
 * that was stored before it. @returns a handler that does nothing for a record that is not shared
 */
export function createMirrorWait(
  shared: Pick<SharedRecord, 'head'> | null,
  hub: LiveHub,
  waitMs = WAIT_MS,
): MiddlewareHandler {
  if (shared === null) return (_, next) => next()
  const reaches = async (head: number, signal: AbortSignal): Promise<boolean> => {
    const late = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
    while (hub.head < head) if (!(await hub.waitForMore(hub.published, waitMs, late))) return false
    return true
  }
  return async (c, next) => {
    const { path } = c.req
    if (WAITS_FOR_NOTHING.test(path)) return next()
    const head = await shared.head().catch((error: Error) => error)
    const hasAll = typeof head === 'number' && (await reaches(head, c.req.raw.signal))
    if (hasAll || !NEEDS_ALL.test(path)) return next()
    c.header('Retry-After', '1')
    const why =
      typeof head === 'number'
        ? `the mirror of the shared record has fact ${hub.head} of ${head}`
        : `what others have stored is unknown: ${head.message}`
    const missing = typeof head === 'number' ? Math.max(1, head - hub.head) : null
    return problem(c, { status: 503, detail: `${why}; an answer now could be wrong`, behind: { missing } })
  }
}
