import type { Database } from 'better-sqlite3'
import type { DeliveryStatusName } from '../../lib/protocol/outcome'
import type { EnvelopeSummary, EnvelopesPage } from '../../lib/wire/envelope'
import { type ListPosition, NEWEST, type PageRequest } from '../../lib/wire/list-position'
import type { ListFilter } from './list-filter'
import { fillPage, hasFields, isWithin, READ_BOUNDS, type ReadBounds, type Scanned, timeBounds } from './list-page'
import { readSummaries } from './read-envelope'
import { journalHead } from './read-journal'

/** So many are read with their items and statuses at once. */
const TOGETHER = 64

/** Submissions, newest first. Their cursors name the record beside the fact. */
export function readEnvelopes(
  db: Database,
  wanted: ListFilter,
  place: ListPosition,
  page: PageRequest,
  bounds = READ_BOUNDS,
): EnvelopesPage {
  const below = place.id === '' ? Number.MAX_SAFE_INTEGER : Number.parseInt(place.id, 16)
  const together = Math.min(TOGETHER, page.limit + 1)
  const found = fillPage(
    lookAtEnvelopes(db, wanted, below, bounds, together),
    page,
    (row) => isWanted(row, wanted),
    bounds.rows,
  )
  return { envelopes: [...found.rows], next: found.next, journal: journalHead(db) }
}

/** The newest submission of all, for the page that shows what happens right now. */
export const readNewestEnvelope = (db: Database): EnvelopeSummary | null =>
  readEnvelopes(db, {}, NEWEST, { limit: 1 }).envelopes[0] ?? null

const placeOf = ({ journal, seq }: Found): ListPosition => ({ journal, id: seq.toString(16) })

interface Found {
  readonly seq: number
  readonly journal: number
}
type FoundRecord = Found | { readonly leftAt: Found }

function* lookAtEnvelopes(
  db: Database,
  wanted: ListFilter,
  below: number,
  bounds: ReadBounds,
  together: number,
): Generator<Scanned<EnvelopeSummary>> {
  let batch: Found[] = []
  for (const one of recordsBelow(db, wanted, below, bounds)) {
    if (!('leftAt' in one)) batch.push(one)
    if ('leftAt' in one || batch.length === together) {
      yield* withSummaries(db, batch)
      batch = []
    }
    if ('leftAt' in one) yield { leftAt: placeOf(one.leftAt) }
  }
  yield* withSummaries(db, batch)
}

function* withSummaries(db: Database, found: readonly Found[]): Generator<Scanned<EnvelopeSummary>> {
  for (const row of readSummaries(
    db,
    found.map(({ seq }) => seq),
  ))
    yield { place: placeOf(row), row }
}

/** What may match, newest first, by the narrowest way that leads to it. */
function* recordsBelow(db: Database, wanted: ListFilter, below: number, bounds: ReadBounds): Generator<FoundRecord> {
  const all = (sql: string, bound: object = {}) =>
    db.prepare(sql).iterate({ below, most: bounds.rows + 1, ...bound }) as IterableIterator<Found>
  if (wanted.trace !== undefined) yield* all(BY_TRACE, { trace: wanted.trace })
  else if (wanted.deliveryStatus === 'pending') yield* all(PENDING)
  else if (wanted.deliveryStatus !== undefined && !COMMON_FATES.has(wanted.deliveryStatus))
    yield* all(BY_FATE, { deliveryStatus: wanted.deliveryStatus })
  else yield* recordsByRows(db, wanted, below, bounds)
}

/** Statuses that most envelopes have: their index would be as long as the list. */
const COMMON_FATES: ReadonlySet<DeliveryStatusName> = new Set(['accepted', 'kept', 'copy'])

/**
 * Digested records through their rows; those above and below, whose rows are not made yet or went to make room, through
 * the record itself, unless something is wanted that only rows tell: each record stands on a page of its own, beside its
 * body.
 */
function* recordsByRows(db: Database, wanted: ListFilter, below: number, bounds: ReadBounds): Generator<FoundRecord> {
  // Each end is one step of the index; asked for together they would be a scan.
  const [upTo, from] = ['max', 'min'].map((end) =>
    Number(db.prepare(`SELECT ${end}(seq) FROM envelopes`).pluck().get() ?? 0),
  ) as [number, number]
  const bound = {
    ...timeBounds(wanted),
    endpoint: wanted.deliveryStatus === 'copy' ? 'stream' : (wanted.endpoint ?? null),
    stamp: wanted.stamp ?? null,
    sdk: wanted.sdk === undefined ? null : dotted(wanted.sdk),
    environment: wanted.environment ?? null,
    type: wanted.type ?? null,
    deliveryStatus: wanted.deliveryStatus === 'copy' ? null : (wanted.deliveryStatus ?? null),
  }
  const rowsAreNeeded = [wanted.type, wanted.environment, wanted.sdk].some((value) => value !== undefined)
  if (!rowsAreNeeded) yield* look(db, BY_RECORD, bounds.rows, { ...bound, below, above: upTo })
  const rows = { ...bound, below: Math.min(below, upTo + 1), above: from - 1 }
  if (wanted.stamp === undefined) yield* look(db, BY_ROW, bounds.entries, rows)
  else yield* look(db, BY_STAMP, bounds.entries, rows)
  if (!rowsAreNeeded) yield* look(db, BY_RECORD, bounds.rows, { ...bound, below: Math.min(below, from), above: 0 })
}

/** What of a way may match, and where it was left when it is longer than `most`. */
function* look(db: Database, way: Way, most: number, bound: object): Generator<FoundRecord> {
  yield* db.prepare(way.entries).iterate({ ...bound, most }) as IterableIterator<Found>
  const leftAt = db.prepare(way.leftAt).get({ ...bound, most: most - 1 }) as Found | undefined
  if (leftAt !== undefined) yield { leftAt }
}

interface Way {
  readonly entries: string
  readonly leftAt: string
}

/** `sentry.python 1.9.10` by where its words begin: what is wanted is the beginning of one, or goes on through several. */
const dotted = (sdk: string): string => `.${sdk.replaceAll(' ', '.').toLowerCase()}`

const HAS_FATE =
  '(@deliveryStatus IS NULL OR EXISTS (SELECT 1 FROM spool.outcomes o WHERE o.seq = found.seq AND o.outcome = @deliveryStatus))'
const HAS_TYPE = '(@type IS NULL OR EXISTS (SELECT 1 FROM items i WHERE i.seq = found.seq AND i.type = @type))'
const OF_RECORD = `(@endpoint IS NULL OR endpoint = @endpoint) AND received_at * 1000 >= @sinceUs AND received_at * 1000 < @untilUs`

const wayThrough = (source: string, condition: string, ofEach: string): Way => ({
  entries: `SELECT seq, journal FROM (SELECT ${ofEach} FROM ${source} ORDER BY seq DESC LIMIT @most) found WHERE ${condition}`,
  leftAt: `SELECT seq, journal FROM ${source} ORDER BY seq DESC LIMIT 1 OFFSET @most`,
})

const OF_ROW = `${OF_RECORD} AND (@sdk IS NULL OR instr('.' || lower(replace(sdk, ' ', '.')), @sdk)) AND (@environment IS NULL OR environment = @environment)
  AND ${HAS_TYPE} AND ${HAS_FATE}`
const ROW_COLUMNS = 'seq, journal, received_at, endpoint, sdk, environment'
export const BY_ROW = wayThrough('envelopes WHERE seq < @below AND seq > @above', OF_ROW, ROW_COLUMNS)
export const BY_STAMP = wayThrough(
  'envelopes WHERE stamp = @stamp AND seq < @below AND seq > @above',
  OF_ROW,
  ROW_COLUMNS,
)
export const BY_RECORD = wayThrough(
  'spool.submissions WHERE seq < @below AND seq > @above',
  `${OF_RECORD} AND (@stamp IS NULL OR stamp = @stamp) AND ${HAS_FATE}`,
  'seq, journal, received_at, endpoint, stamp',
)

export const BY_TRACE = `SELECT seq, journal FROM trace_records WHERE trace_id = @trace AND seq < @below
  UNION SELECT seq, journal FROM items WHERE trace_id = @trace AND type NOT IN ('event', 'transaction', 'span')
    AND seq < @below
  UNION SELECT seq, journal FROM envelopes WHERE trace_id = @trace AND trace_of_header = 1 AND seq < @below
  ORDER BY seq DESC LIMIT @most`
/** What is pending, and dead letters: a person has not decided about them. */
export const PENDING = `SELECT o.seq AS seq, s.journal AS journal FROM spool.pending_deliveries o CROSS JOIN spool.submissions s USING (seq) WHERE o.seq < @below
  UNION ALL SELECT d.seq AS seq, s.journal AS journal FROM spool.dead_letters d CROSS JOIN spool.submissions s USING (seq) WHERE d.seq < @below
  ORDER BY seq DESC LIMIT @most`
/** In the words of the index, which holds only these. */
export const BY_FATE = `SELECT DISTINCT s.seq, s.journal FROM spool.outcomes o CROSS JOIN spool.submissions s USING (seq)
  WHERE o.outcome = @deliveryStatus AND o.outcome NOT IN ('accepted', 'kept') AND o.seq < @below
  ORDER BY o.seq DESC LIMIT @most`

/** Of which traces its items tell is not in a summary: those of a wanted trace are found by their indexes alone. */
const isWanted = (row: EnvelopeSummary, wanted: ListFilter): boolean =>
  hasFields(row, wanted, ['endpoint', 'environment', 'stamp']) &&
  (wanted.sdk === undefined || (row.sdk !== null && dotted(row.sdk).includes(dotted(wanted.sdk)))) &&
  isWithin(row.receivedAt * 1000, wanted) &&
  (wanted.type === undefined || row.items.some((item) => item.type === wanted.type)) &&
  (wanted.deliveryStatus === undefined || row.deliveryStatus.name === wanted.deliveryStatus)
