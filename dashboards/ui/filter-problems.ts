import { meantBy } from '../../lib/config/nearest'
import type { FilterName } from '../../lib/wire/filter'
import { type BoardList, type FilterChanges, isFilterName, quoted, typedName, typedPart } from './filter-address'
import { changesAsked, unknownNameWords } from './filter-parser'
import { ledgerHref } from './links'

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

export interface WrongFilter {
  readonly sentence: string
  /** The parts that it speaks of, where it names some of the list's. */
  readonly names: readonly FilterName[]
  /** What may have been meant, as it would be typed. */
  readonly instead: { readonly typed: string; readonly changes: FilterChanges } | null
  /** Where what was asked for is listed, when that is elsewhere. */
  readonly elsewhere: { readonly href: string; readonly words: string } | null
}

/** Where two parts contradict each other both are named. */
const BOTH: readonly RegExp[] = [/^(min_duration)=\S* and (max_duration)=/, /^(since) is \S+ and (until) /]
const ONE = /^([a-zA-Z_]+)=/
/** They are pending, and no one looks for them under that name. */
const DEAD_LETTERS = /^deliveryStatus=dead[ _-]?letters?:/i
const MEANT: readonly RegExp[] = [/did you mean (\S+)\?$/, /: meant is (\S+), or a word that is less like it$/]

/** What the collector says of a filter: `status=eror: meant is one of ok, error, unset; did you mean error?` */
export function readWrong(list: BoardList, sentence: string): WrongFilter {
  if (DEAD_LETTERS.test(sentence) && isFilterName(list, 'deliveryStatus'))
    return {
      sentence: 'Dead letters are pending, and have a list of their own.',
      names: ['deliveryStatus'],
      instead: null,
      elsewhere: { href: ledgerHref('dead-letters'), words: 'Open the dead letters' },
    }
  const [, ...named] = firstOf([...BOTH, ONE], sentence)
  const names = named.filter((name) => isFilterName(list, name))
  const [, value] = firstOf(MEANT, sentence)
  const [name, other] = names
  const isMeant = name !== undefined && other === undefined && value !== undefined
  return {
    sentence: names.reduce((said, one) => inWordsOfColumn(said, one), sentence),
    names,
    instead: isMeant ? { typed: typedPart(name, value), changes: { [name]: value } } : null,
    elsewhere: null,
  }
}

function inWordsOfColumn(sentence: string, name: FilterName): string {
  const called = typedName(name)
  return called === name ? sentence : sentence.replace(`${name}=`, `${called}:`)
}

function firstOf(patterns: readonly RegExp[], text: string): readonly string[] {
  for (const pattern of patterns) {
    const found = pattern.exec(text)
    if (found !== null) return found
  }
  return []
}
