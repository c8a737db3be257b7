import { groupBy } from '../../lib/group-by'
import { isErrorStatus } from '../../lib/protocol/trace/span-status'
import type { EventSummary } from '../../lib/wire/event'
import type { Span } from '../../lib/wire/trace'

interface NamedSpan {
  readonly segmentId: string | null
  readonly op: string | null
  readonly name: string
}

/** The page origin of each segment: the browser SDK names page-load phases (`browser.dns` …) by the page's URL. */
export function pageOrigins(spans: readonly NamedSpan[]): ReadonlyMap<string, string> {
  const origins = new Map<string, string>()
  for (const { segmentId, op, name } of spans) {
    if (segmentId === null || origins.has(segmentId) || op?.startsWith('browser.') !== true) continue
    const origin = /^https?:\/\/[^/\s?#]+/.exec(name)?.[0]
    if (origin !== undefined) origins.set(segmentId, origin)
  }
  return origins
}

/** A span's name without the origin of its page, which every row would repeat: `GET http://a/b` → `GET /b`. */
export function shortName(name: string, origin: string | undefined): string {
  if (origin === undefined) return name
  return name
    .split(' ')
    .map((word) => (word === origin ? '/' : word.startsWith(`${origin}/`) ? word.slice(origin.length) : word))
    .join(' ')
}

/** The errors by span id. An error outside an active span names a span that does not exist; only the axis shows it. */
export const errorsBySpan = (errors: readonly EventSummary[]): ReadonlyMap<string, readonly EventSummary[]> =>
  groupBy(errors, ({ spanId }) => spanId)

/** Whether a span failed: every status except `ok`, `cancelled`, `unset` and none. */
export function failed(status: string | null): boolean {
  return status !== '' && isErrorStatus(status)
}

type Link = Span['links'][number]

const LINK_NAMES: ReadonlyMap<string | null, string> = new Map([
  ['previous_trace', 'Previous trace'],
  ['next_trace', 'Next trace'],
])

/** The type of a link as text. @param traceId of the span that has the link */
export function linkName({ type, traceId: linked }: Pick<Link, 'type' | 'traceId'>, traceId: string): string {
  return (
    LINK_NAMES.get(type) ?? type?.replaceAll('_', ' ') ?? (linked === traceId ? 'Span of this trace' : 'Linked trace')
  )
}
