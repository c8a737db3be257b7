import { meantBy } from '../../lib/config/nearest'
import { changesAsked, unknownNameWords } from './asked'
import { type BoardList, isFilterName } from './filter-of-list'
import { quoted } from './quotes'

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
  const isKnown = (name: string): boolean => isFilterName(list, name) || own.includes(name)
  return strangeIn(search, isKnown, (name, value) => {
    const { sentence, meant } = unknownNameWords(list, name)
    return { sentence, meant, changes: meant === null ? null : changesAsked(list, meant, value) }
  })
}

/**
 * The same for a page that is no list.
 * @param page as its heading calls it
 * @param known the parameters that it reads
 */
export const strangeParams = (page: string, known: readonly string[], search: string): readonly StrangeName[] =>
  strangeIn(
    search,
    (name) => known.includes(name),
    (name, value) => {
      const meant = meantBy(name, known)
      const all = known.length === 0 ? '.' : `; it can be by ${known.join(', ')}.`
      return {
        sentence: `${page} cannot be narrowed by “${name}”${meant === null ? all : `; did you mean ${meant}?`}`,
        meant,
        changes: meant === null ? null : { [meant]: value },
      }
    },
  )

interface SaidOfName {
  readonly sentence: string
  readonly meant: string | null
  readonly changes: AddressChanges | null
}

function strangeIn(
  search: string,
  isKnown: (name: string) => boolean,
  say: (name: string, value: string) => SaidOfName,
): readonly StrangeName[] {
  const strange = [...new URLSearchParams(search)].filter(([name]) => !isKnown(name) && !TRACKING.test(name))
  return [...new Map(strange)].slice(0, MOST_STRANGE).map(([name, value]) => {
    const { sentence, meant, changes } = say(name.slice(0, 40), value)
    const without = { [name]: null }
    return {
      name,
      sentence,
      meant: changes === null ? null : { typed: `${meant}:${quoted(value)}`, changes: { ...changes, ...without } },
      without,
    }
  })
}
