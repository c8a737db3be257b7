import { hex32 } from '../../lib/protocol/ids'
import type { BoardList } from './filter-address'

/** An id, or the beginning of a visible one, that was typed into a filter field. */
interface IdTyped {
  readonly isWhole: boolean
  /** Pages that the id may lead to, the likeliest first: an id does not say what it identifies. */
  readonly links: readonly IdLink[]
}

interface IdLink {
  readonly href: string
  readonly text: string
}

/** Lists show the first eight digits of a trace id. */
const BEGINNING = /^[0-9a-f]{6,31}$/

/** Reads an id typed alone; `null` for anything else. The beginning of one of `traceIds` (visible rows) is enough. */
export function idTyped(list: BoardList, input: string, traceIds: readonly string[]): IdTyped | null {
  const text = input.trim().toLowerCase()
  const id = hex32(text)
  if (id !== null) {
    const isTraceLikely = list === 'traces' || list === 'signals'
    return { isWhole: true, links: isTraceLikely ? [traceLink(id), errorLink(id)] : [errorLink(id), traceLink(id)] }
  }
  if (list === 'envelopes' || list === 'deliveries')
    return /^[1-9]\d{0,14}$/.test(text)
      ? { isWhole: true, links: [{ href: `/envelopes/${text}`, text: `envelope ${text}` }] }
      : null
  const whole = BEGINNING.test(text) ? traceIds.find((one) => one.startsWith(text)) : undefined
  return whole === undefined ? null : { isWhole: false, links: [traceLink(whole)] }
}

/** Whether a text is a whole id, which no text search finds. */
export const isWholeId = (text: string | undefined): boolean => hex32(text?.trim().toLowerCase()) !== null

const traceLink = (id: string): IdLink => ({
  href: `/traces/${encodeURIComponent(id)}`,
  text: `trace ${id.slice(0, 8)}`,
})

const errorLink = (id: string): IdLink => ({ href: `/events/${id}`, text: `error ${id.slice(0, 8)}` })

const MOST_TRACES = 1000

/** Collects trace ids, because typing removes rows at once. Returns the same array when nothing is new. */
export function addTraceIds(seen: readonly string[], traceIds: readonly (string | null)[]): readonly string[] {
  const known = new Set(seen)
  const fresh = new Set(traceIds.flatMap((id) => (id === null || known.has(id) ? [] : [id])))
  return fresh.size === 0 ? seen : [...seen, ...fresh].slice(-MOST_TRACES)
}
