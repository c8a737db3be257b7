import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { text } from '../../lib/protocol/json'
import { hasTokens } from '../../lib/protocol/search-tokens'
import type { Segment } from '../../lib/protocol/trace/segment'
import { type ListPosition, type PageRequest, writeCursor } from '../../lib/wire/list-position'
import type { SpanDetail, SpanRow, SpansPage } from '../../lib/wire/trace'
import { BodyDamagedError } from '../spool/submission'
import type { ListFilter } from './list-filter'
import { isWithin } from './list-page'
import { journalHead } from './read-journal'
import { readDeliveryStatuses } from './read-outcomes'
import { type ComparableSpan, SpanChooser, type SpanOccurrence, takesPrecedence } from './span-choice'
import { spanRecords } from './span-records'
import { isOfDuration, statusOf } from './terms-traces'
import { readSpoolRecord, wireSpan } from './trace-spans'
import { traverseSpans } from './traverse-record'

/**
 * A page reads so many spans, looks at so many records, and takes so long; then it ends with what it has found. A record
 * that was begun is read to its end, and which of several tellings is shown of its spans may take as long again.
 */
const MAX_SPANS = 5000
const MAX_RECORDS = 50_000
const MAX_MS = 40
/** A page is full from so much JSON on: one span may say megabytes. */
export const FULL_PAGE_CHARACTERS = 4 * 1024 * 1024

/** What reading spans takes beside the database. */
export interface SpanReading {
  readonly limits: ReadLimits
  /** A clock that only ever goes on, in ms. */
  readonly now: () => number
}

/** Spans, newest record first and in a record as they were sent. One that several records tell of is listed once. */
export function readSpans(
  db: Database,
  { limits, now }: SpanReading,
  filter: ListFilter,
  position: ListPosition,
  { limit }: PageRequest,
): SpansPage {
  const until = now() + MAX_MS
  const chooser = new SpanChooser(db, limits)
  const found: SpanInContext[] = []
  let [recordsRead, spans, characters] = [0, 0, 0]
  let next: ListPosition | null = null
  for (const { journal, seq } of spanRecords(db, filter, position.journal)) {
    // A page goes on by one record, or by one span of it, at least.
    if (recordsRead > 0 && (spans >= MAX_SPANS || recordsRead >= MAX_RECORDS || now() >= until))
      next = { journal, id: '' }
    if (next !== null) break
    recordsRead += 1
    const all = seq === null ? [] : spansOf(db, seq, limits)
    spans += all.length
    const chooserUntil = now() + MAX_MS
    let passed: ListPosition | null = null
    for (const one of journal === position.journal ? all.filter(isAfter(position)) : all) {
      if (matches(one, filter)) {
        const last = found.at(-1)
        const mayEnd = (recordsRead > 1 || passed !== null) && !chooser.isDecided(one)
        if (mayEnd && now() >= chooserUntil) next = passed ?? { journal, id: '' }
        else if (chooser.isShown(one)) {
          // One more than the page has room for tells that there is a next one.
          if (last !== undefined && (found.length >= limit || characters >= FULL_PAGE_CHARACTERS))
            next = positionOf(last)
          else found.push(one)
          characters += JSON.stringify(one.span).length
        }
        if (next !== null) break
      }
      passed = positionOf(one)
    }
    if (next !== null) break
  }
  return { spans: toRows(db, found), next: next === null ? null : writeCursor(next), journal: journalHead(db) }
}

/** One span as it is shown in its trace; `null` where no record that is kept tells of it. */
export function readSpan(db: Database, limits: ReadLimits, traceId: string, spanId: string): SpanDetail | null {
  const told = new SpanChooser(db, limits).shown(traceId, spanId)
  const one = told && spansOf(db, told.source.seq, limits).find((other) => isSamePosition(told, other))
  const [span] = one ? toRows(db, [one]) : []
  return span === undefined ? null : { span, journal: journalHead(db) }
}

/** All that a record tells of spans, each once, in the order in which it does; nothing when it cannot be read. */
function spansOf(db: Database, seq: number, limits: ReadLimits): readonly SpanInContext[] {
  const record = readSpoolRecord(db, seq)
  if (record === null) return []
  const segments = new Map<string, Segment>()
  const transactions = new Map<number, Segment>()
  const told: SpanOccurrence[] = []
  try {
    traverseSpans(
      record,
      {
        segment: (segment, _place, { item }) => {
          if (segment.lifecycle === 'static') transactions.set(item, segment)
          else segments.set(`${segment.traceId}/${segment.segmentId}`, segment)
        },
        span: (span, position, source) => told.push({ span, position, source }),
      },
      limits,
    )
  } catch (error) {
    if (error instanceof BodyDamagedError) return []
    throw error
  }
  const once = [...deduplicated(told)].sort((a, b) => a.source.item - b.source.item || a.position - b.position)
  return once.map((one) => {
    const ofContainer = segments.get(`${one.span.traceId}/${one.span.segmentId}`)
    return inContext(one, transactions.get(one.source.item) ?? ofContainer ?? null)
  })
}

/** Each span of one record once. */
function deduplicated(told: readonly SpanOccurrence[]): readonly SpanOccurrence[] {
  const shown = new Map<string, SpanOccurrence>()
  for (const one of told) {
    const key = `${one.span.traceId}/${one.span.spanId}`
    const other = shown.get(key)
    if (other === undefined || takesPrecedence(one, other)) shown.set(key, one)
  }
  return [...shown.values()]
}

const isSamePosition = (one: ComparableSpan, other: ComparableSpan): boolean =>
  one.source.item === other.source.item && one.position === other.position

/** In its record, by item and by place in it. */
const positionOf = ({ source, position }: SpanOccurrence): ListPosition => ({
  journal: source.journal,
  id: `${source.item}.${position}`,
})

function isAfter({ id }: ListPosition): (told: SpanOccurrence) => boolean {
  const [, item, position] = /^(\d+)\.(\d+)$/.exec(id) ?? []
  if (item === undefined || position === undefined) return () => true
  return (told) =>
    told.source.item > Number(item) || (told.source.item === Number(item) && told.position > Number(position))
}

function toRows(db: Database, spans: readonly SpanInContext[]): SpanRow[] {
  const deliveryStatuses = readDeliveryStatuses(
    db,
    spans.map(({ source }) => source.seq),
  )
  return spans.map((one) => ({
    ...wireSpan(one),
    traceId: one.span.traceId,
    environment: one.environment,
    release: one.release,
    journal: one.source.journal,
    receivedAt: one.source.receivedAt,
    deliveryStatus: deliveryStatuses(one.source.seq).of(one.source.item),
  }))
}

/** A span with what it inherits from its segment. */
interface SpanInContext extends SpanOccurrence {
  readonly environment: string | null
  readonly release: string | null
}

/** A streamed span says itself where it was; one of a transaction was where its segment was. */
function inContext(
  told: SpanOccurrence,
  segment: Pick<Segment, 'environment' | 'release' | 'lifecycle'> | null,
): SpanInContext {
  // Rows say of a transaction where it was, and rule all its spans out by that.
  const attributes = segment?.lifecycle === 'static' ? {} : told.span.attributes
  return {
    ...told,
    environment: text(attributes['sentry.environment']) ?? segment?.environment ?? null,
    release: text(attributes['sentry.release']) ?? segment?.release ?? null,
  }
}

/** Is it what is wanted? What the record alone says, its stamp, is not looked at. */
function matches({ span, environment, release }: SpanInContext, filter: ListFilter): boolean {
  return (
    isSame(filter.trace, span.traceId) &&
    isSame(filter.segment, span.segmentId) &&
    isSame(filter.op, span.op) &&
    isSame(filter.name, span.name) &&
    isSame(filter.service, span.service) &&
    isSame(filter.environment, environment) &&
    isSame(filter.release, release) &&
    isSame(filter.status, statusOf(span.status)) &&
    isOfDuration(span.endUs - span.startUs, filter) &&
    isWithin(span.startUs, filter) &&
    (filter.text === undefined || hasTokens(filter.text, textsOf(span)))
  )
}

const isSame = (filter: string | undefined, found: string | null): boolean => filter === undefined || filter === found

/** Its name and the attributes that are text. */
const textsOf = ({ name, attributes }: SpanOccurrence['span']): readonly string[] => [
  name,
  ...Object.values(attributes).filter((value) => typeof value === 'string'),
]
