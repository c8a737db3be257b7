import type { Database } from 'better-sqlite3'
import type { EnvelopeSummary, EnvelopesPage } from '../../../lib/wire/envelope'
import {
  boundsFor,
  fillPage,
  READ_BOUNDS,
  type ReadBounds,
  type Scanned,
  type ScanPath,
} from '../../../lib/wire/fill-page'
import { hasFields, isWithin, type ListFilter, matchesWhole, startsAs, timeBounds } from '../../../lib/wire/list-filter'
import type { ListPosition, PageRequest } from '../../../lib/wire/list-paging'
import { BY_RECORD, type FoundSubmission, findByStatus, HAS_STATUS, journalHead } from '../../spool/local'
import { readSummaries } from './read-envelope'

const BATCH = 64

export function readEnvelopes(
  db: Database,
  filter: ListFilter,
  position: ListPosition,
  page: PageRequest,
  given = READ_BOUNDS,
): EnvelopesPage {
  const bounds = boundsFor(filter, given)
  const below = position.id === '' ? Number.MAX_SAFE_INTEGER : Number.parseInt(position.id, 16)
  const batchSize = Math.min(BATCH, page.limit + 1)
  const found = fillPage(
    scanEnvelopes(db, filter, below, bounds, batchSize),
    page,
    matchesWhole(filter, matcher(db, filter)),
    bounds.rows,
  )
  return { envelopes: [...found.rows], next: found.next, journal: journalHead(db) }
}

const positionOf = ({ journal, seq }: Found): ListPosition => ({ journal, id: seq.toString(16) })

type Found = FoundSubmission
type FoundRecord = Found | { readonly stoppedAt: Found }

function* scanEnvelopes(
  db: Database,
  filter: ListFilter,
  below: number,
  bounds: ReadBounds,
  batchSize: number,
): Generator<Scanned<EnvelopeSummary>> {
  let batch: Found[] = []
  for (const one of recordsBelow(db, filter, below, bounds)) {
    if (!('stoppedAt' in one)) batch.push(one)
    if ('stoppedAt' in one || batch.length === batchSize) {
      yield* withSummaries(db, batch)
      batch = []
    }
    if ('stoppedAt' in one) yield { stoppedAt: positionOf(one.stoppedAt) }
  }
  yield* withSummaries(db, batch)
}

function* withSummaries(db: Database, found: readonly Found[]): Generator<Scanned<EnvelopeSummary>> {
  for (const row of readSummaries(
    db,
    found.map(({ seq }) => seq),
  ))
    yield { position: positionOf(row), row }
}

function* recordsBelow(db: Database, filter: ListFilter, below: number, bounds: ReadBounds): Generator<FoundRecord> {
  const bound = { below, most: bounds.rows + 1 }
  const { trace, deliveryStatus } = filter
  if (trace !== undefined) yield* db.prepare(BY_TRACE).iterate({ ...bound, trace }) as IterableIterator<Found>
  else
    yield* (deliveryStatus === undefined ? null : findByStatus(db, deliveryStatus, bound)) ??
      recordsByRows(db, filter, below, bounds)
}

/**
 * Submissions above and below the digested ones have no rows and are scanned in the record, which is slow: each is
 * stored next to its body. They are skipped when the filter has a condition on columns that only rows have.
 */
function* recordsByRows(db: Database, filter: ListFilter, below: number, bounds: ReadBounds): Generator<FoundRecord> {
  // Two statements: SQLite finds each end in one step, but would scan the table for both together.
  const [upTo, from] = ['max', 'min'].map((end) =>
    Number(db.prepare(`SELECT ${end}(seq) FROM envelopes`).pluck().get() ?? 0),
  ) as [number, number]
  const further = furtherConditions(filter)
  const bound = {
    ...timeBounds(filter),
    endpoint: filter.deliveryStatus === 'copy' ? 'stream' : (filter.endpoint ?? null),
    stamp: filter.stamp ?? null,
    sdk: filter.sdk === undefined ? null : dotted(filter.sdk),
    environment: filter.environment ?? null,
    own: filter.own === undefined ? null : Number(filter.own),
    ...further.values,
    type: filter.type ?? null,
    deliveryStatus: filter.deliveryStatus === 'copy' ? null : (filter.deliveryStatus ?? null),
  }
  const rowsAreNeeded = [filter.type, filter.environment, filter.sdk].some((value) => value !== undefined)
  if (!rowsAreNeeded) yield* scanPath(db, BY_RECORD, bounds.rows, { ...bound, below, above: upTo })
  const rows = { ...bound, below: Math.min(below, upTo + 1), above: from - 1 }
  if (filter.stamp === undefined) yield* scanPath(db, byRow(further.sql), bounds.entries, rows)
  else yield* scanPath(db, byStamp(further.sql), bounds.entries, rows)
  if (!rowsAreNeeded) yield* scanPath(db, BY_RECORD, bounds.rows, { ...bound, below: Math.min(below, from), above: 0 })
}

function* scanPath(db: Database, path: ScanPath, most: number, bound: object): Generator<FoundRecord> {
  yield* db.prepare(path.entries).iterate({ ...bound, most }) as IterableIterator<Found>
  const stoppedAt = db.prepare(path.stoppedAt).get({ ...bound, most: most - 1 }) as Found | undefined
  if (stoppedAt !== undefined) yield { stoppedAt }
}

/** `sentry.python 1.9.10` as `.sentry.python.1.9.10`: a filter matches from the start of any part. */
const dotted = (sdk: string): string => `.${sdk.replaceAll(' ', '.').toLowerCase()}`

const HAS_TYPE = '(@type IS NULL OR EXISTS (SELECT 1 FROM items i WHERE i.seq = found.seq AND i.type = @type))'
const OF_RECORD = `(@endpoint IS NULL OR endpoint = @endpoint) AND received_at * 1000 >= @sinceUs AND received_at * 1000 < @untilUs`

const pathThrough = (source: string, condition: string, ofEach: string): ScanPath => ({
  entries: `SELECT seq, journal FROM (SELECT ${ofEach} FROM ${source} ORDER BY seq DESC LIMIT @most) found WHERE ${condition}`,
  stoppedAt: `SELECT seq, journal FROM ${source} ORDER BY seq DESC LIMIT 1 OFFSET @most`,
})

const OF_ROW = `${OF_RECORD} AND (@sdk IS NULL OR instr('.' || lower(replace(sdk, ' ', '.')), @sdk)) AND (@environment IS NULL OR environment = @environment)
  AND (@own IS NULL OR own = @own) AND ${HAS_TYPE} AND ${HAS_STATUS}`
const ROW_COLUMNS = 'seq, journal, received_at, endpoint, sdk, environment, stamp, own, page, project'
const byRow = (further: string): ScanPath =>
  pathThrough('envelopes WHERE seq < @below AND seq > @above', OF_ROW + further, ROW_COLUMNS)
const byStamp = (further: string): ScanPath =>
  pathThrough('envelopes WHERE stamp = @stamp AND seq < @below AND seq > @above', OF_ROW + further, ROW_COLUMNS)
export const BY_ROW = byRow('')
export const BY_STAMP = byStamp('')

/** Fields that equal a column of an envelope's row. */
const EQUAL_COLUMNS = ['endpoint', 'environment', 'stamp', 'page', 'project'] as const

/** Conditions of a query beyond one value per key, so that rows that do not match are not read whole. */
function furtherConditions(filter: ListFilter) {
  const values: Record<string, string> = {}
  const bind = (value: string): string => {
    const name = `further${Object.keys(values).length}`
    values[name] = value
    return `@${name}`
  }
  /** `null` when rows have to decide. */
  const sqlOf = ({ starts = {}, ...fields }: ListFilter): string | null => {
    const conditions: string[] = []
    for (const [field, value] of Object.entries(fields)) {
      if (typeof value !== 'string') return null
      if (EQUAL_COLUMNS.some((column) => column === field)) conditions.push(`${field} IS ${bind(value)}`)
      else if (field === 'type')
        conditions.push(`EXISTS (SELECT 1 FROM items i WHERE i.seq = found.seq AND i.type = ${bind(value)})`)
      else return null
    }
    for (const [field, start] of Object.entries(starts)) {
      if (!EQUAL_COLUMNS.some((column) => column === field)) return null
      conditions.push(`substr(coalesce(${field}, ''), 1, ${start.length}) = ${bind(start)}`)
    }
    return conditions.length === 0 ? null : `(${conditions.join(' AND ')})`
  }
  const whole = sqlOf({
    ...(filter.page !== undefined && { page: filter.page }),
    ...(filter.project !== undefined && { project: filter.project }),
    ...(filter.starts !== undefined && { starts: filter.starts }),
  })
  const groups = (filter.any ?? []).flatMap((group) => {
    const parts = group.map(sqlOf)
    return parts.includes(null) ? [] : [`(${parts.join(' OR ')})`]
  })
  const excluded = (filter.not ?? []).map(sqlOf).flatMap((sql) => (sql === null ? [] : [`NOT ${sql}`]))
  const all = [...(whole === null ? [] : [whole]), ...groups, ...excluded]
  return { sql: all.map((sql) => ` AND ${sql}`).join(''), values }
}

const BY_TRACE = `SELECT seq, journal FROM trace_records WHERE trace_id = @trace AND seq < @below
  UNION SELECT seq, journal FROM items WHERE trace_id = @trace AND type NOT IN ('event', 'transaction', 'span')
    AND seq < @below
  UNION SELECT seq, journal FROM envelopes WHERE trace_id = @trace AND trace_of_header = 1 AND seq < @below
  ORDER BY seq DESC LIMIT @most`

function matcher(db: Database, filter: ListFilter): (row: EnvelopeSummary, part: ListFilter) => boolean {
  const hasItem = db.prepare('SELECT 1 FROM items WHERE seq = ? AND trace_id = ? LIMIT 1')
  const hasSpans = db.prepare('SELECT 1 FROM trace_records WHERE seq = ? AND trace_id = ? LIMIT 1')
  const isOfTrace = ({ seq, traceId }: EnvelopeSummary, trace: string): boolean =>
    traceId === trace || hasSpans.get(seq, trace) !== undefined || hasItem.get(seq, trace) !== undefined
  return (row, part) =>
    hasFields(row, part, ['endpoint', 'environment', 'stamp', 'own', 'page', 'project']) &&
    (part.sdk === undefined || (row.sdk !== null && dotted(row.sdk).includes(dotted(part.sdk)))) &&
    isWithin(row.receivedAt * 1000, part) &&
    (part.type === undefined || row.items.some((item) => item.type === part.type)) &&
    (part.starts?.type === undefined || row.items.some((item) => startsAs(item.type, part.starts?.type))) &&
    (part.deliveryStatus === undefined || row.deliveryStatus.name === part.deliveryStatus) &&
    // `BY_TRACE` finds only envelopes of the trace of the whole filter.
    (part === filter || part.trace === undefined || isOfTrace(row, part.trace))
}
