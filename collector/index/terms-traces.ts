import type { Database } from 'better-sqlite3'
import { tokensOf } from '../../lib/protocol/search-tokens'
import { NO_ERRORS } from '../../lib/protocol/trace/segment'
import type { ListFilter, Status } from './list-filter'
import { durationTerms, memoize, quoted, rangesOf, TermIndex, timeTerms, valueTerm } from './terms-index'
import type { BoundRow } from './write-contributions'
import type { Staged } from './write-staged'

/** What a trace or a segment can be asked for, as its row and its records have it. */
export interface Searchable {
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
const PREFIX_LENGTHS = [1, 2, 3, 5, 8] as const
/** Of a trace with a hundred errors so many words can be found. */
const MAX_TOKENS = 300

/**
 * What can be found of a thing, as one text of terms: the index cuts it at its spaces. A word of its own has a number in
 * its place, and may share it with another: what is found is compared with its row.
 */
function termsOf(searchable: Searchable): string {
  const { op, name, environment, release, lifecycle } = searchable
  const terms: string[] = []
  const add = (field: Field, value: string | null | undefined): void => {
    if (value !== null && value !== undefined) terms.push(fieldTermOf(field, value))
  }
  add('op', op)
  add('name', name)
  add('environment', environment)
  add('release', release)
  add('lifecycle', lifecycle)
  for (const status of searchable.statuses) add('status', status)
  for (const service of searchable.services) add('service', service)
  for (const stamp of searchable.stamps) add('stamp', stamp)
  terms.push(...timeTerms(searchable.startUs), ...durationTerms(searchable.durationUs), tokenTerms(searchable.texts))
  return terms.join(' ')
}

/**
 * What finds the things that may be wanted, in the language of the index.
 * @returns `null` where nothing of this is asked for.
 */
export function matchExpression(filter: ListFilter): string | null {
  const { text = [] } = filter
  const fields = (Object.keys(LETTERS) as Field[]).flatMap((field) => {
    const value = filter[field]
    return value === undefined ? [] : [fieldTermOf(field, value)]
  })
  const tokens = text.map(
    (token) =>
      `w${token.slice(
        0,
        PREFIX_LENGTHS.findLast((length) => length <= token.length),
      )}`,
  )
  // Ranges last: the others leave them less to compare.
  const asked = [...[...new Set([...fields, ...tokens])].map(quoted), ...rangesOf(filter)]
  return asked.length === 0 ? null : asked.join(' AND ')
}

/** Have all words that are asked for been found by as many letters as they have? */
export const isExactMatch = (tokens: readonly string[]): boolean =>
  tokens.every((token) => PREFIX_LENGTHS.some((length) => length === token.length))

const fieldTermOf = (field: Field, value: string): string => LETTERS[field] + valueTerm(value)

const tokenTermsOfName = memoize((name: string) => prefixTerms(tokensOf(name)))

function tokenTerms(texts: readonly string[]): string {
  const [first = ''] = texts
  return texts.length === 1 ? tokenTermsOfName(first) : prefixTerms(new Set(texts.flatMap(tokensOf)))
}

function prefixTerms(tokens: Iterable<string>): string {
  const prefixes = new Set<string>()
  let count = 0
  for (const token of tokens) {
    count += 1
    if (count > MAX_TOKENS) break
    for (const length of PREFIX_LENGTHS) {
      if (length > token.length) break
      prefixes.add(`w${token.slice(0, length)}`)
    }
  }
  return [...prefixes].join(' ')
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
    this.#staged.set(Number(row.listPosition), row)
  }

  hide(row: BoundRow): void {
    this.#staged.set(Number(row.listPosition), null)
  }

  commitEnvelope(): void {
    for (const [listPosition, row] of this.#staged) this.#batch.set(listPosition, row)
    this.#staged.clear()
  }

  rollbackEnvelope(): void {
    this.#staged.clear()
  }

  rollbackBatch(): void {
    this.#staged.clear()
    this.#batch.clear()
  }

  finish(): void {
    for (const [listPosition, row] of this.#batch)
      if (row === null) this.#index.remove(listPosition)
      else this.#index.write(listPosition, segmentTerms(row))
    this.#batch.clear()
  }
}

/** What a sender's word says: of the static lifecycle's many all that are no success are errors. */
export function statusOf(token: string | null): Status {
  if (token === null || token === 'unset') return 'unset'
  return NO_ERRORS.some((fine) => fine === token) ? 'ok' : 'error'
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
