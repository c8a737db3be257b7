import type { Breadcrumb, EventSummary } from '../../../lib/wire/event'
import type { SignalRow } from '../../../lib/wire/signal'
import { breadcrumbEntry } from '../../errors/before-entries'
import { levelTone } from '../../signals/signal-columns'
import { kindText } from '../../signals/signal-kinds'
import type { GlyphName } from '../../ui/glyph'
import { signalsHref } from '../../ui/links'
import { printable } from '../../ui/printable'

/** Something that happened during a trace, at one time. All texts are printable. */
export interface TraceEvent {
  readonly key: string
  readonly kind: 'error' | 'log' | 'breadcrumb' | 'other'
  /** µs since the epoch; `null` for a breadcrumb without a time. */
  readonly atUs: number | null
  readonly glyph: GlyphName
  readonly tone: 'bad' | 'warn' | 'quiet'
  /** The level of a log, else the kind. */
  readonly word: string
  /** Before the text: the category of a breadcrumb. */
  readonly category: string | null
  readonly text: string
  readonly service: string | null
  readonly spanId: string | null
  readonly href: string
}

interface EventSources {
  readonly errors: readonly EventSummary[]
  readonly breadcrumbs: readonly Breadcrumb[]
  readonly signals: readonly SignalRow[]
}

/** Errors, breadcrumbs, logs and other signals in time order. Those without a time are first. */
export function traceEvents({ errors, breadcrumbs, signals }: EventSources): readonly TraceEvent[] {
  const serviceOf = new Map(errors.map(({ eventId, service }) => [eventId, service]))
  const events = [
    ...errors.map(errorEvent),
    ...breadcrumbs.map((one) => breadcrumbEvent(one, serviceOf.get(one.eventId) ?? null)),
    ...signals.map(signalEvent),
  ]
  return events.sort((one, other) => (one.atUs ?? 0) - (other.atUs ?? 0))
}

/** Keeps the events of these spans. Events without a span are left out, because nothing says where they belong. */
export const eventsWithin = (
  events: readonly TraceEvent[],
  within: ReadonlySet<string> | null,
): readonly TraceEvent[] =>
  within === null ? events : events.filter(({ spanId }) => spanId !== null && within.has(spanId))

const errorEvent = ({ eventId, timestampUs, level, title, service, spanId }: EventSummary): TraceEvent => ({
  key: `error ${eventId}`,
  kind: 'error',
  atUs: timestampUs,
  glyph: 'error',
  tone: levelTone(level),
  word: printable(level),
  category: null,
  text: printable(title),
  service,
  spanId,
  href: `/events/${encodeURIComponent(eventId)}`,
})

function breadcrumbEvent(breadcrumb: Breadcrumb, service: string | null): TraceEvent {
  const { us, category, text, detail, level } = breadcrumbEntry(breadcrumb, service ?? '')
  return {
    key: `breadcrumb ${breadcrumb.eventId} ${breadcrumb.index}`,
    kind: 'breadcrumb',
    atUs: us,
    glyph: 'breadcrumb',
    tone: levelTone(level),
    word: level === null || level === 'info' ? 'breadcrumb' : printable(level),
    category,
    text: [text, detail].filter(Boolean).join(' '),
    service,
    // SDKs send breadcrumbs with an error, of the whole page or request: they name no span.
    spanId: null,
    href: `/events/${encodeURIComponent(breadcrumb.eventId)}`,
  }
}

function signalEvent({ kind, key, seq, timestampUs, level, name, service, spanId }: SignalRow): TraceEvent {
  const noun = kindText(kind).one
  return {
    key: `${kind} ${key}`,
    kind: kind === 'log' ? 'log' : 'other',
    atUs: timestampUs,
    glyph: kind === 'log' ? 'log' : 'flag',
    tone: levelTone(level),
    word: printable(kind === 'log' ? (level ?? noun) : noun),
    category: null,
    text: name === '' ? noun : printable(name),
    service,
    spanId,
    href: signalsHref(kind, { envelope: String(seq), open: key }),
  }
}
