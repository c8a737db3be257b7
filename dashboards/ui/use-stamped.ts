'use client'

import { useEffect, useRef, useState } from 'react'
import { type LiveReader, type LiveState, useLive } from './use-live'

interface OfStamp {
  /** `null` is everybody. */
  readonly stamp: string | null
}

export interface StampedReader<Read extends OfStamp> extends Omit<LiveReader, 'read'> {
  readonly readOf: (wanted: { readonly stamp?: string; readonly signal: AbortSignal }) => Promise<Read>
}

export interface StampedState<Read extends OfStamp> extends LiveState {
  /** `null` until it was read; that of another stamp is not shown for this one. */
  readonly read: Read | null
}

/** What is read of everybody or of one stamp, at once of another when the stamp is another. */
export function useStamped<Read extends OfStamp>(
  stamp: string | null,
  { readOf, ...reader }: StampedReader<Read>,
): StampedState<Read> {
  const [read, setRead] = useState<Read | null>(null)
  const { readNow, connection, failure } = useLive({
    ...reader,
    read: async (signal) => {
      const now = await readOf({ ...(stamp !== null && { stamp }), signal })
      if (!signal.aborted) setRead(now)
    },
  })
  const asked = useRef(stamp)
  useEffect(() => {
    if (asked.current === stamp) return
    asked.current = stamp
    readNow()
  }, [stamp, readNow])
  return { read: read?.stamp === stamp ? read : null, connection, failure }
}
