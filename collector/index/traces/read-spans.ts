import type { Database } from 'better-sqlite3'
import { registeredAttribute } from '../../../lib/otlp/registered-attributes'
import type { ReadLimits } from '../../../lib/protocol/items/signal'
import { text } from '../../../lib/protocol/json-value'
import { hasTokens } from '../../../lib/protocol/search-tokens'
import type { Segment } from '../../../lib/protocol/trace/segment'
import { isOfDuration, isWithin, type ListFilter, statusOf } from '../../../lib/wire/list-filter'
import { type ListPosition, type PageRequest, writeCursor } from '../../../lib/wire/list-paging'
import type { SpanDetail, SpanRow, SpansPage } from '../../../lib/wire/trace'
import { BodyDamagedError, journalHead, readDeliveryStatuses, readSubmissionRow } from '../../spool/local'
import { traverseSpans } from '../traverse-record'
import { type ComparableSpan, deduplicate, SpanChooser, type SpanOccurrence, wireSpan } from './choose-duplicate-span'
import { spanRecords } from './span-records'

/** Bounds of one page. A record that was started is read to its end; choosing among repeats may take `MAX_MS` again. */
const MAX_SPANS = 5000
const MAX_RECORDS = 50_000
const MAX_MS = 40
/** A page with this much JSON is full: one span may have megabytes. */
export const FULL_PAGE_CHARACTERS = 4 * 1024 * 1024

interface SpanReading {
  readonly sizeLimits: ReadLimits
  readonly now: () => number
}

/** The newest record first, within a record in the order sent; a span that several records contain is listed once. */
export function readSpans(
  db: Database,
  reading: SpanReading,
  filter: ListFilter,
  position: ListPosition,
  { limit }: PageRequest,
): SpansPage {
  const { found, next } = findSpans(db, reading, filter, position, limit)
  return { spans: toRows(db, found), next: next === null ? null : writeCursor(next), journal: journalHead(db) }
}

interface FoundSpans {
  readonly found: readonly SpanInContext[]
  readonly next: ListPosition | null
}

function findSpans(
  db: Database,
  { sizeLimits, now }: SpanReading,
  filter: ListFilter,
  position: ListPosition,
  limit: number,
): FoundSpans {
  const until = now() + MAX_MS
  const chooser = new SpanChooser(db, sizeLimits)
  const found: SpanInContext[] = []
  let [recordsRead, spansRead, characters] = [0, 0, 0]
  for (const { journal, seq } of spanRecords(db, filter, position.journal)) {
    // Every page makes progress by at least one record, or one span of it.
    if (recordsRead > 0 && (spansRead >= MAX_SPANS || recordsRead >= MAX_RECORDS || now() >= until))
      return { found, next: { journal, id: '' } }
    recordsRead += 1
    const spans = seq === null ? [] : spansOf(db, seq, sizeLimits)
    spansRead += spans.length
    const chooseUntil = now() + MAX_MS
    let passed: ListPosition | null = null
    for (const one of journal === position.journal ? spans.filter(isAfter(position)) : spans) {
      if (matches(one, filter)) {
        const mayEnd = (recordsRead > 1 || passed !== null) && !chooser.isDecided(one)
        if (mayEnd && now() >= chooseUntil) return { found, next: passed ?? { journal, id: '' } }
        if (chooser.isShown(one)) {
          const last = found.at(-1)
          // One span more than fits shows that there is a next page.
          if (last !== undefined && (found.length >= limit || characters >= FULL_PAGE_CHARACTERS))
            return { found, next: positionOf(last) }
          found.push(one)
          characters += JSON.stringify(one.span).length
        }
      }
      passed = positionOf(one)
    }
  }
  return { found, next: null }
}

/** One span as its trace shows it. @returns `null` when no record contains it. */
export function readSpan(db: Database, sizeLimits: ReadLimits, traceId: string, spanId: string): SpanDetail | null {
  const shown = new SpanChooser(db, sizeLimits).shown(traceId, spanId)
  const one = shown && spansOf(db, shown.source.seq, sizeLimits).find((other) => isSamePosition(shown, other))
  const [span] = one ? toRows(db, [one]) : []
  return span === undefined ? null : { span, deprecated: deprecatedIn(span), journal: journalHead(db) }
}

function deprecatedIn({ attributes }: SpanRow): SpanDetail['deprecated'] {
  const found = Object.keys(attributes).flatMap((name) => {
    const known = registeredAttribute(name)
    return known?.isDeprecated === true ? [[name, known.replacement] as const] : []
  })
  return Object.fromEntries(found)
}

/** The spans of a record, each once, in the order sent; none when it cannot be read. */
function spansOf(db: Database, seq: number, sizeLimits: ReadLimits): readonly SpanInContext[] {
  const record = readSubmissionRow(db, seq)
  if (record === null) return []
  const segments = new Map<string, Segment>()
  const transactions = new Map<number, Segment>()
  const occurrences: SpanOccurrence[] = []
  try {
    traverseSpans(
      record,
      {
        segment: (segment, _position, { item }) => {
          if (segment.lifecycle === 'static') transactions.set(item, segment)
          else segments.set(`${segment.traceId}/${segment.segmentId}`, segment)
        },
        span: (span, position, source) => occurrences.push({ span, position, source }),
      },
      sizeLimits,
    )
  } catch (error) {
    if (error instanceof BodyDamagedError) return []
    throw error
  }
  const spans = deduplicate(occurrences, ({ span }) => `${span.traceId}/${span.spanId}`)
  const sorted = [...spans].sort((a, b) => a.source.item - b.source.item || a.position - b.position)
  return sorted.map((one) => {
    const ofContainer = segments.get(`${one.span.traceId}/${one.span.segmentId}`)
    return inContext(one, transactions.get(one.source.item) ?? ofContainer ?? null)
  })
}

const isSamePosition = (one: ComparableSpan, other: ComparableSpan): boolean =>
  one.source.item === other.source.item && one.position === other.position

const positionOf = ({ source, position }: SpanOccurrence): ListPosition => ({
  journal: source.journal,
  id: `${source.item}.${position}`,
})

function isAfter({ id }: ListPosition): (span: SpanOccurrence) => boolean {
  const [, item, position] = /^(\d+)\.(\d+)$/.exec(id) ?? []
  if (item === undefined || position === undefined) return () => true
  return ({ source, position: at }) =>
    source.item > Number(item) || (source.item === Number(item) && at > Number(position))
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

interface SpanInContext extends SpanOccurrence {
  readonly environment: string | null
  readonly release: string | null
}

function inContext(
  occurrence: SpanOccurrence,
  segment: Pick<Segment, 'environment' | 'release' | 'lifecycle'> | null,
): SpanInContext {
  // Only streamed spans may have their own: `span-records.ts` excludes transactions by their segment alone.
  const attributes = segment?.lifecycle === 'static' ? {} : occurrence.span.attributes
  return {
    ...occurrence,
    environment: text(attributes['sentry.environment']) ?? segment?.environment ?? null,
    release: text(attributes['sentry.release']) ?? segment?.release ?? null,
  }
}

/** Compares everything but the stamp, which belongs to the record. */
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

const isSame = (requested: string | undefined, found: string | null): boolean =>
  requested === undefined || requested === found

/** The texts that `text=` searches: the name and text attributes. */
const textsOf = ({ name, attributes }: SpanOccurrence['span']): readonly string[] => [
  name,
  ...Object.values(attributes).filter((value) => typeof value === 'string'),
]
