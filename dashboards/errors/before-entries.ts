import { formatDurationUs, withoutTrailingZeros } from '../../lib/format'
import type { Breadcrumb, EventDetail } from '../../lib/wire/event'
import type { SignalRow } from '../../lib/wire/signal'
import type { SpanRow } from '../../lib/wire/trace'
import type { GlyphName } from '../ui/glyph'
import { signalsHref, spanHref } from '../ui/links'
import { printable, printableValue } from '../ui/printable'

/** Something that happened before an error, or the error itself. All text is printable. */
export interface Entry {
  readonly key: string
  readonly kind: 'breadcrumb' | 'log' | 'span' | 'error'
  /** `null` for a breadcrumb without a time. */
  readonly us: number | null
  readonly category: string
  readonly text: string
  readonly detail: string | null
  readonly level: string | null
  readonly service: string | null
  readonly href: string | null
}

/** Line and list show this many, those nearest to the error. */
const MOST_ENTRIES = 200

export const nearestEntries = (entries: readonly Entry[]): readonly Entry[] => entries.slice(-MOST_ENTRIES)

interface Around {
  readonly logs: readonly SignalRow[]
  readonly spans: readonly SpanRow[]
}

/**
 * Breadcrumbs of the event, and logs and spans of its trace that began before it, oldest first; the error is last. Spans of
 * the event's own service are left out, except segments: its breadcrumbs say the same.
 */
export function entriesBefore(event: EventDetail, { logs, spans }: Around): readonly Entry[] {
  const entries: Entry[] = [
    ...event.breadcrumbs.map((one) => breadcrumbEntry(one, event.service)),
    ...logs.filter(({ kind }) => kind === 'log').map(logEntry),
    ...spans.filter((span) => span.isSegment || span.service !== event.service).map(spanEntry),
  ]
  const before = entries
    .filter(({ us }) => us === null || us <= event.timestampUs)
    .sort((one, other) => (one.us ?? 0) - (other.us ?? 0))
  return [...before, errorEntry(event)]
}

const errorEntry = (event: EventDetail): Entry => ({
  key: 'error',
  kind: 'error',
  us: event.timestampUs,
  category: 'error',
  text: printable(event.title),
  detail: null,
  level: event.level,
  service: event.service,
  href: null,
})

/** A breadcrumb as an entry. @param service of the event that carried it */
export function breadcrumbEntry(breadcrumb: Breadcrumb, service: string): Entry {
  const { index, timestampUs, category, type, level, message, data } = breadcrumb
  const known = knownText(data)
  return {
    key: `breadcrumb ${index}`,
    kind: 'breadcrumb',
    us: timestampUs,
    category: printable(category ?? type ?? 'default'),
    text: message !== null && message !== '' ? printable(message) : (known ?? ''),
    detail: data === null || known !== null ? statusOf(data) : printableValue(data),
    level,
    service,
    href: null,
  }
}

/** A navigation as `/ → /cart`, a request as `POST /api/cart`; `null` for other data. */
function knownText(data: Breadcrumb['data']): string | null {
  if (typeof data?.from === 'string' && typeof data.to === 'string') return printable(`${data.from} → ${data.to}`)
  if (typeof data?.url !== 'string') return null
  return printable(`${typeof data.method === 'string' ? `${data.method} ` : ''}${data.url}`)
}

const statusOf = (data: Breadcrumb['data']): string | null =>
  data?.status_code === undefined ? null : printableValue(data.status_code)

const logEntry = ({ key, seq, timestampUs, name, level, service }: SignalRow): Entry => ({
  key: `log ${key}`,
  kind: 'log',
  us: timestampUs,
  category: 'log',
  text: printable(name),
  detail: null,
  level,
  service,
  href: signalsHref('log', { envelope: String(seq), open: key }),
})

const spanEntry = (span: SpanRow): Entry => ({
  key: `span ${span.spanId}`,
  kind: 'span',
  us: span.startUs,
  category: printable(span.op ?? 'span'),
  text: printable(span.name),
  detail: formatDurationUs(span.endUs - span.startUs),
  level: span.status === 'error' ? 'error' : null,
  service: span.service,
  href: spanHref(span.traceId, span.spanId),
})

const isWarning = ({ level }: Pick<Entry, 'level'>): boolean => level === 'warning' || level === 'warn'

export const toneOf = (entry: Pick<Entry, 'kind' | 'level'>): 'warn' | 'bad' | undefined => {
  if (entry.kind === 'error' || entry.level === 'error' || entry.level === 'fatal') return 'bad'
  return isWarning(entry) ? 'warn' : undefined
}

export const entryGlyph = (entry: Pick<Entry, 'kind' | 'level'>): GlyphName => {
  if (entry.kind === 'breadcrumb' && isWarning(entry)) return 'warning'
  return entry.kind === 'span' ? 'server' : entry.kind
}

export type Scale = 'logarithmic' | 'linear'

/** Distances nearer to the error than this are not stretched further. */
const NEAREST_US = 10_000

/** The position of a time before the error: 0 at the earliest one, 1 at the error. */
export function positionBefore(scale: Scale, beforeUs: number, mostUs: number): number {
  if (mostUs <= 0) return 1
  const share = Math.min(1, Math.max(0, beforeUs) / mostUs)
  if (scale === 'linear') return 1 - share
  return 1 - Math.log1p((share * mostUs) / NEAREST_US) / Math.log1p(mostUs / NEAREST_US)
}

const STEPS_US = [1e4, 1e5, 1e6, 1e7, 6e7, 6e8, 3.6e9, 3.6e10, 8.64e10]
/** Labels of the axis do not come nearer to each other, nor to its ends. */
const TICK_DISTANCE = 0.11

/** The labels of the axis: `−10 s`, `−1 s`, `−100 ms`. */
export function ticksBefore(scale: Scale, mostUs: number): readonly { readonly at: number; readonly text: string }[] {
  const steps = scale === 'linear' ? [0.75, 0.5, 0.25].map((share) => share * mostUs) : STEPS_US
  const ticks: { at: number; text: string }[] = []
  for (const us of [...steps].sort((one, other) => other - one)) {
    const at = positionBefore(scale, us, mostUs)
    if (us >= mostUs || at < TICK_DISTANCE || at > 1 - TICK_DISTANCE) continue
    const last = ticks.at(-1)
    if (last !== undefined && at - last.at < TICK_DISTANCE) continue
    ticks.push({ at, text: `−${withoutTrailingZeros(formatDurationUs(us))}` })
  }
  return ticks
}

export interface LineMark {
  readonly at: number
  readonly entries: readonly Entry[]
  /** The text above the line; `null` where it would touch another one. */
  readonly label: string | null
}

/** Marks nearer than this are one, with a count. */
const MARK_DISTANCE = 0.02
const LABEL_DISTANCE = 0.14

/** The marks of the line. Those at about the same position are one; labels that would touch are dropped, the error's never. */
export function marksBefore(entries: readonly Entry[], scale: Scale): readonly LineMark[] {
  const timed = entries.filter((entry): entry is Entry & { us: number } => entry.us !== null)
  const first = timed[0]?.us ?? 0
  const last = timed.at(-1)?.us ?? 0
  const marks: { at: number; entries: Entry[] }[] = []
  for (const entry of timed) {
    const at = positionBefore(scale, last - entry.us, last - first)
    const near = marks.at(-1)
    if (near !== undefined && entry.kind !== 'error' && at - near.at < MARK_DISTANCE) near.entries.push(entry)
    else marks.push({ at, entries: [entry] })
  }
  let labelled = Number.NEGATIVE_INFINITY
  return marks.map(({ at, entries }) => {
    const [one] = entries
    const isError = one?.kind === 'error'
    const fits = isError || (at - labelled >= LABEL_DISTANCE && at <= 1 - LABEL_DISTANCE)
    if (fits) labelled = at
    return { at, entries, label: !fits || one === undefined ? null : isError ? 'error' : labelOf(one) }
  })
}

const MOST_LABEL = 20

function labelOf({ text, category }: Entry): string {
  const whole = text === '' ? category : (text.split(' → ').at(-1) ?? text)
  return whole.length > MOST_LABEL ? `${whole.slice(0, MOST_LABEL - 1)}…` : whole
}
