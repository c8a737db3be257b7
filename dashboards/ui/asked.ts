import { meantBy } from '../../lib/config/nearest'
import type { FilterName } from '../../lib/wire/filter'
import { type BoardList, type FilterChanges, filterNames, isFilterName } from './filter-of-list'
import { nameMeant, otherNames, partsNamedBy, valueMeant } from './other-words'
import { inQuotes, quoted, typedName, typedPart } from './quotes'
import { wantsUnit, zonedTime } from './time-typed'

/** Something typed that means nothing here, and what may have been meant, ready to be typed instead. */
export interface Mistake {
  /** The part that was not understood, as it was typed. */
  readonly source: string
  readonly sentence: string
  readonly instead: readonly string[]
}

export interface NamedPart {
  readonly source: string
  readonly name: string
  readonly value: string
}

type Asked = { readonly changes: FilterChanges } | Mistake | null

const DURATION = 'duration'

const hasDuration = (list: BoardList): boolean => isFilterName(list, 'min_duration')

/** What `name:value` asks for; `null` where it is a word to look for. */
export function askedBy(list: BoardList, { source, name, value }: NamedPart, nowMs: number): Asked {
  if (name === 'text') return null
  const known = nameMeant(list, name)
  const changes = changesAsked(list, name, isTime(known) ? zonedTime(value, nowMs) : value)
  // `error: boom` is what a title looks like.
  if (changes === null) return value === '' ? null : unknownName(list, { source, name, value })
  if (isTime(known) && wantsUnit(value)) return withoutUnit({ source, name, value })
  if (Object.values(changes).some((one) => one !== '')) return { changes }
  return { source, sentence: `${name}:${value} wants a value behind it.`, instead: [] }
}

const isTime = (name: FilterName | null): boolean => name === 'since' || name === 'until'

/** What a list is asked for by a name, its own or another for the same; `null` where it has neither. */
export function changesAsked(list: BoardList, name: string, value: string): FilterChanges | null {
  if (name === DURATION && hasDuration(list)) return durationAsked(value)
  const known = nameMeant(list, name)
  return known === null ? null : { [known]: valueMeant(list, known, value) }
}

/** `>250ms`, `<2s`, `250ms..2s`; alone it is the least. */
function durationAsked(value: string): FilterChanges {
  const [, from, to] = /^(.*?)\.\.(.*)$/.exec(value) ?? []
  if (to !== undefined) return { ...(from && { min_duration: from }), ...(to && { max_duration: to }) }
  const bound = value.replace(/^[<>]=?/, '')
  return value.startsWith('<') ? { max_duration: bound } : { min_duration: bound }
}

/** A word above a list that has no words. */
export const noWords = (list: BoardList, source: string, word: string): Mistake => {
  const named = partsNamedBy(list, word)
  const offered = list === 'deliveries' ? (['status', 'upstream'] as const) : (['type', 'sdk'] as const)
  const parts = named.length > 0 ? named : offered.map((name) => [name, word] as const)
  return {
    source,
    sentence: `${listName(list)} have no words to look for: say what “${word}” is.`,
    instead: parts.map(([name, value]) => typedPart(name, value)),
  }
}

const withoutUnit = ({ source, name, value }: NamedPart): Mistake => ({
  source,
  sentence: `${source} wants a unit: s, m, h or d.`,
  instead: [`${name}:${value}m`],
})

function unknownName(list: BoardList, { source, name, value }: NamedPart): Mistake {
  const hasWords = isFilterName(list, 'text')
  const { sentence, meant } = unknownNameWords(list, name)
  return {
    source,
    sentence: `${sentence}${hasWords ? ' In quotes it is a word to look for.' : ''}`,
    instead: [
      ...(meant === null ? [] : [`${meant}:${quoted(value)}`]),
      ...(hasWords ? [inQuotes(`${name}:${value}`)] : []),
    ],
  }
}

/** What to say of a name that a list does not have. */
export function unknownNameWords(
  list: BoardList,
  name: string,
): { readonly sentence: string; readonly meant: string | null } {
  const own = filterNames(list)
  const meant = meantBy(name, [...own, ...otherNames(list), ...(hasDuration(list) ? [DURATION] : [])])
  // One name stands for both ends of it.
  const listed = [...new Set(own.map((one) => typedName(one).replace(/^(?:min|max)_/, '')))]
  const hint = meant === null ? `it can be by ${listed.join(', ')}.` : `did you mean ${meant}?`
  return { sentence: `${listName(list)} cannot be narrowed by “${name}”; ${hint}`, meant }
}

const LIST_NAMES: Readonly<Record<BoardList, string>> = {
  traces: 'Traces',
  events: 'Errors',
  signals: 'Signals',
  envelopes: 'Envelopes',
  deliveries: 'Attempts',
}

const listName = (list: BoardList): string => LIST_NAMES[list]
