import type { Database } from 'better-sqlite3'
import { SIGNAL_KINDS, type SignalKind } from '../../lib/protocol/items/signal'
import { levelOf } from '../../lib/protocol/json'
import { tokensOf } from '../../lib/protocol/search-tokens'
import type { ListFilter } from './list-filter'
import { quoted, rangesOf, TermIndex, timeTerms, valueTerm } from './terms-index'
import type { Staged } from './write-staged'

/** Of what a term tells: what is looked for in one list finds nothing of another. */
export type TermKind = 'event' | SignalKind

/** What an event or a signal can be found by. */
export interface Findable {
  readonly level: string | null
  readonly handled?: boolean | null
  readonly environment: string | null
  readonly release: string | null
  readonly service: string | null
  readonly timestampUs: number
  /** Where words are looked for; its name among them. */
  readonly texts: readonly (string | null)[]
}

/** A record that tells of thousands of things has so many terms: what it tells of beyond is looked at whatever is asked. */
export const MAX_TERMS = 100_000
/** Nobody asks for a longer one (`routes/filter-values.ts`). */
const MAX_TERM_LENGTH = 80
/** What begins with one letter is nearly everything. */
const MIN_PREFIX_LENGTH = 2
/** The longest words rule out the most; what they find is compared with all. */
const MAX_TOKENS_MATCHED = 3

/** Each term begins with a letter for what it tells of, and one for what it says. */
const OF = new Map<TermKind, string>(
  (['event', ...SIGNAL_KINDS] as const).map((of, index) => [of, String.fromCharCode('a'.charCodeAt(0) + index)]),
)
const LETTERS = { level: 'l', handled: 'h', environment: 'e', release: 'r', service: 'v' } as const
const FIELDS = Object.keys(LETTERS) as readonly (keyof typeof LETTERS)[]
const TOKEN = 'w'
const STAMP = 'zs'
/** Some of these in the record have no terms of their own. */
const OVERFLOW_TERM = 'z'

const fieldTerm = (letter: string, value: string | boolean | null): string =>
  letter + (value === null ? '' : valueTerm(String(value)))

const termOf = (field: keyof typeof LETTERS, value: string | boolean | null): string =>
  fieldTerm(LETTERS[field], field === 'level' && typeof value === 'string' ? levelOf(value) : value)

/**
 * By what the events and signals of a record can be found: one entry per record, under its number, whatever of it is
 * shown. So what is written depends on the record alone, and goes with it; a container of a thousand logs that say much
 * the same is one short entry. FTS5 writes out what it holds at every savepoint, and each envelope has one: entries are
 * written at the end of a batch, in its transaction.
 */
export class RecordTerms implements Staged {
  readonly #index: TermIndex
  /** Of the envelope at hand. */
  readonly #terms = new Set<string>()
  #staged: { readonly seq: number; readonly terms: string } | null = null
  readonly #batch = new Map<number, string>()

  constructor(db: Database) {
    this.#index = new TermIndex(db, 'record_terms')
  }

  /** The envelope at hand tells of this. */
  add(of: TermKind, { texts, timestampUs, ...found }: Findable): void {
    const letter = OF.get(of) ?? ''
    for (const field of FIELDS) {
      const value = found[field]
      // What an event does not say of `handled` can be asked for.
      if (field === 'handled' ? value !== undefined : value !== null) this.#term(letter, termOf(field, value ?? null))
    }
    for (const term of timeTerms(timestampUs)) this.#term(letter, term)
    for (const text of texts)
      if (text !== null) for (const token of tokensOf(text)) this.#term(letter, TOKEN + token.slice(0, MAX_TERM_LENGTH))
  }

  #term(letter: string, term: string): void {
    this.#terms.add(letter + (this.#terms.size < MAX_TERMS ? term : OVERFLOW_TERM))
  }

  /** Where the walk over the envelope at hand ends. */
  endEnvelope(seq: number, stamp: string | null): void {
    if (this.#terms.size === 0) return
    if (stamp !== null) this.#terms.add(fieldTerm(STAMP, stamp))
    this.#staged = { seq, terms: [...this.#terms].join(' ') }
    this.#terms.clear()
  }

  commitEnvelope(): void {
    if (this.#staged !== null) this.#batch.set(this.#staged.seq, this.#staged.terms)
    this.rollbackEnvelope()
  }

  rollbackEnvelope(): void {
    this.#terms.clear()
    this.#staged = null
  }

  rollbackBatch(): void {
    this.rollbackEnvelope()
    this.#batch.clear()
  }

  finish(): void {
    for (const [seq, terms] of this.#batch) this.#index.write(seq, terms)
    this.#batch.clear()
  }

  remove(seq: number): void {
    this.#index.remove(seq)
  }
}

/**
 * What finds the records that tell of what is wanted, and some others.
 * @returns `null` where nothing is asked for that is a term.
 */
export function recordMatchExpression(of: TermKind, filter: ListFilter): string | null {
  const letter = OF.get(of) ?? ''
  const { name, text = [], stamp } = filter
  const stamped = stamp === undefined ? [] : [quoted(fieldTerm(STAMP, stamp))]
  const asked: string[] = []
  for (const field of FIELDS) {
    const value = filter[field]
    if (value !== undefined) asked.push(quoted(letter + termOf(field, value)))
  }
  // A name is compared whole: its words are, too.
  if (name !== undefined) asked.push(...longest(tokensOf(name)).map((token) => quoted(letter + TOKEN + token)))
  const prefixes = longest(text.filter((token) => token.length >= MIN_PREFIX_LENGTH))
  asked.push(...prefixes.map((token) => `${quoted(letter + TOKEN + token)}*`))
  // Ranges last: the others leave them less to compare.
  asked.push(...rangesOf(filter, letter))
  if (asked.length === 0) return stamped[0] ?? null
  return [...stamped, `((${asked.join(' AND ')}) OR ${quoted(letter + OVERFLOW_TERM)})`].join(' AND ')
}

const longest = (tokens: readonly string[]): readonly string[] =>
  [...tokens]
    .map((token) => token.slice(0, MAX_TERM_LENGTH))
    .sort((one, other) => other.length - one.length)
    .slice(0, MAX_TOKENS_MATCHED)
