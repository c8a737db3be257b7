import type { Database } from 'better-sqlite3'
import { SIGNAL_KINDS, type SignalKind } from '../../../lib/protocol/items/signal'
import { levelOf } from '../../../lib/protocol/level'
import { tokensOf } from '../../../lib/protocol/search-tokens'
import type { ListFilter } from '../../../lib/wire/list-filter'
import { quoted, rangeExpressions, TermIndex, timeTerms, valueTerm } from './terms-index'
import type { Staged } from './write-staged'

/** The list that a term belongs to: a search in one list finds nothing of another. */
export type TermKind = 'event' | SignalKind

interface Searchable {
  readonly level: string | null
  readonly handled?: boolean | null
  readonly environment: string | null
  readonly release: string | null
  readonly service: string | null
  readonly timestampUs: number
  readonly texts: readonly (string | null)[]
}

/** Terms per record. Entries beyond them get `OVERFLOW_TERM`, which every query matches. */
export const MAX_TERMS = 100_000
/** Queries have no longer tokens (`collector/api/query-filters.ts`). */
const MAX_TERM_LENGTH = 80
/** A prefix of one letter matches nearly everything. */
const MIN_PREFIX_LENGTH = 2
/** The longest tokens exclude the most rows; matches are compared with all tokens. */
const MAX_TOKENS_MATCHED = 3

/** The first letter of a term names its list, the second one its field. */
const LIST_LETTERS = new Map<TermKind, string>(
  (['event', ...SIGNAL_KINDS] as const).map((kind, index) => [kind, String.fromCharCode('a'.charCodeAt(0) + index)]),
)
const LETTERS = { level: 'l', handled: 'h', environment: 'e', release: 'r', service: 'v' } as const
const FIELDS = Object.keys(LETTERS) as readonly (keyof typeof LETTERS)[]
const TOKEN = 'w'
const STAMP = 'zs'
const OVERFLOW_TERM = 'z'

const fieldTerm = (letter: string, value: string | boolean | null): string =>
  letter + (value === null ? '' : valueTerm(String(value)))

const termOf = (field: keyof typeof LETTERS, value: string | boolean | null): string =>
  fieldTerm(LETTERS[field], field === 'level' && typeof value === 'string' ? levelOf(value) : value)

/** Keeps the terms of a record in one entry, visible or not: erased with the record, and short for a thousand logs. */
export class RecordTerms implements Staged {
  readonly #index: TermIndex
  readonly #terms = new Set<string>()
  #staged: { readonly seq: number; readonly terms: string } | null = null
  readonly #batch = new Map<number, string>()

  constructor(db: Database) {
    this.#index = new TermIndex(db, 'record_terms')
  }

  add(kind: TermKind, { texts, timestampUs, ...found }: Searchable): void {
    const letter = LIST_LETTERS.get(kind) ?? ''
    for (const field of FIELDS) {
      const value = found[field]
      // `handled: null` is searchable.
      if (field === 'handled' ? value !== undefined : value !== null) this.#term(letter, termOf(field, value ?? null))
    }
    for (const term of timeTerms(timestampUs)) this.#term(letter, term)
    for (const text of texts)
      if (text !== null) for (const token of tokensOf(text)) this.#term(letter, TOKEN + token.slice(0, MAX_TERM_LENGTH))
  }

  #term(letter: string, term: string): void {
    this.#terms.add(letter + (this.#terms.size < MAX_TERMS ? term : OVERFLOW_TERM))
  }

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

/** Finds the records with events or signals for a filter, and some others; `null` when no condition is a term. */
export function recordMatchExpression(kind: TermKind, filter: ListFilter): string | null {
  const letter = LIST_LETTERS.get(kind) ?? ''
  const { name, text = [], stamp } = filter
  const stamped = stamp === undefined ? [] : [quoted(fieldTerm(STAMP, stamp))]
  const clauses: string[] = []
  for (const field of FIELDS) {
    const value = filter[field]
    if (value !== undefined) clauses.push(quoted(letter + termOf(field, value)))
  }
  // A name must match completely, so its tokens do too.
  if (name !== undefined) clauses.push(...longest(tokensOf(name)).map((token) => quoted(letter + TOKEN + token)))
  const prefixes = longest(text.filter((token) => token.length >= MIN_PREFIX_LENGTH))
  clauses.push(...prefixes.map((token) => `${quoted(letter + TOKEN + token)}*`))
  // Ranges last: the other terms leave them less to compare.
  clauses.push(...rangeExpressions(filter, letter))
  if (clauses.length === 0) return stamped[0] ?? null
  return [...stamped, `((${clauses.join(' AND ')}) OR ${quoted(letter + OVERFLOW_TERM)})`].join(' AND ')
}

const longest = (tokens: readonly string[]): readonly string[] =>
  [...tokens]
    .map((token) => token.slice(0, MAX_TERM_LENGTH))
    .sort((one, other) => other.length - one.length)
    .slice(0, MAX_TOKENS_MATCHED)
