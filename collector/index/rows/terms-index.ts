import type { Database, Statement } from 'better-sqlite3'
import type { ListFilter } from '../../../lib/wire/list-filter'

/* The full-text tables (FTS5). A term may match too much (hashes collide, ranges are rounded): compare every match. */

export type TermsTable = 'trace_terms' | 'segment_terms' | 'record_terms'

/** Terms are separated by spaces. The table keeps only the rows in which they occur. */
export const createTerms = (table: TermsTable): string =>
  `CREATE VIRTUAL TABLE ${table} USING fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii')`

/**
 * Rows that match `@match`, the last first, below `@before` and from `@floor` on. FTS5 ignores bounds that are not
 * bound as integers, and better-sqlite3 binds large numbers as floats: hence the casts.
 */
export const matching = (table: TermsTable): string =>
  `${table} MATCH @match AND ${table}.rowid < CAST(@before AS INTEGER) AND ${table}.rowid >= CAST(@floor AS INTEGER)
   ORDER BY ${table}.rowid DESC`

/** FTS5 flushes at every savepoint, and each envelope has one: write only at the end of a batch. */
export class TermIndex {
  readonly #write: Statement
  readonly #remove: Statement

  constructor(db: Database, table: TermsTable) {
    this.#write = db.prepare(`INSERT OR REPLACE INTO ${table} (rowid, terms) VALUES (?, ?)`)
    this.#remove = db.prepare(`DELETE FROM ${table} WHERE rowid = ?`)
  }

  write(rowId: number, terms: string): void {
    this.#write.run(rowId, terms)
  }

  remove(rowId: number): void {
    this.#remove.run(rowId)
  }
}

export const quoted = (term: string): string => `"${term}"`

/** Most values occur again and again: results are cached, up to this many per function. */
const MAX_MEMOIZED = 1000
/** Longer texts are not cached, because the cache is only cleared when it is full. */
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

/** A text as a short hash, which other texts may share. */
export const valueTerm = memoize((value: string) => fnv1a(value).toString(36))

/** FNV-1a, 32 bits. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** Beginnings of values that are terms. A query uses the longest that is not longer than its own, and compares rows. */
const START_LENGTHS = [1, 4, 8] as const

/** The terms of the beginnings of a value. @param letter names the field. */
export const startTerms = (letter: string, value: string): readonly string[] =>
  START_LENGTHS.filter((length) => length <= value.length).map((length) => startTerm(letter, value.slice(0, length)))

/** The term that every value with this beginning has. */
export function startTermOf(letter: string, start: string): string {
  const length = START_LENGTHS.findLast((one) => one <= start.length) ?? 0
  return startTerm(letter, start.slice(0, length))
}

const startTerm = (letter: string, start: string): string => `x${letter}${valueTerm(start)}`

/** Joins the parts of a filter: all clauses, and one alternative of each group. `null` without any condition on terms. */
export function allOf(
  filter: ListFilter,
  clausesOf: (part: ListFilter) => { readonly values: readonly string[]; readonly ranges: readonly string[] },
): string | null {
  const { values, ranges } = clausesOf(filter)
  const groups = (filter.any ?? []).flatMap((group) => {
    const parts = group.map((one) => clausesOf(one)).map((part) => [...part.values, ...part.ranges])
    // A part without terms may match any row.
    if (parts.some((part) => part.length === 0)) return []
    return [`(${parts.map((part) => `(${part.join(' AND ')})`).join(' OR ')})`]
  })
  // Ranges last: the other terms leave them less to compare.
  const clauses = [...values, ...groups, ...ranges]
  return clauses.length === 0 ? null : clauses.join(' AND ')
}

/* FTS5 knows no order: each number is in buckets of several sizes, and a range is the few buckets that fill it. */

export interface Scale {
  readonly letter: string
  /** The smallest bucket of a value; never falls as values grow. */
  readonly bucketOf: (value: number) => number
  readonly last: number
  /** Bucket sizes as powers of 2, in smallest buckets, ascending. */
  readonly sizes: readonly number[]
}

/**
 * 17 s; the larger buckets are 4.5 min, 72 min, 19 h, 13 d and 204 d. Times before September 2005 share one bucket, and
 * so do those from 2041 on, which keeps open ranges short.
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
/** The bucket of 1. A bucket is the start of a 64-bit float: its exponent and 3 bits of its fraction. */
const FIRST_DURATION = 1023 * 8

const LAST_DURATION = 53 * 8 + 7

/** Eight buckets per doubling: the largest value is an eighth above the smallest. From three centuries on: one. */
export const DURATION: Scale = {
  letter: 'd',
  bucketOf: (us) => {
    float.setFloat64(0, Math.max(0, us) + 1)
    return Math.min(LAST_DURATION, (float.getUint32(0) >>> 17) - FIRST_DURATION)
  },
  last: LAST_DURATION,
  sizes: [0, 3, 6],
}

const bucketTerm = (scale: Scale, size: number, bucket: number): string =>
  `${scale.letter}${size.toString(36)}${bucket.toString(36)}`

export const bucketTerms = (scale: Scale, bucket: number): readonly string[] =>
  scale.sizes.map((size) => bucketTerm(scale, size, bucket >>> size))

const memoizedBucketTerms = (scale: Scale) => {
  const terms = memoize((bucket: number) => bucketTerms(scale, bucket))
  return (value: number): readonly string[] => terms(scale.bucketOf(value))
}
export const timeTerms = memoizedBucketTerms(TIME)
export const durationTerms = memoizedBucketTerms(DURATION)

/** The buckets that together hold every value from `least` to `most`, both included; `undefined` is an open end. */
export function rangeTerms(scale: Scale, least: number | undefined, most: number | undefined): readonly string[] {
  let low = least === undefined ? 0 : scale.bucketOf(least)
  let high = most === undefined ? scale.last : scale.bucketOf(most)
  const terms: string[] = []
  for (const [index, size] of scale.sizes.entries()) {
    const next = scale.sizes[index + 1]
    const perNext = next === undefined ? Number.POSITIVE_INFINITY : 2 ** (next - size)
    while (low <= high && (perNext === Number.POSITIVE_INFINITY || low % perNext !== 0)) {
      terms.push(bucketTerm(scale, size, low))
      low += 1
    }
    while (low <= high && (high + 1) % perNext !== 0) {
      terms.push(bucketTerm(scale, size, high))
      high -= 1
    }
    if (low > high) break
    low /= perNext
    high = (high + 1) / perNext - 1
  }
  // An empty range needs a term that no value has.
  return terms.length === 0 ? [scale.letter] : terms
}

/** The duration and time bounds of a filter as FTS5 expressions. @param prefix stands before each term. */
export function rangeExpressions(filter: ListFilter, prefix = ''): readonly string[] {
  const { sinceUs, untilUs, minDurationUs, maxDurationUs } = filter
  return [
    ...rangeExpression(DURATION, minDurationUs, maxDurationUs, prefix),
    ...rangeExpression(TIME, sinceUs, untilUs === undefined ? undefined : untilUs - 1, prefix),
  ]
}

function rangeExpression(
  scale: Scale,
  least: number | undefined,
  most: number | undefined,
  prefix: string,
): readonly string[] {
  if (least === undefined && most === undefined) return []
  const terms = rangeTerms(scale, least, most).map((term) => quoted(prefix + term))
  return [`(${terms.join(' OR ')})`]
}
