import { plural } from '../../lib/format'
import { groupBy } from '../../lib/group-by'
import { lostBy } from '../../lib/protocol/outcome'
import { isUndated } from '../../lib/protocol/trace/span-tree'
import type { EventDetail, EventSummary } from '../../lib/wire/event'
import type { SignalRow } from '../../lib/wire/signal'
import { statusNameText } from '../../lib/wire/status-text'
import type { ListedSegment, SpanRow } from '../../lib/wire/trace'
import { client } from '../ui/client'
import { useAnswer } from '../ui/use-answer'

/** Spans, segments and errors of the trace that the page reads; the page of the trace has all. */
const MOST_SPANS = 200

export interface TraceAround {
  readonly segments: readonly ListedSegment[]
  readonly spans: readonly SpanRow[]
  readonly logs: readonly SignalRow[]
  readonly errors: readonly EventSummary[]
  /** The trace has more spans than were read. */
  readonly isCut: boolean
  readonly state: 'reading' | 'read' | 'failed'
}

const NONE: TraceAround = { segments: [], spans: [], logs: [], errors: [], isCut: false, state: 'reading' }

/** Reads the trace around an event, again when the delivery of the event changed: the picture need not follow a trace that goes on. */
export function useTraceAround({ traceId, deliveryStatus }: EventDetail): TraceAround {
  const read = async (signal: AbortSignal): Promise<TraceAround> => {
    const options = { filter: { trace: traceId ?? '' }, limit: MOST_SPANS, signal }
    const [{ segments }, { spans, next }, { signals }, { events }] = await Promise.all([
      client.segments(options),
      client.spans(options),
      client.signalsOfTrace(traceId ?? '', signal),
      client.events(options),
    ])
    // The times of spans that start in 1970 do not count from the epoch.
    const dated = spans.filter((span) => !isUndated(span))
    return { segments, spans: dated, logs: signals, errors: events, isCut: next !== null, state: 'read' }
  }
  const { answer, failure } = useAnswer(traceId, read, deliveryStatus.name)
  // The page itself reports an unreachable collector; without the trace the rest of the page still holds.
  return answer ?? (failure === null ? NONE : { ...NONE, state: 'failed' })
}

/** Items that were read and are lost, such as `2 spans rate limited, 1 log dropped`; empty without any. */
export function lostText({ segments, spans, logs, errors }: Omit<TraceAround, 'state' | 'isCut'>): string {
  const items = [
    ...[...segments, ...spans.filter(({ isSegment }) => !isSegment)].map((one) => ({
      noun: 'span',
      ...one.deliveryStatus,
    })),
    ...logs.map(({ kind, deliveryStatus }) => ({ noun: kind.replaceAll('_', ' '), ...deliveryStatus })),
    ...errors.map(({ deliveryStatus }) => ({ noun: 'error', ...deliveryStatus })),
  ]
  const lost = groupBy(items, ({ noun, name, reason }) => (lostBy(name, reason) === null ? null : `${noun} ${name}`))
  return [...lost.values()]
    .flatMap(([one, ...others]) =>
      one === undefined ? [] : [`${plural(others.length + 1, one.noun)} ${statusNameText(one.name).word}`],
    )
    .join(', ')
}
