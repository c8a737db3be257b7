import { useEffect, useState } from 'react'
import type { MappedFrames } from '../../lib/wire/mapped-frames'
import { client, type Failure, failureOf } from '../ui/client'
import { printable } from '../ui/printable'

export interface MappingRead {
  readonly frames: MappedFrames | null
  /** Whether the collector has answered. */
  readonly done: boolean
  readonly failure: Failure | null
}

const NOT_READ: MappingRead = { frames: null, done: false, failure: null }

/** Maps the frames of an event once; neither its frames nor the answer of the collector change while the page is open. */
export function useMappedFrames(eventId: string): MappingRead {
  const [read, setRead] = useState({ eventId, ...NOT_READ })
  useEffect(() => {
    const aborter = new AbortController()
    client.mappedFrames(eventId, aborter.signal).then(
      (frames) => setRead({ eventId, frames, done: true, failure: null }),
      (error: unknown) => {
        const failure = aborter.signal.aborted ? null : failureOf(error)
        if (failure !== null) setRead({ eventId, frames: null, done: true, failure })
      },
    )
    return () => aborter.abort()
  }, [eventId])
  return read.eventId === eventId ? read : NOT_READ
}

/** The result of mapping as a sentence; it is always stated. */
export function mappingText({ frames, done, failure }: MappingRead): string {
  if (failure?.kind === 'unreachable') return 'source maps not read: the collector is unreachable'
  if (failure !== null) return `source maps not read: ${printable(failure.detail)}`
  if (!done) return 'reading source maps …'
  return frames === null ? 'source maps not read: the event is gone' : printable(frames.summary)
}
