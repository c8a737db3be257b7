import { useEffect, useState } from 'react'
import { isUndated } from '../../lib/protocol/trace/span-tree'
import type { SignalRow } from '../../lib/wire/signal'
import type { ListedSegment, SpanRow } from '../../lib/wire/trace'
import { client } from '../ui/client'

/** Spans and segments of the trace that the page reads; the page of the trace has all. */
const MOST_SPANS = 200

export interface TraceAround {
  readonly segments: readonly ListedSegment[]
  readonly spans: readonly SpanRow[]
  readonly logs: readonly SignalRow[]
  /** The trace has more spans than were read. */
  readonly isCut: boolean
  readonly state: 'reading' | 'read' | 'failed'
}

const NONE: TraceAround = { segments: [], spans: [], logs: [], isCut: false, state: 'reading' }

/** Reads the trace around an event, once per event: the picture need not follow a trace that goes on. */
export function useTraceAround(traceId: string | null): TraceAround {
  const [read, setRead] = useState<{ readonly traceId: string | null; readonly around: TraceAround }>({
    traceId: null,
    around: NONE,
  })
  useEffect(() => {
    if (traceId === null) return
    const aborter = new AbortController()
    const options = { filter: { trace: traceId }, limit: MOST_SPANS, signal: aborter.signal }
    Promise.all([client.segments(options), client.spans(options), client.signalsOfTrace(traceId, aborter.signal)]).then(
      ([{ segments }, { spans: read, next }, { signals }]) => {
        // The times of spans that start in 1970 do not count from the epoch.
        const spans = read.filter((span) => !isUndated(span))
        setRead({ traceId, around: { segments, spans, logs: signals, isCut: next !== null, state: 'read' } })
      },
      // The page itself reports an unreachable collector; without the trace the rest of the page still holds.
      () => {
        if (!aborter.signal.aborted) setRead({ traceId, around: { ...NONE, state: 'failed' } })
      },
    )
    return () => aborter.abort()
  }, [traceId])
  return read.traceId === traceId ? read.around : NONE
}
