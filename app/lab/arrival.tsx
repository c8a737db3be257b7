'use client'

import { useEffect, useState } from 'react'
import { traceIdsIn } from '../../dashboards/envelopes/item-payload'
import { client } from '../../dashboards/ui/client'
import { plural } from '../../lib/format'
import { categoryOf } from '../../lib/protocol/data-category'
import { CollectorError } from '../../lib/wire/errors'
import type { TraceDetail } from '../../lib/wire/trace'
import type { ItemType } from './entry'
import { limitNotice } from './limit-notice'

/** An SDK sends a span up to half a second after its end: an earlier query finds nothing. */
const QUERY_EVERY_MS = 1_500
const TRACE_QUERIES = 8
/** SDKs collect logs and metrics for five seconds before they send them. */
const ITEM_QUERIES = 10
/** An open lab sends far fewer envelopes in the time of these queries. */
const NEWEST_ENVELOPES = 30

/** `limited`: why an SDK sends nothing just now, or `null`. */
type TraceState =
  | { readonly state: 'waiting' }
  | { readonly state: 'nothing'; readonly limited: string | null }
  | { readonly state: 'trace'; readonly trace: TraceDetail; readonly limited: string | null }
  | { readonly state: 'unknown'; readonly why: string }

interface TraceProps {
  readonly traceId: string
  readonly ownEventId: string | null
}

/** Shows what the collector has of a trace; queries it for twelve seconds. */
export function TraceArrival({ traceId, ownEventId }: TraceProps) {
  const [seen, setSeen] = useState<TraceState>({ state: 'waiting' })
  useEffect(() => {
    const stop = new AbortController()
    let timer = setTimeout(() => query(1), QUERY_EVERY_MS)
    const query = async (round: number): Promise<void> => {
      const found = await findTrace(traceId, ownEventId, stop.signal)
      if (stop.signal.aborted) return
      setSeen(
        found.state === 'nothing' && found.limited === null && round < TRACE_QUERIES ? { state: 'waiting' } : found,
      )
      if (round < TRACE_QUERIES) timer = setTimeout(() => query(round + 1), QUERY_EVERY_MS)
    }
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [traceId, ownEventId])
  if (seen.state === 'waiting') return <Waiting />
  if (seen.state === 'nothing' && seen.limited !== null) return <Limited notice={seen.limited} />
  if (seen.state === 'nothing') return <span>nothing yet; open the trace later</span>
  if (seen.state === 'unknown') return <span>unknown: {seen.why}</span>
  const { summary, errors } = seen.trace
  return (
    <>
      <p>
        {plural(summary.segmentCount, 'segment')}, {plural(summary.spanCount, 'span')},{' '}
        {plural(summary.errorCount, 'error')}
      </p>
      {seen.limited !== null && (
        <p>
          <Limited notice={seen.limited} />
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

async function findTrace(traceId: string, ownEventId: string | null, signal: AbortSignal): Promise<TraceState> {
  try {
    const trace = await client.trace(traceId, signal)
    const missing = missingCategories(trace, ownEventId)
    const limited = missing.length === 0 ? null : limitNotice(await client.limits(signal), missing)
    return trace === null ? { state: 'nothing', limited } : { state: 'trace', trace, limited }
  } catch (error) {
    return afterError(error, signal)
  }
}

function missingCategories(trace: TraceDetail | null, ownEventId: string | null): readonly string[] {
  const hasError = ownEventId === null || trace?.errors.some(({ eventId }) => eventId === ownEventId) === true
  return [...(hasError ? [] : ['error']), ...(trace === null ? ['transaction', 'span'] : [])]
}

type ItemState =
  | { readonly state: 'waiting' }
  | { readonly state: 'nothing'; readonly limited: string | null }
  | { readonly state: 'item'; readonly seq: number }
  | { readonly state: 'unknown'; readonly why: string }

/** Shows the envelope with a log or metric of this trace, which the trace itself does not list. */
export function ItemArrival({ type, traceId }: { readonly type: ItemType; readonly traceId: string }) {
  const [seen, setSeen] = useState<ItemState>({ state: 'waiting' })
  useEffect(() => {
    const stop = new AbortController()
    const searched = new Set<number>()
    let timer = setTimeout(() => query(1), QUERY_EVERY_MS)
    const query = async (round: number): Promise<void> => {
      const found = await findItem(type, traceId, searched, stop.signal)
      if (stop.signal.aborted) return
      const again = found.state === 'nothing' && round < ITEM_QUERIES
      setSeen(again && found.limited === null ? { state: 'waiting' } : found)
      if (again) timer = setTimeout(() => query(round + 1), QUERY_EVERY_MS)
    }
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [type, traceId])
  if (seen.state === 'waiting') return <Waiting />
  if (seen.state === 'nothing' && seen.limited !== null) return <Limited notice={seen.limited} />
  if (seen.state === 'nothing') return <span>nothing yet; see the envelopes later</span>
  if (seen.state === 'unknown') return <span>unknown: {seen.why}</span>
  return (
    <span>
      one <code>{type}</code> item, in <a href={`/envelopes/${seen.seq}`}>envelope {seen.seq}</a>
    </span>
  )
}

/** @param searched envelopes without such an item. Recorded bytes never change, so they are not read again. */
async function findItem(
  type: ItemType,
  traceId: string,
  searched: Set<number>,
  signal: AbortSignal,
): Promise<ItemState> {
  try {
    const { envelopes } = await client.envelopes({ filter: { own: 'show' }, limit: NEWEST_ENVELOPES, signal })
    for (const { seq, items } of envelopes) {
      if (searched.has(seq) || !items.some((item) => item.type === type)) continue
      const envelope = await client.envelope(seq, signal)
      const isOurs = (text: string | null): boolean => text !== null && traceIdsIn(text).includes(traceId)
      if (envelope?.items.some((item) => item.type === type && isOurs(item.text))) return { state: 'item', seq }
      searched.add(seq)
    }
    return { state: 'nothing', limited: limitNotice(await client.limits(signal), [categoryOf(type)]) }
  } catch (error) {
    return afterError(error, signal)
  }
}

function afterError(error: unknown, signal: AbortSignal): { state: 'waiting' } | { state: 'unknown'; why: string } {
  if (signal.aborted) return { state: 'waiting' }
  return { state: 'unknown', why: error instanceof CollectorError ? error.message : 'its answer could not be read' }
}

function Waiting() {
  return <span className="faint">waiting…</span>
}

function Limited({ notice }: { readonly notice: string }) {
  return (
    <span>
      {notice} (see <a href="/limits">limits</a>)
    </span>
  )
}
