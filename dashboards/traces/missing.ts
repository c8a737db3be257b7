import { formatCount, plural } from '../../lib/format'
import { groupBy } from '../../lib/group-by'
import { lostBy } from '../../lib/protocol/outcome'
import type { DeliveryStatus } from '../../lib/wire/delivery-status'
import type { SignalRow } from '../../lib/wire/signal'
import { statusNameText } from '../../lib/wire/status-text'
import { formatClock } from '../ui/times'
import type { PageReport } from './page-reports'
import type { TraceData } from './trace-data'

interface MissingSources {
  readonly trace: TraceData
  readonly signals: readonly SignalRow[]
  /** Client reports of its pages. */
  readonly reports: readonly PageReport[]
  /** Spans whose parent is missing. */
  readonly orphans: number
  /** Its newest submission is a few seconds old. */
  readonly isArriving: boolean
}

/** Sentences about what a trace lost, as far as it is known here. */
export function missingSentences({ trace, signals, reports, orphans, isArriving }: MissingSources): readonly string[] {
  const { attributes = 0, events = 0, links = 0 } = trace.dropped ?? {}
  const { evictedBefore } = trace
  return [
    ...(isArriving ? ['still arriving'] : []),
    ...lostSentences(trace, signals),
    ...(orphans > 0 ? [`${plural(orphans, 'parent')} not arrived`] : []),
    ...(attributes + events + links > 0
      ? [
          `${[plural(attributes, 'attribute'), plural(events, 'event'), plural(links, 'link')].join(', ')} dropped by the SDK`,
        ]
      : []),
    ...reportSentences(reports),
    ...(evictedBefore !== undefined && trace.summary.startUs < evictedBefore * 1000
      ? [`parts may be missing: what was received before ${formatClock(evictedBefore)} was evicted`]
      : []),
    ...trace.gaps.map(({ of, missing, limit }) => `${formatCount(missing)} ${of} above ${formatCount(limit)} not read`),
  ]
}

interface LostPart extends Pick<DeliveryStatus, 'name' | 'reason'> {
  readonly noun: string
  readonly seq: number
}

/** Parts that never reached upstream: spans, errors and signals, or envelopes of which nothing else is known. */
function lostSentences({ submissions, segments, spans, errors }: TraceData, signals: readonly SignalRow[]) {
  const lostIn = new Set(submissions.filter(({ deliveryStatus }) => isLost(deliveryStatus)).map(({ seq }) => seq))
  if (lostIn.size === 0) return []
  const statuses = new Map(segments.map(({ seq, item, deliveryStatus }) => [`${seq}/${item}`, deliveryStatus]))
  const parts: LostPart[] = [
    ...spans.flatMap(({ seq, item }) => {
      const status = lostIn.has(seq) ? statuses.get(`${seq}/${item}`) : undefined
      return status === undefined ? [] : { noun: 'span', seq, ...status }
    }),
    ...errors.map(({ seq, deliveryStatus }) => ({ noun: 'error', seq, ...deliveryStatus })),
    ...signals.map(({ kind, seq, deliveryStatus }) => ({ noun: kind.replaceAll('_', ' '), seq, ...deliveryStatus })),
  ].filter(isLost)
  const explained = new Set(parts.map(({ seq }) => seq))
  const others = submissions
    .filter(({ seq, deliveryStatus }) => isLost(deliveryStatus) && !explained.has(seq))
    .map(({ seq, deliveryStatus }) => ({ noun: 'envelope', seq, ...deliveryStatus }))
  const alike = groupBy([...parts, ...others], ({ noun, name }) => `${noun} ${name}`)
  return [...alike.values()].flatMap(([one, ...more]) =>
    one === undefined ? [] : [`${plural(more.length + 1, one.noun)} ${statusNameText(one.name).word}: not at upstream`],
  )
}

const isLost = ({ name, reason }: Pick<DeliveryStatus, 'name' | 'reason'>): boolean => lostBy(name, reason) !== null

/** Counts discards of its pages while the trace ran. Reports carry no ids, so it may be of other traces. */
function reportSentences(reports: readonly PageReport[]): readonly string[] {
  const lost = groupBy(
    reports.flatMap(({ discards }) => discards).filter(({ reason }) => lostBy('client_discard', reason) !== null),
    ({ category }) => category,
  )
  if (lost.size === 0) return []
  const counts = [...lost].map(
    ([category, all]) => `${formatCount(all.reduce((sum, { quantity }) => sum + quantity, 0))} ${category}`,
  )
  return [`its page discarded ${counts.join(', ')} meanwhile, of this trace or others`]
}
