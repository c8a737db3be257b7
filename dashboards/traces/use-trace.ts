'use client'

import { useCallback, useState, useSyncExternalStore } from 'react'
import type { SignalRow } from '../../lib/wire/signal'
import { client, type Failure, failureOf } from '../ui/client'
import { type LiveState, useLive } from '../ui/use-live'
import { takeTrace } from './opened-trace'
import type { TraceData } from './trace-data'

interface TraceState extends LiveState {
  /** `undefined` until the first line; `null` when no such trace is recorded yet. */
  readonly trace: TraceData | null | undefined
  /** Its signals, oldest first. A trace without spans may have some. */
  readonly signals: readonly SignalRow[]
  /** Reads the spans of a segment that a limit left out. @returns why it failed; `null` otherwise */
  readonly readSegment: (segmentId: string) => Promise<Failure | null>
}

/** Reads a trace as it grows: first all of it, then what came later. Keeps the last result while the collector is unreachable. */
export function useTrace(traceId: string): TraceState {
  const [signals, setSignals] = useState<readonly SignalRow[]>([])
  const [opened] = useState(() => takeTrace(traceId))
  const trace = useSyncExternalStore(opened.follow, opened.current, opened.current)
  const live = useLive({
    read: async (signal) => {
      const [{ signals: found }] = await Promise.all([client.signalsOfTrace(traceId, signal), opened.read(signal)])
      setSignals((before) => (sameSignals(before, found) ? before : found))
    },
    concerns: (fact) => opened.reader.concerns(fact),
  })
  const readSegment = useCallback(
    async (segmentId: string): Promise<Failure | null> => {
      try {
        await opened.reader.readSegment(segmentId)
        return null
      } catch (error) {
        return failureOf(error)
      }
    },
    [opened],
  )
  return { ...live, trace, signals, readSegment }
}

const sameSignals = (before: readonly SignalRow[], now: readonly SignalRow[]): boolean =>
  before.length === now.length && JSON.stringify(before) === JSON.stringify(now)
