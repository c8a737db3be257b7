'use client'

import { useEffect, useState } from 'react'
import { CollectorError, collectorClient } from '../../lib/wire/collector-client'
import type { TraceDetail } from '../../lib/wire/trace'
import { heldBackWords } from './held-back'

/** An SDK sends a span up to half a second after its end; asking sooner would only be told that there is nothing. */
const FIRST_LOOK_MS = 1_500
const NEXT_LOOK_MS = 1_500
const LOOKS = 8

type Seen =
  | { readonly state: 'waiting' }
  | { readonly state: 'nothing'; readonly held: string | null }
  | { readonly state: 'trace'; readonly trace: TraceDetail; readonly held: string | null }
  | { readonly state: 'unknown'; readonly why: string }

interface Props {
  readonly traceId: string
  readonly ownEventId: string | null
}

/** What the collector has of a trace, looked at for a dozen seconds after it was caused. */
export function Arrival({ traceId, ownEventId }: Props) {
  const [seen, setSeen] = useState<Seen>({ state: 'waiting' })
  useEffect(() => {
    const stop = new AbortController()
    let timer = setTimeout(() => look(1), FIRST_LOOK_MS)
    const look = async (round: number): Promise<void> => {
      const found = await lookFor(traceId, ownEventId, stop.signal)
      if (stop.signal.aborted) return
      setSeen(found.state === 'nothing' && found.held === null && round < LOOKS ? { state: 'waiting' } : found)
      if (round < LOOKS) timer = setTimeout(() => look(round + 1), NEXT_LOOK_MS)
    }
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [traceId, ownEventId])
  if (seen.state === 'waiting') return <span className="faint">waiting for it…</span>
  if (seen.state === 'nothing' && seen.held !== null) return <HeldBack words={seen.held} />
  if (seen.state === 'nothing') return <span>nothing yet; follow the trace later</span>
  if (seen.state === 'unknown') return <span>not known: {seen.why}</span>
  const { summary, errors } = seen.trace
  return (
    <>
      <p>
        {counted(summary.segmentCount, 'segment')}, {counted(summary.spanCount, 'span')},{' '}
        {counted(summary.errorCount, 'error')}
      </p>
      {seen.held !== null && (
        <p>
          <HeldBack words={seen.held} />
        </p>
      )}
      {errors
        .filter((error) => error.eventId !== ownEventId)
        .map((error) => (
          <p key={error.eventId}>
            {error.service}:{' '}
            <a className="mono" href={`/events/${error.eventId}`} aria-label={`Event ${error.eventId}`}>
              {error.eventId}
            </a>
          </p>
        ))}
    </>
  )
}

/** Its SDK was told of a limit, and sends none. */
export function HeldBack({ words }: { readonly words: string }) {
  return (
    <span>
      {words} (see <a href="/limits">limits</a>)
    </span>
  )
}

async function lookFor(traceId: string, ownEventId: string | null, signal: AbortSignal): Promise<Seen> {
  const client = collectorClient('/collector', fetch)
  try {
    const trace = await client.trace(traceId, signal)
    const missing = missingOf(trace, ownEventId)
    const held = missing.length === 0 ? null : heldBackWords(await client.limits(signal), missing)
    return trace === null ? { state: 'nothing', held } : { state: 'trace', trace, held }
  } catch (error) {
    if (signal.aborted) return { state: 'waiting' }
    return { state: 'unknown', why: error instanceof CollectorError ? error.message : 'its answer cannot be read' }
  }
}

/** Data categories of what was caused and is not here. */
function missingOf(trace: TraceDetail | null, ownEventId: string | null): readonly string[] {
  const isErrorHere = ownEventId === null || trace?.errors.some(({ eventId }) => eventId === ownEventId) === true
  return [...(isErrorHere ? [] : ['error']), ...(trace === null ? ['transaction', 'span'] : [])]
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`
