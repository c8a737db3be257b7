'use client'

import { useState } from 'react'
import type { SignalRow } from '../../lib/wire/signal'
import type { TraceDetail } from '../../lib/wire/trace'
import { client } from '../ui/client'
import { type LiveState, useLive } from '../ui/use-live'
import { keepUnchanged } from './unchanged'

export interface TraceState extends LiveState {
  /** `undefined` until it was read once; `null` when no such trace is recorded (yet). */
  readonly trace: TraceDetail | null | undefined
  /** What was said in it besides spans and errors, in the order of time; there may be some of a trace without spans. */
  readonly signals: readonly SignalRow[]
}

/** One trace, growing as more of it arrives. What was shown stays when the collector goes away. */
export function useTrace(traceId: string): TraceState {
  const [trace, setTrace] = useState<TraceDetail | null | undefined>(undefined)
  const [signals, setSignals] = useState<readonly SignalRow[]>([])
  const live = useLive({
    read: async (signal) => {
      const [read, said] = await Promise.all([client.trace(traceId, signal), client.signalsOfTrace(traceId, signal)])
      setSignals((before) => (read === null && said.signals.length === 0 ? before : said.signals))
      setTrace((before) => (read === null ? (before ?? null) : keepUnchanged(before ?? null, read)))
    },
    concerns: (fact) => fact.kind !== 'received' && fact.kind !== 'refused',
  })
  return { ...live, trace, signals }
}
