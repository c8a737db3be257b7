import type { Database } from 'better-sqlite3'
import type { DeliveriesPage, Delivery } from '../../../lib/wire/delivery'
import type { EnvelopeSummary } from '../../../lib/wire/envelope'
import { fillPage, READ_BOUNDS, type ReadBounds, type Scanned, type ScanPath } from '../../../lib/wire/fill-page'
import { hasFields, isWithin, type ListFilter, matchesWhole, timeBounds } from '../../../lib/wire/list-filter'
import type { ListPosition, PageRequest } from '../../../lib/wire/list-paging'
import { journalHead } from './read-journal'

interface DeliveryRow extends Omit<Delivery, 'maybeDelivered' | 'form' | 'leftOut' | 'removed'> {
  readonly maybeDelivered: number
  /** Separated by spaces. */
  readonly form: string
  /** JSON. */
  readonly leftOut: string | null
  readonly removed: string | null
}

const COLUMNS = `id, journal, seq, attempt, upstream, started_at AS startedAt, ended_at AS endedAt, status, error,
  rate_limits AS rateLimits, retry_after AS retryAfter, answer, form, sha256, bytes, maybe_delivered AS maybeDelivered,
  left_out AS leftOut, removed`

export function readAttempts(db: Database, seq: number): readonly Delivery[] {
  const rows = db.prepare(`SELECT ${COLUMNS} FROM deliveries WHERE seq = ? ORDER BY attempt`).all(seq) as DeliveryRow[]
  return rows.map(toDelivery)
}

type PostSummary = Pick<EnvelopeSummary, 'deliveries' | 'lastDelivery'>

export const NEVER_POSTED: PostSummary = { deliveries: 0, lastDelivery: null }

const SHOWN_ANSWER = 200

/** The number of attempts and the last one, by submission. Submissions that were never posted are left out. */
export function readPostSummaries(db: Database, seqs: readonly number[]): ReadonlyMap<number, PostSummary> {
  // With a single max(), SQLite takes the other columns from the row with the maximum (SQLite, "SELECT", bare columns).
  const rows = db
    .prepare(
      `SELECT seq, count(*) AS deliveries, max(attempt) AS attempt, ended_at AS at, upstream, status, error,
         substr(answer, 1, ${SHOWN_ANSWER}) AS answer
       FROM deliveries WHERE seq IN (SELECT value FROM json_each(?)) GROUP BY seq`,
    )
    .all(JSON.stringify(seqs)) as PostSummaryRow[]
  return new Map(rows.map(({ seq, deliveries, attempt: _, ...lastDelivery }) => [seq, { deliveries, lastDelivery }]))
}

interface PostSummaryRow extends NonNullable<EnvelopeSummary['lastDelivery']> {
  readonly seq: number
  readonly deliveries: number
  readonly attempt: number
}

export function readDeliveries(
  db: Database,
  filter: ListFilter,
  position: ListPosition,
  page: PageRequest,
  bounds = READ_BOUNDS,
): DeliveriesPage {
  const below = position.id === '' ? Number.MAX_SAFE_INTEGER : Number.parseInt(position.id, 16)
  const found = fillPage(
    scanDeliveries(db, filter, below, bounds),
    page,
    matchesWhole(filter, matchesFilter),
    bounds.rows,
  )
  return { deliveries: found.rows.map(toDelivery), next: found.next, journal: journalHead(db) }
}

export function readDelivery(db: Database, id: number): Delivery | null {
  const row = db.prepare(`SELECT ${COLUMNS} FROM deliveries WHERE id = ?`).get(id) as DeliveryRow | undefined
  return row === undefined ? null : toDelivery(row)
}

function* scanDeliveries(
  db: Database,
  filter: ListFilter,
  below: number,
  { entries }: ReadBounds,
): Generator<Scanned<DeliveryRow>> {
  const path = choosePath(filter)
  const bound = {
    ...timeBounds(filter),
    below,
    upstream: filter.upstream ?? null,
    answer: filter.answer ?? null,
    except: filter.not?.find(isAnswerAlone)?.answer ?? null,
    seq: filter.envelope ?? null,
    most: entries,
  }
  const one = db.prepare(`SELECT ${COLUMNS} FROM deliveries WHERE id = ?`)
  for (const { id, journal } of db.prepare(path.entries).iterate(bound) as IterableIterator<Found>)
    yield { position: positionOf({ id, journal }), row: one.get(id) as DeliveryRow }
  const stoppedAt = db.prepare(path.stoppedAt).get(bound) as Found | undefined
  if (stoppedAt !== undefined) yield { stoppedAt: positionOf(stoppedAt) }
}

/** The part of `-status:200`: rows with this answer are skipped by SQL, because most have it. */
const isAnswerAlone = (part: ListFilter): boolean => Object.keys(part).join() === 'answer'

interface Found {
  readonly id: number
  readonly journal: number
}

const positionOf = ({ id, journal }: Found): ListPosition => ({ journal, id: id.toString(16) })

function choosePath({ envelope, answer }: ListFilter): ScanPath {
  if (envelope !== undefined) return BY_ENVELOPE
  return answer !== undefined && answer !== 200 ? BY_ANSWER : BY_ID
}

const pathThrough = (source: string): ScanPath => ({
  entries: `SELECT id, journal FROM
      (SELECT id, journal, upstream, started_at, status FROM ${source} ORDER BY id DESC LIMIT @most)
    WHERE (@upstream IS NULL OR upstream = @upstream) AND (@answer IS NULL OR status = @answer) AND (@except IS NULL OR status IS NOT @except)
      AND started_at * 1000 >= @sinceUs AND started_at * 1000 < @untilUs`,
  stoppedAt: `SELECT id, journal FROM ${source} ORDER BY id DESC LIMIT 1 OFFSET @most - 1`,
})
export const BY_ID = pathThrough('deliveries WHERE id < @below')
export const BY_ENVELOPE = pathThrough('deliveries WHERE seq = @seq AND id < @below')
/** The condition repeats that of the partial index, or SQLite does not use it. */
export const BY_ANSWER = pathThrough('deliveries WHERE status IS @answer AND status IS NOT 200 AND id < @below')

const matchesFilter = (row: DeliveryRow, filter: ListFilter): boolean =>
  hasFields(row, filter, ['upstream']) &&
  isWithin(row.startedAt * 1000, filter) &&
  (filter.answer === undefined || filter.answer === row.status) &&
  (filter.envelope === undefined || filter.envelope === row.seq)

const toDelivery = (row: DeliveryRow): Delivery => ({
  ...row,
  form: row.form.split(' ') as Delivery['form'],
  leftOut: row.leftOut === null ? [] : (JSON.parse(row.leftOut) as Delivery['leftOut']),
  removed: row.removed === null ? [] : (JSON.parse(row.removed) as Delivery['removed']),
  maybeDelivered: row.maybeDelivered === 1,
})
