import { hex32 } from '../../../lib/protocol/ids'
import type { BoardList } from './filter-of-list'

export interface ThingTyped {
  /** `an id`, or how a shown one begins. */
  readonly is: string
  readonly href: string
  readonly words: string
}

/** As many digits as lists show of a trace's id, or most of them. */
const BEGINNING = /^[0-9a-f]{6,31}$/

/**
 * Where an id leads that was typed alone above a list; `null` where it is none of that list's.
 * @param traceIds of the rows that were shown: the beginning of one, as lists show it, leads to it too.
 */
export function thingTyped(list: BoardList, typed: string, traceIds: readonly string[]): ThingTyped | null {
  const id = typed.trim().toLowerCase()
  if (list === 'envelopes' || list === 'deliveries')
    return /^[1-9]\d{0,14}$/.test(id) ? { is: 'an id', href: `/envelopes/${id}`, words: `envelope ${id}` } : null
  if (hex32(id) === null) {
    const whole = BEGINNING.test(id) ? traceIds.find((one) => one.startsWith(id)) : undefined
    return whole === undefined ? null : { is: 'how an id begins', ...trace(whole) }
  }
  if (list === 'events') return { is: 'an id', href: `/events/${id}`, words: `error ${id.slice(0, 8)}` }
  return { is: 'an id', ...trace(id) }
}

const trace = (id: string) => ({ href: `/traces/${encodeURIComponent(id)}`, words: `trace ${id.slice(0, 8)}` })
