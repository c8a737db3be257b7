import { nearest } from '../../../lib/config/nearest'
import type { FilterName } from '../../../lib/wire/filter'
import { type BoardList, type FilterChanges, filterNames, isFilterName } from './filter-of-list'
import { thingTyped } from './thing-typed'

/** Something typed that means nothing here, and what may have been meant, ready to be typed instead. */
export interface Mistake {
  /** The part that was not understood, as it was typed. */
  readonly source: string
  readonly sentence: string
  readonly instead: readonly string[]
}

export interface Typed {
  /** What whole `name:value` parts ask for. */
  readonly changes: FilterChanges
  /** What stays in the field: words, and parts that are not whole or were not understood. */
  readonly rest: string
  /** The words to look for. */
  readonly text: string
  readonly mistake: Mistake | null
}

/** Shorter names, for those who type. */
const SHORT: Readonly<Record<string, FilterName>> = { env: 'environment', from: 'since', to: 'until' }

const DURATION = 'duration'

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
 */
export function readTyped(list: BoardList, typed: string, done: boolean): Typed {
  let changes: FilterChanges = {}
  let mistake: Mistake | null = null
  const rest: string[] = []
  const words: string[] = []
  const hasWords = isFilterName(list, 'text')
  const isThing = thingTyped(list, typed) !== null
  for (const part of partsOf(typed, done)) {
    const asked = part.name === null ? null : askedBy(list, part.name, part.value, part.source)
    if (asked === null) {
      if (hasWords) words.push(part.name === null || part.name === 'text' ? part.value : part.source)
      else if (part.whole && !isThing) mistake ??= noWords(list, part.source, part.value)
      rest.push(part.source)
    } else if (!part.whole) rest.push(part.source)
    else if ('sentence' in asked) {
      mistake ??= asked
      rest.push(part.source)
    } else changes = { ...changes, ...asked.changes }
  }
  const text = words.filter((word) => word !== '').join(' ')
  // A space at the end is the beginning of the next word.
  const end = done ? '' : (/\s*$/.exec(typed)?.[0] ?? '')
  return { changes, rest: rest.join(' ') + (rest.length === 0 ? '' : end), text, mistake }
}

/** A value as it is typed: in quotes where it has spaces, or would be read as another thing. */
const quoted = (value: string): string => (/\s|^"|^\/\/|^$/.test(value) ? inQuotes(value) : value)

const inQuotes = (value: string): string => `"${value.replaceAll('"', '""')}"`

/** One part of a filter as it is typed. */
export const typedPart = (name: FilterName, value: string): string => `${name}:${quoted(value)}`

/** Words to look for as they are typed: those that would be read as another thing stand in quotes. */
export const typedText = (list: BoardList, text: string): string =>
  text
    .split(/\s+/)
    .map((word) => (readTyped(list, word, true).text === word ? word : inQuotes(word)))
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

type Asked = { readonly changes: FilterChanges } | Mistake | null

/** What `name:value` asks for; `null` where it is a word to look for. */
function askedBy(list: BoardList, name: string, value: string, source: string): Asked {
  if (name === 'text') return null
  const isDuration = name === DURATION && isFilterName(list, 'min_duration')
  const known = SHORT[name] ?? name
  const isKnown = isDuration || isFilterName(list, known)
  // `error: boom` is what a title looks like.
  if (!isKnown) return value === '' ? null : unknownName(list, name, value, source)
  const changes = isDuration ? durationAsked(value) : { [known]: value }
  if (Object.values(changes).some((one) => one !== '')) return { changes }
  return { source, sentence: `${name}:${value} wants a value behind it.`, instead: [] }
}

/** `>250ms`, `<2s`, `250ms..2s`; alone it is the least. */
function durationAsked(value: string): FilterChanges {
  const [, from, to] = /^(.*?)\.\.(.*)$/.exec(value) ?? []
  if (to !== undefined) return { ...(from && { min_duration: from }), ...(to && { max_duration: to }) }
  const bound = value.replace(/^[<>]=?/, '')
  return value.startsWith('<') ? { max_duration: bound } : { min_duration: bound }
}

const noWords = (list: BoardList, source: string, word: string): Mistake => ({
  source,
  sentence: `${named(list)} have no words to look for: say what “${word}” is.`,
  instead: filterNames(list)
    .filter((name) => name === 'type' || name === 'sdk')
    .map((name) => typedPart(name, word)),
})

function unknownName(list: BoardList, name: string, value: string, source: string): Mistake {
  const names: readonly string[] = [
    ...filterNames(list),
    ...Object.keys(SHORT),
    ...(isFilterName(list, 'min_duration') ? [DURATION] : []),
  ]
  const close = nearest(name, names)
  return {
    source,
    sentence: `${named(list)} cannot be narrowed by “${name}”; did you mean ${close}? In quotes it is a word to look for.`,
    instead: [`${close}:${quoted(value)}`, ...(isFilterName(list, 'text') ? [inQuotes(`${name}:${value}`)] : [])],
  }
}

const NAMED: Readonly<Record<BoardList, string>> = {
  traces: 'Traces',
  events: 'Errors',
  signals: 'Signals',
  envelopes: 'Envelopes',
}

const named = (list: BoardList): string => NAMED[list]
