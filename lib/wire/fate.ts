import * as z from 'zod'
import { FATES } from '../protocol/outcome'

/** What became of an item or envelope, and why: shown as glyph and word at the end of each row. */
export const fateSchema = z.object({
  name: z.enum(FATES),
  /** e.g. `upstream_413`, `no_upstream`, `lab`; of what is pending `dead_letter`; `null` where the name says it all. */
  reason: z.string().nullable(),
})
export type Fate = z.infer<typeof fateSchema>

/** An envelope's or a trace's fate from its parts: what is not settled or went wrong is named first. */
export function worstFate(fates: readonly Fate[]): Fate {
  const order: readonly Fate['name'][] = [
    'invalid',
    'expired',
    'dropped',
    'overflow',
    'rate_limited',
    'pending',
    'filtered',
    'accepted',
    'kept',
    'copy',
  ]
  for (const name of order) {
    const alike = fates.filter((fate) => fate.name === name)
    // Of several the one that says why says more.
    const found = alike.find((fate) => fate.reason !== null) ?? alike[0]
    if (found !== undefined) return found
  }
  return { name: 'pending', reason: null }
}
