import type { FilterName } from '../../../lib/wire/filter'
import { type BoardList, type FilterChanges, isFilterName } from './filter-of-list'
import { typedPart } from './quotes'

export interface WrongFilter {
  readonly sentence: string
  /** The parts that it speaks of, where it names some of the list's. */
  readonly names: readonly FilterName[]
  /** What may have been meant, as it would be typed. */
  readonly instead: { readonly typed: string; readonly changes: FilterChanges } | null
}

/** Where two parts contradict each other both are named. */
const BOTH: readonly RegExp[] = [/^(min_duration)=\S* and (max_duration)=/, /^(since) is \S+ and (until) /]
const ONE = /^([a-z_]+)=/
const MEANT: readonly RegExp[] = [/did you mean (\S+)\?$/, /: meant is (\S+), or a word that is less like it$/]

/** What the collector says of a filter: `status=eror: meant is one of ok, error, unset; did you mean error?` */
export function readWrong(list: BoardList, sentence: string): WrongFilter {
  const [, ...named] = firstOf([...BOTH, ONE], sentence)
  const names = named.filter((name) => isFilterName(list, name))
  const [, value] = firstOf(MEANT, sentence)
  const [name, other] = names
  const isMeant = name !== undefined && other === undefined && value !== undefined
  return { sentence, names, instead: isMeant ? { typed: typedPart(name, value), changes: { [name]: value } } : null }
}

function firstOf(patterns: readonly RegExp[], text: string): readonly string[] {
  for (const pattern of patterns) {
    const found = pattern.exec(text)
    if (found !== null) return found
  }
  return []
}
