import { meantBy } from '../../lib/config/nearest'
import type { FilterName } from '../../lib/wire/filter'
import {
  type BoardList,
  type FilterChanges,
  filterNames,
  inQuotes,
  isFilterName,
  quoted,
  typedName,
  typedPart,
} from './filter-address'
import { nameMeant, otherNames, partsNamedBy, valueMeant, wantsUnit, zonedTime } from './filter-values'
import { thingTyped } from './typed-id'

/** A whole part, as it was typed and as it was understood. */
export interface Picked {
  readonly source: string
  readonly changes: FilterChanges
}

export interface Typed {
  /** What whole `name:value` parts ask for. */
  readonly changes: FilterChanges
  /** These parts, one by one. */
  readonly picked: readonly Picked[]
  /** What stays in the field: words, and parts that are not whole or were not understood. */
  readonly rest: string
  /** The words to look for. */
  readonly text: string
  readonly mistake: Mistake | null
}

/** An optional `name:`, and then a value in quotes, or up to the next space. Two quotes in quotes are one. */
const PART = /(?:([a-z_]+):)?(?:"((?:[^"]|"")*)(?:"|$)|(\S*))(\s*)/gy

interface Part {
  readonly source: string
  readonly name: string | null
  readonly value: string
  /** Nothing that is typed on can become part of it. */
  readonly whole: boolean
}

/**
 * What was typed above a list: `op:pageload status:error duration:>250ms "GET /api" words`.
 * @param done nothing more is being typed: the last part is whole.
 * @param nowMs times of the day are the last such before it.
 */
export function readTyped(list: BoardList, typed: string, done: boolean, nowMs: number): Typed {
  const picked: Picked[] = []
  let mistake: Mistake | null = null
  const rest: string[] = []
  const words: string[] = []
  const hasWords = isFilterName(list, 'text')
  const isThing = thingTyped(list, typed, []) !== null
  for (const part of partsOf(typed, done)) {
    const asked = part.name === null ? null : askedBy(list, { ...part, name: part.name }, nowMs)
    if (asked === null) {
      if (hasWords) words.push(part.name === null || part.name === 'text' ? part.value : part.source)
      else if (part.whole && !isThing) mistake ??= noWords(list, part.source, part.value)
      rest.push(part.source)
    } else if (!part.whole) rest.push(part.source)
    else if ('sentence' in asked) {
      mistake ??= asked
      rest.push(part.source)
    } else picked.push({ source: part.source, changes: asked.changes })
  }
  const text = words.filter((word) => word !== '').join(' ')
  // A space at the end is the beginning of the next word.
  const end = done ? '' : (/\s*$/.exec(typed)?.[0] ?? '')
  const changes = Object.assign({}, ...picked.map((part) => part.changes)) as FilterChanges
  return { changes, picked, rest: rest.join(' ') + (rest.length === 0 ? '' : end), text, mistake }
}

/** Words to look for as they are typed: those that would be read as another thing stand in quotes. */
export const typedText = (list: BoardList, text: string): string =>
  text
    .split(/\s+/)
    .map((word) => (readTyped(list, word, true, 0).text === word ? word : inQuotes(word)))
    .join(' ')

function partsOf(typed: string, done: boolean): readonly Part[] {
  const parts: Part[] = []
  const text = typed.trimStart()
  for (const found of text.matchAll(PART)) {
    const [all, name = null, between, bare = '', space = ''] = found
    if (all === '') continue
    const value = between?.replaceAll('""', '"') ?? bare
    // `https://…` is an address, and no filter by a scheme.
    const isName = name !== null && !bare.startsWith('//')
    parts.push({
      source: all.slice(0, all.length - space.length),
      name: isName ? name : null,
      value: isName || name === null ? value : `${name}:${value}`,
      whole: done || space !== '',
    })
  }
  return parts
}

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
function askedBy(list: BoardList, { source, name, value }: NamedPart, nowMs: number): Asked {
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
const noWords = (list: BoardList, source: string, word: string): Mistake => {
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
