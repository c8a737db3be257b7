import type { Database } from 'better-sqlite3'
import { SIGNAL_KINDS, type SignalKind } from '../../../lib/protocol/items/signal'
import { levelOf } from '../../../lib/protocol/level'
import { tokensOf } from '../../../lib/protocol/search-tokens'
import type { ListFilter } from '../../../lib/wire/list-filter'
import {
  allOf,
  quoted,
  rangeExpressions,
  startTermOf,
  startTerms,
  TermIndex,
  timeTerms,
  valueTerm,
} from './terms-index'
import type { RecordSender } from './write-columns'
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
  /** The value that `name=` compares. */
  readonly name: string | null
  readonly texts: readonly (string | null)[]
}

/** Terms per record. Entries beyond them get `OVERFLOW_TERM`, which every query matches. */
export const MAX_TERMS = 100_000
/** Queries have no longer tokens (`collector/api/query/filters.ts`). */
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
/** Terms of a whole record. */
const OF_RECORD = { stamp: 'zs', page: 'zg', project: 'zj' } as const
const OWN = { true: 'k1', false: 'k0' } as const
/** Values that can be found by their beginning; the letter of a name is `n`. */
const START_LETTERS = { level: 'l', environment: 'e', release: 'r', service: 'v', name: 'n' } as const
const START_FIELDS = Object.keys(START_LETTERS) as readonly (keyof typeof START_LETTERS)[]
const OVERFLOW_TERM = 'z'

const fieldTerm = (letter: string, value: string | boolean | null): string =>
  letter + (value === null ? '' : valueTerm(String(value)))

const termOf = (field: keyof typeof LETTERS, value: string | boolean | null): string =>
  fieldTerm(LETTERS[field], field === 'level' && typeof value === 'string' ? levelOf(value) : value)

/** Keeps the terms of a record in one entry, visible or not: erased with the record, and short for a thousand logs. */
export class RecordTerms implements Staged {
  readonly #index: TermIndex
  readonly #terms = new Set<string>()
  /** Letters of the lists that the current record has rows in. */
  readonly #letters = new Set<string>()
  #staged: { readonly seq: number; readonly terms: string } | null = null
  readonly #batch = new Map<number, string>()

  constructor(db: Database) {
    this.#index = new TermIndex(db, 'record_terms')
  }

  add(kind: TermKind, { texts, timestampUs, ...found }: Searchable): void {
    const letter = LIST_LETTERS.get(kind) ?? ''
    this.#letters.add(letter)
    for (const field of FIELDS) {
      const value = found[field]
      // `handled: null` is searchable.
      if (field === 'handled' ? value !== undefined : value !== null) this.#term(letter, termOf(field, value ?? null))
    }
    for (const field of START_FIELDS) {
      const value = found[field]
      if (value === null) continue
      const begun = field === 'level' ? levelOf(value) : value
      for (const term of startTerms(START_LETTERS[field], begun)) this.#term(letter, term)
    }
    for (const term of timeTerms(timestampUs)) this.#term(letter, term)
    for (const text of texts)
      if (text !== null) for (const token of tokensOf(text)) this.#term(letter, TOKEN + token.slice(0, MAX_TERM_LENGTH))
  }

  #term(letter: string, term: string): void {
    this.#terms.add(letter + (this.#terms.size < MAX_TERMS ? term : OVERFLOW_TERM))
  }

  endEnvelope(seq: number, { stamp, page, project, own }: RecordSender & { readonly stamp: string | null }): void {
    if (this.#terms.size === 0) return
    if (stamp !== null) this.#terms.add(fieldTerm(OF_RECORD.stamp, stamp))
    if (page !== null) this.#terms.add(fieldTerm(OF_RECORD.page, page))
    this.#terms.add(fieldTerm(OF_RECORD.project, project))
    for (const letter of this.#letters) this.#terms.add(letter + (own === 1 ? OWN.true : OWN.false))
    this.#staged = { seq, terms: [...this.#terms].join(' ') }
    this.#terms.clear()
    this.#letters.clear()
  }

  commitEnvelope(): void {
    if (this.#staged !== null) this.#batch.set(this.#staged.seq, this.#staged.terms)
    this.rollbackEnvelope()
  }

  rollbackEnvelope(): void {
    this.#terms.clear()
    this.#letters.clear()
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
 * Finds the records with events or signals for a filter, and some others; `null` when no condition is a term. A record
 * may have rows with a negated value and without it, so rows decide about negated parts.
 */
export function recordMatchExpression(kind: TermKind, filter: ListFilter): string | null {
  const letter = LIST_LETTERS.get(kind) ?? ''
  const all = allOf(filter, (part) => clausesOf(letter, part))
  return all === null ? null : `((${all}) OR ${quoted(letter + OVERFLOW_TERM)})`
}

function clausesOf(letter: string, part: ListFilter) {
  const { name, text = [], phrases = [], starts = {} } = part
  const values: string[] = []
  for (const [field, term] of Object.entries(OF_RECORD)) {
    const value = part[field as keyof typeof OF_RECORD]
    if (value !== undefined) values.push(quoted(fieldTerm(term, value)))
  }
  if (part.own !== undefined) values.push(quoted(letter + (part.own ? OWN.true : OWN.false)))
  for (const field of FIELDS) {
    const value = part[field]
    if (value !== undefined) values.push(quoted(letter + termOf(field, value)))
  }
  for (const field of START_FIELDS) {
    const start = starts[field]
    if (start !== undefined)
      values.push(quoted(letter + startTermOf(START_LETTERS[field], field === 'level' ? start.toLowerCase() : start)))
  }
  // A name and a phrase must match completely, so their tokens do too.
  const whole = [...(name === undefined ? [] : tokensOf(name)), ...phrases.flatMap(tokensOf)]
  values.push(...longest(whole).map((token) => quoted(letter + TOKEN + token)))
  const prefixes = longest(text.filter((token) => token.length >= MIN_PREFIX_LENGTH))
  values.push(...prefixes.map((token) => `${quoted(letter + TOKEN + token)}*`))
  return { values, ranges: rangeExpressions(part, letter) }
}

/** Finds the records with own telemetry in a list. */
export const ownRecordsExpression = (kind: TermKind): string => quoted((LIST_LETTERS.get(kind) ?? '') + OWN.true)

const longest = (tokens: readonly string[]): readonly string[] =>
  [...tokens]
    .map((token) => token.slice(0, MAX_TERM_LENGTH))
    .sort((one, other) => other.length - one.length)
    .slice(0, MAX_TOKENS_MATCHED)
