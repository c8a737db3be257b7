'use client'

import { useEffect, useState } from 'react'
import { traceIdsIn } from '../../dashboards/envelope/item-payload'
import { categoryOf } from '../../lib/protocol/data-category'
import { CollectorError, collectorClient } from '../../lib/wire/collector-client'
import { HeldBack } from './arrival'
import type { ItemType } from './entry'
import { heldBackWords } from './held-back'

/** An SDK collects logs and metrics for five seconds before it sends them. */
const LOOK_EVERY_MS = 1_500
const LOOKS = 10
/** What an open lab sends in that time is far less. */
const NEWEST = 30

type Seen =
  | { readonly state: 'waiting' }
  | { readonly state: 'nothing'; readonly held: string | null }
  | { readonly state: 'item'; readonly seq: number }
  | { readonly state: 'unknown'; readonly why: string }

interface Props {
  readonly type: ItemType
  readonly traceId: string
}

/** The envelope that brought a log or metric of this trace. A trace holds spans and errors: these are found as items. */
export function ItemArrival({ type, traceId }: Props) {
  const [seen, setSeen] = useState<Seen>({ state: 'waiting' })
  useEffect(() => {
    const stop = new AbortController()
    const looked = new Set<number>()
    let timer = setTimeout(() => look(1), LOOK_EVERY_MS)
    const look = async (round: number): Promise<void> => {
      const found = await lookFor(type, traceId, looked, stop.signal)
      if (stop.signal.aborted) return
      const again = found.state === 'nothing' && round < LOOKS
      setSeen(again && found.held === null ? { state: 'waiting' } : found)
      if (again) timer = setTimeout(() => look(round + 1), LOOK_EVERY_MS)
    }
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [type, traceId])
  if (seen.state === 'waiting') return <span className="faint">waiting for it…</span>
  if (seen.state === 'nothing' && seen.held !== null) return <HeldBack words={seen.held} />
  if (seen.state === 'nothing') return <span>nothing yet; look among the envelopes later</span>
  if (seen.state === 'unknown') return <span>not known: {seen.why}</span>
  return (
    <span>
      one <code>{type}</code> item, in <a href={`/envelopes/${seen.seq}`}>envelope {seen.seq}</a>
    </span>
  )
}

/** @param looked envelopes that hold another trace's items: what was received never changes. */
async function lookFor(type: ItemType, traceId: string, looked: Set<number>, signal: AbortSignal): Promise<Seen> {
  const client = collectorClient('/collector', fetch)
  try {
    const { envelopes } = await client.envelopes({ limit: NEWEST, signal })
    for (const { seq, items } of envelopes) {
      if (looked.has(seq) || !items.some((item) => item.type === type)) continue
      const envelope = await client.envelope(seq, signal)
      const ours = (text: string | null): boolean => text !== null && traceIdsIn(text).includes(traceId)
      if (envelope?.items.some((item) => item.type === type && ours(item.text))) return { state: 'item', seq }
      looked.add(seq)
    }
    return { state: 'nothing', held: heldBackWords(await client.limits(signal), [categoryOf(type)]) }
  } catch (error) {
    if (signal.aborted) return { state: 'waiting' }
    return { state: 'unknown', why: error instanceof CollectorError ? error.message : 'its answer cannot be read' }
  }
}
