'use client'

import { createContext, use, useEffect, useState } from 'react'
import type { SpanDetail } from '../../lib/wire/trace'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import { client, type Failure, failureOf } from '../ui/client'

interface SpanRead {
  /** `undefined` while loading; `null` when no record contains the span any more. */
  readonly detail: SpanDetail | null | undefined
  readonly failure: Failure | null
}

/** Reads the detail of a span: from the collector, or from an open file. */
export const SpanSource = createContext<
  (traceId: string, spanId: string, signal: AbortSignal) => Promise<SpanDetail | null>
>(client.span)

const LOADING: SpanRead = { detail: undefined, failure: null }

/** Reads attributes, links and OpenTelemetry's fields of a span, again when a later submission replaced it. */
export function useSpan(traceId: string, span: TraceSpan | null): SpanRead {
  const [read, setRead] = useState(LOADING)
  const readSpan = use(SpanSource)
  const { spanId, seq, item } = span ?? {}
  // A segment that is not read yet names its submission, too.
  const key = spanId === undefined ? null : `${spanId}/${seq}/${item}`
  useEffect(() => {
    const id = key?.split('/')[0]
    if (id === undefined) return
    const aborter = new AbortController()
    readSpan(traceId, id, aborter.signal)
      .then((detail) => setRead({ detail, failure: null }))
      .catch((error: unknown) => {
        const failure = aborter.signal.aborted ? null : failureOf(error)
        if (failure !== null) setRead((before) => ({ ...before, failure }))
      })
    return () => aborter.abort()
  }, [traceId, key, readSpan])
  return read
}
