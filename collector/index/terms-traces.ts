import type { Database } from 'better-sqlite3'
import { tokensOf } from '../../lib/protocol/search-tokens'
import { NO_ERRORS } from '../../lib/protocol/trace/segment'
import type { ListFilter, Status } from './list-filter'
import { durationTerms, quoted, rangesOf, remembering, TermIndex, timeTerms, valueTerm } from './terms-index'
import type { BoundRow } from './write-contributions'
import type { Staged } from './write-staged'

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
} as const satisfies { readonly [Field in keyof ListFilter]?: string }
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
function termsOf(described: Described): string {
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
export function matchExpression(wanted: ListFilter): string | null {
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

const wordsOfName = remembering((name: string) => beginningsOf(tokensOf(name)))

function wordTerms(texts: readonly string[]): string {
  const [first = ''] = texts
  return texts.length === 1 ? wordsOfName(first) : beginningsOf(new Set(texts.flatMap(tokensOf)))
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

/** The segments that are shown, by what they can be found; the last word of a batch counts. */
export class SegmentTerms implements Staged {
  readonly #index: TermIndex
  /** Of the envelope at hand, by their places: the row that is shown there, `null` where it no longer is. */
  readonly #staged = new Map<number, BoundRow | null>()
  /** The same of the whole batch. */
  readonly #batch = new Map<number, BoundRow | null>()

  constructor(db: Database) {
    this.#index = new TermIndex(db, 'segment_terms')
  }

  show(row: BoundRow): void {
    this.#staged.set(Number(row.listPlace), row)
  }

  hide(row: BoundRow): void {
    this.#staged.set(Number(row.listPlace), null)
  }

  keepEnvelope(): void {
    for (const [listPlace, row] of this.#staged) this.#batch.set(listPlace, row)
    this.#staged.clear()
  }

  dropEnvelope(): void {
    this.#staged.clear()
  }

  abandon(): void {
    this.#staged.clear()
    this.#batch.clear()
  }

  finish(): void {
    for (const [listPlace, row] of this.#batch)
      if (row === null) this.#index.remove(listPlace)
      else this.#index.write(listPlace, segmentTerms(row))
    this.#batch.clear()
  }
}

/** What a sender's word says: of the static lifecycle's many all that are no success are errors. */
export function statusOf(word: string | null): Status {
  if (word === null || word === 'unset') return 'unset'
  return NO_ERRORS.some((fine) => fine === word) ? 'ok' : 'error'
}

/** A trace in which an error was reported went wrong, whatever its segments say. */
export function hasStatus(
  status: Status,
  trace: { readonly status: string | null; readonly errorCount: number },
): boolean {
  return status === (trace.status ?? 'unset') || (status === 'error' && trace.errorCount > 0)
}

/** Both bounds are included. */
export const isOfDuration = (us: number, { minDurationUs, maxDurationUs }: ListFilter): boolean =>
  (minDurationUs === undefined || us >= minDurationUs) && (maxDurationUs === undefined || us <= maxDurationUs)

const STATUSES = ['ok', 'error', 'unset'] as const

/**
 * @param trace as its row has it.
 * @param texts where words are looked for: its name, those of its segments, the titles of its errors.
 */
export const traceTerms = (
  trace: {
    readonly op: string | null
    readonly name: string
    readonly status: string | null
    readonly errorCount: number
    readonly environment: string | null
    readonly release: string | null
    readonly services: readonly string[]
    readonly stamps: readonly string[]
    readonly startUs: number
    readonly endUs: number
  },
  texts: readonly string[],
): string =>
  termsOf({
    ...trace,
    statuses: STATUSES.filter((status) => hasStatus(status, trace)),
    durationUs: trace.endUs - trace.startUs,
    texts,
  })

interface SegmentColumns extends BoundRow {
  readonly op: string | null
  readonly name: string
  readonly status: string | null
  readonly environment: string | null
  readonly release: string | null
  readonly service: string
  readonly stamp: string | null
  readonly lifecycle: string
  readonly startUs: number
  readonly endUs: number
}

/** @param row of a segment, as its table has it. */
function segmentTerms(row: BoundRow): string {
  const segment = row as SegmentColumns
  return termsOf({
    ...segment,
    statuses: [statusOf(segment.status)],
    services: [segment.service],
    stamps: segment.stamp === null ? [] : [segment.stamp],
    durationUs: segment.endUs - segment.startUs,
    texts: [segment.name],
  })
}
