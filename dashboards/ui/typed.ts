import { askedBy, type Mistake, noWords } from './asked'
import { type BoardList, type FilterChanges, isFilterName } from './filter-of-list'
import { inQuotes } from './quotes'
import { thingTyped } from './thing-typed'

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
