import { durationTerms, quoted, rangesOf, remembering, timeTerms, valueTerm } from './term-values'
import type { Status, Wanted } from './wanted'
import { wordsOf } from './words'

/** What a trace or a segment can be asked for, as its row and its records have it. */
export interface Described {
  readonly op: string | null
  readonly name: string
  /** One, but for a trace that went well and in which an error was reported all the same. */
  readonly statuses: readonly Status[]
  readonly environment: string | null
  readonly release: string | null
  readonly services: readonly string[]
  readonly stamps: readonly string[]
  readonly lifecycle?: string
  readonly startUs: number
  readonly durationUs: number
  /** Where words are looked for. */
  readonly texts: readonly string[]
}

/** A letter before each term says of what it is; words have `w`, buckets their scale's. */
const LETTERS = {
  op: 'o',
  name: 'n',
  status: 's',
  environment: 'e',
  release: 'r',
  service: 'v',
  stamp: 'm',
  lifecycle: 'l',
} as const satisfies { readonly [Field in keyof Wanted]?: string }
type Field = keyof typeof LETTERS

/**
 * So long are the beginnings of a word that are terms. A word that is asked for is found by the longest of them that is
 * not longer than itself.
 */
const BEGINNINGS = [1, 2, 3, 5, 8] as const
/** Of a trace with a hundred errors so many words can be found. */
const MOST_WORDS_FOUND = 300

/**
 * What can be found of a thing, as one text of terms: the index cuts it at its spaces. A word of its own has a number in
 * its place, and may share it with another: what is found is compared with its row.
 */
export function termsOf(described: Described): string {
  const { op, name, environment, release, lifecycle } = described
  const terms: string[] = []
  const add = (field: Field, value: string | null | undefined): void => {
    if (value !== null && value !== undefined) terms.push(wordTerm(field, value))
  }
  add('op', op)
  add('name', name)
  add('environment', environment)
  add('release', release)
  add('lifecycle', lifecycle)
  for (const status of described.statuses) add('status', status)
  for (const service of described.services) add('service', service)
  for (const stamp of described.stamps) add('stamp', stamp)
  terms.push(...timeTerms(described.startUs), ...durationTerms(described.durationUs), wordTerms(described.texts))
  return terms.join(' ')
}

/**
 * What finds the things that may be wanted, in the language of the index.
 * @returns `null` where nothing of this is asked for.
 */
export function matchOf(wanted: Wanted): string | null {
  const { text = [] } = wanted
  const fields = (Object.keys(LETTERS) as Field[]).flatMap((field) => {
    const value = wanted[field]
    return value === undefined ? [] : [wordTerm(field, value)]
  })
  const words = text.map(
    (word) =>
      `w${word.slice(
        0,
        BEGINNINGS.findLast((length) => length <= word.length),
      )}`,
  )
  // Ranges last: the others leave them less to compare.
  const asked = [...[...new Set([...fields, ...words])].map(quoted), ...rangesOf(wanted)]
  return asked.length === 0 ? null : asked.join(' AND ')
}

/** Have all words that are asked for been found by as many letters as they have? */
export const isFoundWhole = (words: readonly string[]): boolean =>
  words.every((word) => BEGINNINGS.some((length) => length === word.length))

const wordTerm = (field: Field, value: string): string => LETTERS[field] + valueTerm(value)

const wordsOfName = remembering((name: string) => beginningsOf(wordsOf(name)))

function wordTerms(texts: readonly string[]): string {
  const [first = ''] = texts
  return texts.length === 1 ? wordsOfName(first) : beginningsOf(new Set(texts.flatMap(wordsOf)))
}

function beginningsOf(words: Iterable<string>): string {
  const beginnings = new Set<string>()
  let many = 0
  for (const word of words) {
    many += 1
    if (many > MOST_WORDS_FOUND) break
    for (const length of BEGINNINGS) {
      if (length > word.length) break
      beginnings.add(`w${word.slice(0, length)}`)
    }
  }
  return [...beginnings].join(' ')
}
