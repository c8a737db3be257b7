import type { FilterName } from '../../lib/wire/filter'
import { ledgerHref } from '../deliveries/deliveries-address'
import { type BoardList, type FilterChanges, isFilterName } from './filter-of-list'
import { typedName, typedPart } from './quotes'

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
