import { changesAsked, unknownNameWords } from '../arrange/asked'
import { type BoardList, isFilterName } from '../arrange/filter-of-list'
import { quoted } from '../arrange/quotes'

export type AddressChanges = Readonly<Record<string, string | null>>

/** A name in an address that the list cannot be narrowed by: it would show everything, and say nothing of it. */
export interface StrangeName {
  readonly name: string
  readonly sentence: string
  /** What may have been meant, as it would be typed, and how the address says it. */
  readonly meant: { readonly typed: string; readonly changes: AddressChanges } | null
  /** Takes it out of the address. */
  readonly without: AddressChanges
}

const MOST_STRANGE = 3
/** They say by which way somebody came, and mean nothing to a page. */
const TRACKING = /^utm(_|$)/

/** @param own what the page itself reads from its address beside a filter. */
export function strangeNames(list: BoardList, search: string, own: readonly string[]): readonly StrangeName[] {
  const strange = [...new URLSearchParams(search)].filter(
    ([name]) => !isFilterName(list, name) && !own.includes(name) && !TRACKING.test(name),
  )
  return [...new Map(strange)].slice(0, MOST_STRANGE).map(([name, value]) => {
    const { sentence, meant } = unknownNameWords(list, name.slice(0, 40))
    const changes = meant === null ? null : changesAsked(list, meant, value)
    const without = { [name]: null }
    return {
      name,
      sentence,
      meant: changes === null ? null : { typed: `${meant}:${quoted(value)}`, changes: { ...changes, ...without } },
      without,
    }
  })
}
