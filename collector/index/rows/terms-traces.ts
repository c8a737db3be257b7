import type { Database } from 'better-sqlite3'
import { tokensOf } from '../../../lib/protocol/search-tokens'
import { operationKey } from '../../../lib/protocol/trace/operations'
import { type ListFilter, type Status, statusOf, traceHasStatus } from '../../../lib/wire/list-filter'
import {
  allOf,
  durationTerms,
  memoize,
  quoted,
  rangeExpressions,
  startTermOf,
  startTerms,
  TermIndex,
  timeTerms,
  valueTerm,
} from './terms-index'
import type { BoundRow } from './write-contributions'
import type { Staged } from './write-staged'

interface Searchable {
  readonly op: string | null
  readonly name: string
  /** Several for a trace whose segments succeeded although an error event belongs to it. */
  readonly statuses: readonly Status[]
  readonly environment: string | null
  readonly release: string | null
  readonly services: readonly string[]
  readonly stamps: readonly string[]
  readonly pages: readonly string[]
  readonly projects: readonly string[]
  readonly own: number
  readonly lifecycle?: string
  readonly startUs: number
  readonly durationUs: number
  readonly texts: readonly string[]
}

/** The first letter of a term names its field; tokens have `w`, buckets the letter of their scale. */
const LETTERS = {
  op: 'o',
  name: 'n',
  status: 's',
  environment: 'e',
  release: 'r',
  service: 'v',
  stamp: 'm',
  lifecycle: 'l',
  page: 'g',
  project: 'j',
} as const satisfies { readonly [Field in keyof ListFilter]?: string }
type Field = keyof typeof LETTERS

/** Every row has one of the two. */
const OWN = { true: 'k1', false: 'k0' } as const

/** Finds the rows of own telemetry. */
export const OWN_ROWS = quoted(OWN.true)

/** Fields whose values can be found by their beginning. */
const START_FIELDS = ['op', 'name', 'environment', 'release', 'service'] as const

/** Prefixes of tokens that are terms. A query uses the longest of these lengths that is not longer than its token. */
const PREFIX_LENGTHS = [1, 2, 3, 5, 8] as const
/** Tokens per trace: one with a hundred errors has many. */
const MAX_TOKENS = 300

/** @param lists.texts the name of the trace, those of its segments and the titles of its errors. */
export const traceTerms = (
  trace: Omit<SegmentColumns, 'service' | 'stamp' | 'page' | 'project' | 'lifecycle'> & { readonly errorCount: number },
  lists: Pick<Searchable, 'services' | 'stamps' | 'pages' | 'projects' | 'texts'>,
): string =>
  termsOf({
    op: trace.op,
    name: trace.name,
    statuses: STATUSES.filter((status) => traceHasStatus(status, trace)),
    environment: trace.environment,
    release: trace.release,
    ...lists,
    own: trace.own,
    startUs: trace.startUs,
    durationUs: trace.endUs - trace.startUs,
  })

const STATUSES = ['ok', 'error', 'unset'] as const

interface SegmentColumns {
  readonly op: string | null
  readonly name: string
  readonly status: string | null
  readonly environment: string | null
  readonly release: string | null
  readonly service: string
  readonly stamp: string | null
  readonly own: number
  readonly page: string | null
  readonly project: string
  readonly lifecycle: string
  readonly startUs: number
  readonly endUs: number
}

function segmentTerms(row: BoundRow): string {
  const segment = row as BoundRow & SegmentColumns
  const terms = termsOf({
    op: segment.op,
    name: segment.name,
    statuses: [statusOf(segment.status)],
    environment: segment.environment,
    release: segment.release,
    services: [segment.service],
    stamps: segment.stamp === null ? [] : [segment.stamp],
    pages: segment.page === null ? [] : [segment.page],
    projects: [segment.project],
    own: segment.own,
    lifecycle: segment.lifecycle,
    startUs: segment.startUs,
    durationUs: segment.endUs - segment.startUs,
    texts: [segment.name],
  })
  return `${terms} ${operationTerm(segment)}`
}

type OperationColumns = Pick<SegmentColumns, 'service' | 'op' | 'name' | 'project' | 'own'>

/** Names what segments have in common that are compared: service, op, name without values, and sender. */
export const comparedKey = (segment: OperationColumns): string =>
  `${operationKey(segment)}\n${segment.project}\n${segment.own}`

/** The term of all segments with one `comparedKey`. */
export const operationTerm = (segment: OperationColumns): string => `p${valueTerm(comparedKey(segment))}`

function termsOf(searchable: Searchable): string {
  const { op, name, environment, release, lifecycle } = searchable
  const terms: string[] = []
  const add = (field: Field, value: string | null | undefined): void => {
    if (value === null || value === undefined) return
    terms.push(fieldTerm(field, value))
    if (START_FIELDS.some((one) => one === field)) terms.push(...startTerms(LETTERS[field], value))
  }
  add('op', op)
  add('name', name)
  add('environment', environment)
  add('release', release)
  add('lifecycle', lifecycle)
  for (const status of searchable.statuses) add('status', status)
  for (const service of searchable.services) add('service', service)
  for (const stamp of searchable.stamps) add('stamp', stamp)
  for (const page of searchable.pages) add('page', page)
  for (const project of searchable.projects) add('project', project)
  terms.push(searchable.own === 1 ? OWN.true : OWN.false)
  terms.push(...timeTerms(searchable.startUs), ...durationTerms(searchable.durationUs), tokenTerms(searchable.texts))
  return terms.join(' ')
}

const fieldTerm = (field: Field, value: string): string => LETTERS[field] + valueTerm(value)

function tokenTerms(texts: readonly string[]): string {
  const [first = ''] = texts
  return texts.length === 1 ? tokenTermsOfName(first) : prefixTerms(new Set(texts.flatMap(tokensOf)))
}

const tokenTermsOfName = memoize((name: string) => prefixTerms(tokensOf(name)))

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

/** Finds traces or segments for a filter; `null` when no condition is a term. */
export function matchExpression(filter: ListFilter): string | null {
  const excluded = (filter.not ?? []).flatMap(exactTerms).map(quoted)
  const included = allOf(filter, clausesOf)
  if (excluded.length === 0) return included
  // FTS5 subtracts only from something.
  return `(${included ?? `${quoted(OWN.false)} OR ${quoted(OWN.true)}`}) NOT (${excluded.join(' OR ')})`
}

function clausesOf(part: ListFilter) {
  const { text = [], phrases = [], starts = {} } = part
  const begun = START_FIELDS.flatMap((field) => {
    const start = starts[field]
    return start === undefined ? [] : [startTermOf(LETTERS[field], start)]
  })
  const prefixes = [...text, ...phrases.flatMap(tokensOf)].map(
    (token) =>
      `w${token.slice(
        0,
        PREFIX_LENGTHS.findLast((length) => length <= token.length),
      )}`,
  )
  const values = new Set([...valueTerms(part), ...begun, ...prefixes])
  return { values: [...values].map(quoted), ranges: rangeExpressions(part) }
}

function valueTerms(part: ListFilter): readonly string[] {
  const fields = (Object.keys(LETTERS) as Field[]).flatMap((field) => {
    const value = part[field]
    return value === undefined ? [] : [fieldTerm(field, value)]
  })
  return part.own === undefined ? fields : [...fields, part.own ? OWN.true : OWN.false]
}

/** The term of a negated part, where exactly the rows with the value have it (but for equal hashes, 1 in 4,000 million). */
const exactTerms = (part: ListFilter): readonly string[] => {
  const terms = valueTerms(part)
  return terms.length === 1 && Object.keys(part).length === 1 ? terms : []
}

/** True when the terms found all tokens at their full length, so that the texts need not be compared. */
export const isFoundExactly = (tokens: readonly string[]): boolean =>
  tokens.every((token) => PREFIX_LENGTHS.some((length) => length === token.length))

/** Keeps the terms of the visible segments. The last change of a batch counts. */
export class SegmentTerms implements Staged {
  readonly #index: TermIndex
  /** By list position: the visible row of the current envelope, `null` when it was hidden. */
  readonly #envelope = new Map<number, BoundRow | null>()
  readonly #batch = new Map<number, BoundRow | null>()

  constructor(db: Database) {
    this.#index = new TermIndex(db, 'segment_terms')
  }

  show(row: BoundRow): void {
    this.#envelope.set(Number(row.listPosition), row)
  }

  hide(row: BoundRow): void {
    this.#envelope.set(Number(row.listPosition), null)
  }

  commitEnvelope(): void {
    for (const [listPosition, row] of this.#envelope) this.#batch.set(listPosition, row)
    this.#envelope.clear()
  }

  rollbackEnvelope(): void {
    this.#envelope.clear()
  }

  rollbackBatch(): void {
    this.#envelope.clear()
    this.#batch.clear()
  }

  finish(): void {
    for (const [listPosition, row] of this.#batch)
      if (row === null) this.#index.remove(listPosition)
      else this.#index.write(listPosition, segmentTerms(row))
    this.#batch.clear()
  }
}
