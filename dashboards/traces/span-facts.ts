import type { SpanNode, TreeSpan } from '../../lib/protocol/trace/span-tree'
import type { EventSummary } from '../../lib/wire/event'
import { printable, printableValue } from '../ui/printable'

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
export function errorsBySpan(errors: readonly EventSummary[]): ReadonlyMap<string, readonly EventSummary[]> {
  const found = new Map<string, EventSummary[]>()
  for (const error of errors) {
    if (error.spanId === null) continue
    const list = found.get(error.spanId)
    if (list === undefined) found.set(error.spanId, [error])
    else list.push(error)
  }
  return found
}

/** Whether a span failed: every status except `ok`, `cancelled`, `unset` and none. */
export function failed(status: string | null): boolean {
  return status !== null && status !== '' && !['ok', 'cancelled', 'unset'].includes(status)
}

interface Attribute {
  readonly key: string
  readonly text: string
}

/** Attributes as text, sorted by name. A filter keeps those whose name or value contains it. */
export function filterAttributes(attributes: Readonly<Record<string, unknown>>, filter: string): readonly Attribute[] {
  const needle = filter.trim().toLowerCase()
  return Object.entries(attributes)
    .map(([key, value]) => ({ key: printable(key), text: printableValue(value) }))
    .filter(({ key, text }) => `${key}\n${text}`.toLowerCase().includes(needle))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

export function findNode<Span extends TreeSpan>(roots: readonly SpanNode<Span>[], id: string): SpanNode<Span> | null {
  const open = [...roots]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.span.spanId === id) return node
    open.push(...node.children)
  }
  return null
}

interface Timed {
  readonly startUs: number
  readonly endUs: number
}

/** The duration of a span without its direct children. Overlapping children count once; parts outside the span do not count. */
export function selfTimeUs(span: Timed, children: readonly Timed[]): number {
  const parts = children
    .map((child) => ({ from: Math.max(child.startUs, span.startUs), to: Math.min(child.endUs, span.endUs) }))
    .filter((part) => part.to > part.from)
    .sort((a, b) => a.from - b.from)
  let covered = 0
  let reached = span.startUs
  for (const part of parts) {
    covered += Math.max(0, part.to - Math.max(part.from, reached))
    reached = Math.max(reached, part.to)
  }
  return span.endUs - span.startUs - covered
}
