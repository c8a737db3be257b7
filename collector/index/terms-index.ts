import type { Database, Statement } from 'better-sqlite3'
import type { ListFilter } from './list-filter'

/** The tables of terms. */
export type TermsTable = 'trace_terms' | 'segment_terms' | 'record_terms'

/** Terms come cut, by spaces: all that is not ASCII is part of a word. Of them no more is kept than where they stand. */
export const createTerms = (table: TermsTable): string =>
  `CREATE VIRTUAL TABLE ${table} USING fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`

/**
 * The end of a statement that goes through what matches `@match`, the last first, below `@before` and from `@floor` on. A
 * bound that is not bound as an integer is none to FTS5, SQLite takes its word for it, and larger numbers are bound as
 * others.
 */
export const matching = (table: TermsTable): string =>
  `${table} MATCH @match AND ${table}.rowid < CAST(@before AS INTEGER) AND ${table}.rowid >= CAST(@floor AS INTEGER)
   ORDER BY ${table}.rowid DESC`

/**
 * By what things of a list can be found. FTS5 writes out what it holds at every savepoint, and each envelope has one: so
 * its tables are written at the end of a batch alone, in its transaction.
 */
export class TermIndex {
  readonly #write: Statement
  readonly #remove: Statement

  constructor(db: Database, table: TermsTable) {
    this.#write = db.prepare(`INSERT OR REPLACE INTO ${table} (rowid, terms) VALUES (?, ?)`)
    this.#remove = db.prepare(`DELETE FROM ${table} WHERE rowid = ?`)
  }

  write(position: number, terms: string): void {
    this.#write.run(position, terms)
  }

  remove(position: number): void {
    this.#remove.run(position)
  }
}

/*
 * Numbers as terms of an index that knows no order: each stands in buckets of several sizes, and a range is the few
 * buckets that fill it. The outermost buckets reach beyond the range, so what they find is compared with its row.
 */

/** How a kind of number is put into buckets. */
export interface Scale {
  readonly letter: string
  /** The number of the smallest bucket that a value is in; never falls as values grow. */
  readonly bucketOf: (value: number) => number
  readonly last: number
  /** Sizes, from the smallest: as many as 2 to the power of this of the smallest ones are one. */
  readonly sizes: readonly number[]
}

/**
 * Of 17 s; larger ones are 16 of the next smaller: 4.5 min, 72 min, 19 h, 13 d, 204 d. All times before September 2005
 * are one bucket, and so are all from 2041 on: a range without an end is so many fewer.
 */
const TIME_BUCKET_US = 2 ** 24
const FIRST_TIME = 2 ** 26
const LAST_TIME = 2 ** 26 - 1

export const TIME: Scale = {
  letter: 't',
  bucketOf: (us) => Math.min(LAST_TIME, Math.max(0, Math.floor(us / TIME_BUCKET_US) - FIRST_TIME)),
  last: LAST_TIME,
  sizes: [0, 4, 8, 12, 16, 20],
}

const float = new DataView(new ArrayBuffer(8))
/** Of 1: what a 64-bit float begins with, its exponent and 3 bits of its fraction. */
const FIRST_DURATION = 1023 * 8

const LAST_DURATION = 53 * 8 + 7

/**
 * Eight buckets for each doubling, so that the largest of one is a ninth to an eighth above the smallest. Durations of
 * three centuries and more are one bucket.
 */
export const DURATION: Scale = {
  letter: 'd',
  bucketOf: (us) => {
    float.setFloat64(0, Math.max(0, us) + 1)
    return Math.min(LAST_DURATION, (float.getUint32(0) >>> 17) - FIRST_DURATION)
  },
  last: LAST_DURATION,
  sizes: [0, 3, 6],
}

const termOf = (scale: Scale, size: number, bucket: number): string =>
  `${scale.letter}${size.toString(36)}${bucket.toString(36)}`

/** A smallest bucket, and the larger ones that it is in. */
export const bucketTerms = (scale: Scale, bucket: number): readonly string[] =>
  scale.sizes.map((size) => termOf(scale, size, bucket >>> size))

/** Buckets that together hold every value from `least` to `most`, both included; `undefined` is without end. */
export function rangeTerms(scale: Scale, least: number | undefined, most: number | undefined): readonly string[] {
  let low = least === undefined ? 0 : scale.bucketOf(least)
  let high = most === undefined ? scale.last : scale.bucketOf(most)
  const terms: string[] = []
  for (const [index, size] of scale.sizes.entries()) {
    const next = scale.sizes[index + 1]
    // The largest ones fill what is left.
    const count = next === undefined ? Number.POSITIVE_INFINITY : 2 ** (next - size)
    while (low <= high && (count === Number.POSITIVE_INFINITY || low % count !== 0)) {
      terms.push(termOf(scale, size, low))
      low += 1
    }
    while (low <= high && (high + 1) % count !== 0) {
      terms.push(termOf(scale, size, high))
      high -= 1
    }
    if (low > high) break
    low /= count
    high = (high + 1) / count - 1
  }
  // A range that ends before it begins holds nothing: no value is in this bucket.
  return terms.length === 0 ? [scale.letter] : terms
}

/*
 * Values as terms, for both sorts of index: what a trace or a segment is found by (`terms.ts`), and what the events and
 * signals of a record are (`record-terms.ts`).
 */

/** Most values come again and again: of each kind so many are remembered with what was made of them. */
const MAX_MEMOIZED = 1000
/** Longer words are made anew: what is remembered stays for ever. */
const MAX_MEMOIZED_LENGTH = 200

export function memoize<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
  const made = new Map<Given, Made>()
  return (given) => {
    const known = made.get(given)
    if (known !== undefined) return known
    const value = make(given)
    if (typeof given === 'string' && given.length > MAX_MEMOIZED_LENGTH) return value
    if (made.size === MAX_MEMOIZED) made.clear()
    made.set(given, value)
    return value
  }
}

/** A word as a number, which it may share with another: what is found is compared with its row. */
export const valueTerm = memoize((value: string) => hashOf(value).toString(36))

const bucketsOf = (scale: Scale) => {
  const terms = memoize((bucket: number) => bucketTerms(scale, bucket))
  return (value: number): readonly string[] => terms(scale.bucketOf(value))
}
export const timeTerms = bucketsOf(TIME)
export const durationTerms = bucketsOf(DURATION)

/** A term in the language of the index. */
export const quoted = (term: string): string => `"${term}"`

/** What of durations and times is asked for, in the language of the index. @param before stands before each term. */
export function rangesOf(filter: ListFilter, before = ''): readonly string[] {
  const { sinceUs, untilUs, minDurationUs, maxDurationUs } = filter
  return [
    ...oneOfRange(DURATION, minDurationUs, maxDurationUs, before),
    ...oneOfRange(TIME, sinceUs, untilUs === undefined ? undefined : untilUs - 1, before),
  ]
}

function oneOfRange(
  scale: Scale,
  least: number | undefined,
  most: number | undefined,
  before: string,
): readonly string[] {
  if (least === undefined && most === undefined) return []
  const terms = rangeTerms(scale, least, most).map((term) => quoted(before + term))
  return [`(${terms.join(' OR ')})`]
}

/** FNV-1a, 32 bits: what a word becomes where a number or a short name has to stand for it. */
function hashOf(token: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < token.length; at += 1) hash = Math.imul(hash ^ token.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
