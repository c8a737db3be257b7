import { hex32 } from '../../lib/protocol/json'
import type { BoardList } from './filter-address'

/** What was typed is an id, or how a shown one begins, and where it leads. */
export interface ThingTyped {
  /** `an id`, or how a shown one begins. */
  readonly is: string
  /** An id does not say of what it is one: the likeliest first. */
  readonly leads: readonly Lead[]
}

interface Lead {
  readonly href: string
  readonly words: string
}

/** As many digits as lists show of a trace's id, or most of them. */
const BEGINNING = /^[0-9a-f]{6,31}$/

/**
 * Where an id leads that was typed alone above a list; `null` where it is none.
 * @param traceIds of the rows that were shown: the beginning of one, as lists show it, leads to it too.
 */
export function thingTyped(list: BoardList, typed: string, traceIds: readonly string[]): ThingTyped | null {
  const said = typed.trim().toLowerCase()
  const id = hex32(said)
  if (id !== null) {
    const isOfTraces = list === 'traces' || list === 'signals'
    return { is: 'an id', leads: isOfTraces ? [trace(id), error(id)] : [error(id), trace(id)] }
  }
  if (list === 'envelopes' || list === 'deliveries')
    return /^[1-9]\d{0,14}$/.test(said)
      ? { is: 'an id', leads: [{ href: `/envelopes/${said}`, words: `envelope ${said}` }] }
      : null
  const whole = BEGINNING.test(said) ? traceIds.find((one) => one.startsWith(said)) : undefined
  return whole === undefined ? null : { is: 'how an id begins', leads: [trace(whole)] }
}

/** Is it a whole id? Nothing is called by one, so that no list has it among its words. */
export const isWholeId = (text: string | undefined): boolean => hex32(text?.trim().toLowerCase()) !== null

const trace = (id: string): Lead => ({
  href: `/traces/${encodeURIComponent(id)}`,
  words: `trace ${id.slice(0, 8)}`,
})

const error = (id: string): Lead => ({ href: `/events/${id}`, words: `error ${id.slice(0, 8)}` })

/** What scrolled by longer ago nobody types from memory. */
const MOST_TRACES = 1000

/**
 * With these: what is typed narrows a list at once, and the row that an id was read from is gone before it is whole.
 * The same array where nothing is new.
 */
export function addTraces(seen: readonly string[], traceIds: readonly (string | null)[]): readonly string[] {
  const known = new Set(seen)
  const fresh = new Set(traceIds.flatMap((id) => (id === null || known.has(id) ? [] : [id])))
  return fresh.size === 0 ? seen : [...seen, ...fresh].slice(-MOST_TRACES)
}
