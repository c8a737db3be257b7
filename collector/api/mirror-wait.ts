import type { MiddlewareHandler } from 'hono'
import type { Reach } from '../../lib/wire/reach'
import { reachText } from '../../lib/wire/reach-text'
import { problem } from '../runtime/problem'
import type { SharedRecord } from '../spool/spool'
import type { LiveHub } from './live-hub'
import { resumeFrom } from './live-stream'

/** How long a query waits for the mirror. */
const WAIT_MS = 5000

/** Verdicts and cursors: about a record that lacks something they would be wrong. Lists show what there is. */
const NEEDS_ALL = /^\/query\/(?:contract|expect|losses|items|recorded|journal)\b/
/** These say how the collector is, also while the store is away. */
const WAITS_FOR_NOTHING = /^\/query\/(?:status|figures|storage)\b/

const FETCHING_RETRY_SECONDS = 5

/** Why the mirror lacks a part of the range that the query is about; `null` when it has all of it. */
function missingPart(reach: Reach | null, path: string, query: Readonly<Record<string, string>>): string | null {
  if (reach?.state !== 'fetching') return null
  // The first page of a reader that wants to know only where the record ends.
  const isEnd = path === '/query/recorded' && query.limit === '0'
  const after = path === '/query/losses' ? 0 : Number(query.after ?? 0)
  if (isEnd || after >= reach.from - 1) return null
  return `${reachText(reach, Date.now())}; after=${reach.from - 1} and later can be answered already`
}

/**
 * Queries read a mirror of the shared record, which is some milliseconds behind. Each one waits until the mirror has all
 * that was stored before it. @returns a handler that does nothing for a record that is not shared
 */
export function createMirrorWait(
  shared: Pick<SharedRecord, 'head' | 'reach'> | null,
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
    // A new stream follows the mirror. One that resumes may have a number of another collector, which the mirror lacks.
    if (path === '/query/stream' && resumeFrom(c) === null) return next()
    const head = await shared.head().catch((error: Error) => error)
    const hasAll = typeof head === 'number' && (await reaches(head, c.req.raw.signal))
    const missing = NEEDS_ALL.test(path) ? missingPart(shared.reach(), path, c.req.query()) : null
    if ((hasAll && missing === null) || !NEEDS_ALL.test(path)) return next()
    c.header('Retry-After', missing === null ? '1' : String(FETCHING_RETRY_SECONDS))
    const why =
      missing ??
      (typeof head === 'number'
        ? `the mirror of the shared record has fact ${hub.head} of ${head}`
        : `what others have stored is unknown: ${head.message}`)
    const facts = missing === null && typeof head === 'number' ? Math.max(1, head - hub.head) : null
    return problem(c, { status: 503, detail: `${why}; an answer now could be wrong`, behind: { missing: facts } })
  }
}
