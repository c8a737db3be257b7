import { similarName } from '../../lib/config/nearest'
import type { FilterName } from '../../lib/wire/filter'
import { type BoardList, type FilterChanges, filterNames, isFilterName } from './filter-address'
import { aliases, canonicalName, lacksUnit, partChanges, partsWithValue, withZone } from './filter-values'
import { idTyped } from './typed-id'

/** Text typed above a list, for example `op:pageload duration:>250ms "GET /api" text`. */
interface ParsedInput {
  /** The filter changes of all complete `name:value` parts. */
  readonly changes: FilterChanges
  readonly parts: readonly ParsedPart[]
  /** The text that stays in the field: search words, and parts that are incomplete or invalid. */
  readonly rest: string
  readonly text: string
  readonly mistake: Mistake | null
}

export interface ParsedPart {
  readonly source: string
  readonly changes: FilterChanges
}

export interface Mistake {
  readonly source: string
  readonly message: string
  /** Corrections, ready to be typed instead. */
  readonly suggestions: readonly string[]
}

/** Parses a filter field. `done`: typing ended, so the last part is complete. `nowMs`: reference for times of day. */
export function parseInput(list: BoardList, input: string, done: boolean, nowMs: number): ParsedInput {
  const parts: ParsedPart[] = []
  let mistake: Mistake | null = null
  const rest: string[] = []
  const words: string[] = []
  const hasText = isFilterName(list, 'text')
  const isId = idTyped(list, input, []) !== null
  for (const token of tokens(input, done)) {
    const parsed = token.name === null ? null : parsePart(list, { ...token, name: token.name }, nowMs)
    if (parsed === null) {
      if (hasText) words.push(token.name === null || token.name === 'text' ? token.value : token.source)
      else if (token.complete && !isId) mistake ??= noTextSearch(list, token.source, token.value)
      rest.push(token.source)
    } else if (!token.complete) rest.push(token.source)
    else if ('message' in parsed) {
      mistake ??= parsed
      rest.push(token.source)
    } else parts.push({ source: token.source, changes: parsed.changes })
  }
  const text = words.filter((word) => word !== '').join(' ')
  // A trailing space starts the next word, so it stays in the field.
  const end = done ? '' : (/\s*$/.exec(input)?.[0] ?? '')
  const changes = Object.assign({}, ...parts.map((part) => part.changes)) as FilterChanges
  return { changes, parts, rest: rest.join(' ') + (rest.length === 0 ? '' : end), text, mistake }
}

interface Token {
  readonly source: string
  readonly name: string | null
  readonly value: string
  /** Further typing cannot become part of it. */
  readonly complete: boolean
}

/** An optional `name:`, then a value in quotes or up to the next space. Two quotes inside quotes are one. */
const TOKEN = /(?:([a-z_]+):)?(?:"((?:[^"]|"")*)(?:"|$)|(\S*))(\s*)/gy

function tokens(input: string, done: boolean): readonly Token[] {
  const found: Token[] = []
  for (const match of input.trimStart().matchAll(TOKEN)) {
    const [all, name = null, quotedValue, bare = '', space = ''] = match
    if (all === '') continue
    const value = quotedValue?.replaceAll('""', '"') ?? bare
    // `https://…` is a URL, not a filter named https.
    const isName = name !== null && !bare.startsWith('//')
    found.push({
      source: all.slice(0, all.length - space.length),
      name: isName ? name : null,
      value: isName || name === null ? value : `${name}:${value}`,
      complete: done || space !== '',
    })
  }
  return found
}

interface NamedPart {
  readonly source: string
  readonly name: string
  readonly value: string
}

/** The changes of `name:value`; `null` when it is text to search for. */
function parsePart(
  list: BoardList,
  part: NamedPart,
  nowMs: number,
): { readonly changes: FilterChanges } | Mistake | null {
  const { source, name, value } = part
  if (name === 'text') return null
  const known = canonicalName(list, name)
  const isTime = known === 'since' || known === 'until'
  const changes = partChanges(list, name, isTime ? withZone(value, nowMs) : value)
  // Titles such as `error: boom` contain a colon too.
  if (changes === null) return value === '' ? null : unknownName(list, part)
  if (isTime && lacksUnit(value))
    return { source, message: `${source} needs a unit: s, m, h or d.`, suggestions: [`${name}:${value}m`] }
  if (Object.values(changes).some((one) => one !== '')) return { changes }
  return { source, message: `${source} needs a value.`, suggestions: [] }
}

function unknownName(list: BoardList, { source, name, value }: NamedPart): Mistake {
  const hasText = isFilterName(list, 'text')
  const { message, nearest } = unknownNameText(list, name)
  return {
    source,
    message: `${message}${hasText ? ' Quote it to search for it as text.' : ''}`,
    suggestions: [
      ...(nearest === null ? [] : [`${nearest}:${quote(value)}`]),
      ...(hasText ? [inQuotes(`${name}:${value}`)] : []),
    ],
  }
}

/** The message for a name that the list does not support, and the nearest supported name. */
export function unknownNameText(
  list: BoardList,
  name: string,
): { readonly message: string; readonly nearest: string | null } {
  const own = filterNames(list)
  const nearest = similarName(name, [...own, ...aliases(list)])
  // `duration` stands for both bounds.
  const supported = [...new Set(own.map((one) => one.replace(/^(?:min|max)_/, '')))]
  const hint = nearest === null ? `supported: ${supported.join(', ')}.` : `did you mean ${nearest}?`
  return { message: `${LIST_NAMES[list]} cannot be filtered by “${name}”; ${hint}`, nearest }
}

/** A bare word above a list without text search. */
function noTextSearch(list: BoardList, source: string, word: string): Mistake {
  const named = partsWithValue(list, word)
  const offered = list === 'deliveries' ? (['status', 'upstream'] as const) : (['type', 'sdk'] as const)
  const parts = named.length > 0 ? named : offered.map((name) => [name, word] as const)
  return {
    source,
    message: `${LIST_NAMES[list]} have no text search. Choose what “${word}” is:`,
    suggestions: parts.map(([name, value]) => formatPart(name, value)),
  }
}

const LIST_NAMES: Readonly<Record<BoardList, string>> = {
  traces: 'Traces',
  events: 'Errors',
  errors: 'Error groups',
  signals: 'Signals',
  envelopes: 'Envelopes',
  deliveries: 'Attempts',
}

export const formatPart = (name: FilterName, value: string): string => `${name}:${quote(value)}`

/** Search words as they are typed: words that would parse as something else are quoted. */
export const quoteText = (list: BoardList, text: string): string =>
  text
    .split(/\s+/)
    .map((word) => (parseInput(list, word, true, 0).text === word ? word : inQuotes(word)))
    .join(' ')

/** A value as it is typed: in quotes when it has spaces or would parse as something else. */
export const quote = (value: string): string => (/\s|^"|^\/\/|^$/.test(value) ? inQuotes(value) : value)

const inQuotes = (value: string): string => `"${value.replaceAll('"', '""')}"`
