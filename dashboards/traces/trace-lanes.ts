import { formatCount, formatDurationUs, plural } from '../../lib/format'
import type { Breadcrumb } from '../../lib/wire/event'
import type { SignalRow } from '../../lib/wire/signal'
import { deliveryStatusText } from '../../lib/wire/status-text'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import { statusGlyph } from '../ui/glyph'
import { navigate } from '../ui/navigation'
import { formatOffset } from '../ui/times'
import type { LaneMark } from './lane'
import type { Vital } from './page-facts'
import { discardsText, type PageReport } from './page-reports'
import type { TraceData } from './trace-data'
import type { TraceLane } from './waterfall-head'

interface LaneSources {
  readonly trace: TraceData
  readonly longTasks: readonly TraceSpan[]
  /** Distinct ones, oldest first. */
  readonly breadcrumbs: readonly Breadcrumb[]
  readonly signals: readonly SignalRow[]
  readonly vitals: readonly Vital[]
  /** Client reports of its pages. */
  readonly reports: readonly PageReport[]
  readonly onSpan: (spanId: string) => void
  /** Shows logs and events. */
  readonly onEvents: () => void
}

/** The lanes above the rows: what the page felt, what happened, and when each envelope left. Empty ones are left out. */
export function traceLanes(sources: LaneSources): readonly TraceLane[] {
  const lanes = [pageLane(sources), eventLane(sources), deliveryLane(sources)]
  return lanes.filter(({ marks }) => marks.length > 0)
}

const after = (us: number, originUs: number): string => formatOffset(us - originUs)

function pageLane({ longTasks, vitals, onSpan }: LaneSources): TraceLane {
  const marks: LaneMark[] = [
    ...longTasks.map((span) => ({
      id: span.spanId,
      startUs: span.startUs,
      endUs: span.endUs,
      title: `Main thread busy for ${formatDurationUs(span.endUs - span.startUs)}`,
      onOpen: () => onSpan(span.spanId),
    })),
    ...vitals.map(({ name, atUs, text, word, tone }) => ({
      id: name,
      startUs: atUs,
      endUs: atUs,
      glyph: 'flag' as const,
      tone,
      label: `${name} ${text}`,
      title: `${name} ${text}${word === null ? '' : `, ${word}`}`,
      onOpen: null,
    })),
  ]
  const counts = [vitals.length > 0 && 'vitals', longTasks.length > 0 && plural(longTasks.length, 'long task')]
  return { name: 'Page', counts: counts.filter(Boolean).join(', '), marks }
}

function eventLane({ trace, breadcrumbs, signals, onEvents }: LaneSources): TraceLane {
  const originUs = trace.summary.startUs
  const logs = signals.filter(({ kind }) => kind === 'log')
  const marks: LaneMark[] = [
    ...trace.errors.map(({ eventId, timestampUs, title }) => ({
      id: eventId,
      startUs: timestampUs,
      endUs: timestampUs,
      glyph: 'error' as const,
      tone: 'bad' as const,
      title: `${title}, ${after(timestampUs, originUs)}`,
      onOpen: () => navigate(`/events/${eventId}`),
    })),
    ...breadcrumbs.flatMap(({ timestampUs, category, message, eventId, index }) =>
      timestampUs === null
        ? []
        : {
            id: `${eventId} ${index}`,
            startUs: timestampUs,
            endUs: timestampUs,
            glyph: 'breadcrumb' as const,
            title: `${[category, message].filter(Boolean).join(': ')}, ${after(timestampUs, originUs)}`,
            onOpen: onEvents,
          },
    ),
    ...logs.map((log) => ({
      id: `log ${log.key}`,
      startUs: log.timestampUs,
      endUs: log.timestampUs,
      glyph: 'log' as const,
      ...logTone(log),
      title: `${log.level ?? 'log'}: ${log.name}, ${after(log.timestampUs, originUs)}`,
      onOpen: onEvents,
    })),
  ]
  const counts = [
    breadcrumbs.length > 0 && plural(breadcrumbs.length, 'breadcrumb'),
    logs.length > 0 && plural(logs.length, 'log'),
    trace.errors.length > 0 && plural(trace.errors.length, 'error'),
  ]
  return { name: 'Events', counts: counts.filter(Boolean).join(', '), marks }
}

function logTone({ level }: SignalRow): { readonly tone?: 'bad' | 'warn' } {
  if (level === 'error' || level === 'fatal') return { tone: 'bad' }
  return level === 'warn' || level === 'warning' ? { tone: 'warn' } : {}
}

function deliveryLane({ trace, reports }: LaneSources): TraceLane {
  const others = new Map<string, number>()
  const marks = trace.submissions.map(({ seq, receivedAt, relayedAt, deliveryStatus }): LaneMark => {
    const { word, tone } = deliveryStatusText(deliveryStatus)
    const isFine = deliveryStatus.name === 'accepted' || deliveryStatus.name === 'kept'
    if (!isFine) others.set(word, (others.get(word) ?? 0) + 1)
    const relayed = relayedAt === null ? '' : `, answered after ${formatDurationUs((relayedAt - receivedAt) * 1000)}`
    return {
      id: `${seq}`,
      startUs: receivedAt * 1000,
      endUs: receivedAt * 1000,
      glyph: isFine ? 'envelope' : statusGlyph(deliveryStatus),
      tone: tone === 'good' ? 'ok' : tone === 'warn' || tone === 'bad' ? tone : 'faint',
      title: `Envelope ${seq} received ${after(receivedAt * 1000, trace.summary.startUs)}: ${word}${relayed}`,
      onOpen: () => navigate(`/envelopes/${seq}`),
    }
  })
  const { startUs } = trace.summary
  const reported = reports.map((report): LaneMark => {
    const since = report.sinceUs === null ? '' : `, about the ${formatDurationUs(report.atUs - report.sinceUs)} before`
    return {
      id: `report ${report.key}`,
      startUs: report.atUs,
      endUs: report.atUs,
      glyph: 'lost',
      tone: 'warn',
      title: `Client report ${after(report.atUs, startUs)}${since}: ${discardsText(report)}, of this trace or others of its page`,
      onOpen: () => navigate(`/envelopes/${report.seq}`),
    }
  })
  const words = [...others].map(([word, count]) => `${formatCount(count)} ${word}`)
  if (reports.length > 0) words.push(plural(reports.length, 'client report'))
  return {
    name: 'Delivery',
    counts: [plural(marks.length, 'envelope'), ...words].join(', '),
    marks: [...marks, ...reported],
  }
}

/** Distinct breadcrumbs, oldest first. Errors of one page each carry the breadcrumbs before them, so the same one repeats. */
export function distinctBreadcrumbs(breadcrumbs: readonly Breadcrumb[]): readonly Breadcrumb[] {
  const seen = new Map<string, Breadcrumb>()
  for (const breadcrumb of breadcrumbs) {
    const { timestampUs, category, type, level, message, data } = breadcrumb
    const key = JSON.stringify([timestampUs, category, type, level, message, data])
    if (!seen.has(key)) seen.set(key, breadcrumb)
  }
  return [...seen.values()].sort((a, b) => (a.timestampUs ?? 0) - (b.timestampUs ?? 0))
}
