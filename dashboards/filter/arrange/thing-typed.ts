import { hex32 } from '../../../lib/protocol/ids'
import type { BoardList } from './filter-of-list'

/** Where an id leads that was typed alone above a list; `null` where it is none of that list's. */
export function thingTyped(list: BoardList, typed: string): { readonly href: string; readonly words: string } | null {
  const id = typed.trim()
  if (list === 'envelopes')
    return /^[1-9]\d{0,14}$/.test(id) ? { href: `/envelopes/${id}`, words: `envelope ${id}` } : null
  if (hex32(id) === null) return null
  if (list === 'events') return { href: `/events/${id}`, words: `error ${id.slice(0, 8)}` }
  return { href: `/traces/${id}`, words: `trace ${id.slice(0, 8)}` }
}
