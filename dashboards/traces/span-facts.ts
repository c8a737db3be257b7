import { formatCount } from '../../lib/format'
import { groupBy } from '../../lib/group-by'
import { hex32 } from '../../lib/protocol/ids'
import { number, text } from '../../lib/protocol/json-value'
import { isErrorStatus } from '../../lib/protocol/trace/segment'
import { tokensOf } from '../../lib/protocol/trace/span-pill'
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

interface ModelCall {
  readonly model: string | null
  /** For example `1,200 in, 85 out`. */
  readonly tokens: string | null
}

/** The model and the tokens of a call to a language model; `null` for other spans. */
export function modelCall(attributes: Readonly<Record<string, unknown>>): ModelCall | null {
  const model = text(attributes['gen_ai.response.model']) ?? text(attributes['gen_ai.request.model'])
  const { input, output } = tokensOf(attributes)
  if (model === null && input === null && output === null) return null
  const parts = [
    ...(input === null ? [] : [`${formatCount(input)} in`]),
    ...(output === null ? [] : [`${formatCount(output)} out`]),
  ]
  return { model, tokens: parts.length === 0 ? null : parts.join(', ') }
}

type Link = Span['links'][number]

/** The attribute from which `type` is read. */
const TYPE_ATTRIBUTE = 'sentry.link.type'

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

/** The attributes of a link without the one that its name shows. */
export const linkAttributes = ({ attributes = {} }: Pick<Link, 'attributes'>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(attributes).filter(([key]) => key !== TYPE_ATTRIBUTE))

/** Further linked traces are not checked. */
const MOST_CHECKED_TRACES = 20

/** The ids of other traces that links name, each once: a page checks whether they are on record. */
export const otherTraces = (links: readonly Pick<Link, 'traceId'>[], traceId: string): readonly string[] =>
  [...new Set(links.map((link) => link.traceId))]
    .filter((id) => id !== traceId && hex32(id) !== null)
    .slice(0, MOST_CHECKED_TRACES)

interface Source {
  readonly path: string
  readonly line: number | null
  readonly column: number | null
  /** False for a script of a page. */
  readonly isOnDisk: boolean
}

/** The position in the code that OpenTelemetry's attributes name, also by their earlier names; `null` without a file. */
export function sourceOf(attributes: Readonly<Record<string, unknown>>): Source | null {
  const given = text(attributes['code.file.path']) ?? text(attributes['code.filepath'])
  if (given === null) return null
  const path = given.startsWith('file:///') ? given.slice('file://'.length) : given
  return {
    path,
    line: number(attributes['code.line.number']) ?? number(attributes['code.lineno']),
    column: number(attributes['code.column.number']) ?? number(attributes['code.column']),
    isOnDisk: /^(?:\/(?!\/)|[a-z]:[\\/])/i.test(path),
  }
}
