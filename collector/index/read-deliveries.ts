import type { Database } from 'better-sqlite3'
import type { DeliveriesPage, Delivery } from '../../lib/wire/delivery'
import type { EnvelopeSummary } from '../../lib/wire/envelope'
import type { ListPosition, PageRequest } from '../../lib/wire/list-position'
import type { ListFilter } from './list-filter'
import { fillPage, hasFields, isWithin, READ_BOUNDS, type ReadBounds, type Scanned, timeBounds } from './list-page'
import { journalHead } from './read-journal'

interface DeliveryRow extends Omit<Delivery, 'maybeDelivered' | 'form' | 'leftOut' | 'removed'> {
  readonly maybeDelivered: number
  /** Its forms, a space between. */
  readonly form: string
  /** Lists as JSON. */
  readonly leftOut: string | null
  readonly removed: string | null
}

const COLUMNS = `id, journal, seq, attempt, upstream, started_at AS startedAt, ended_at AS endedAt, status, error,
  rate_limits AS rateLimits, retry_after AS retryAfter, answer, form, sha256, bytes, maybe_delivered AS maybeDelivered,
  left_out AS leftOut, removed`

/** Every attempt to deliver one submission, first to last. */
export function readAttempts(db: Database, seq: number): readonly Delivery[] {
  const rows = db
    .prepare(`SELECT ${COLUMNS} FROM spool.deliveries WHERE seq = ? ORDER BY attempt`)
    .all(seq) as DeliveryRow[]
  return rows.map(toDelivery)
}

type Tries = Pick<EnvelopeSummary, 'deliveries' | 'lastDelivery'>

/** Of a submission that was never posted. */
export const UNTRIED: Tries = { deliveries: 0, lastDelivery: null }

/** A list shows so much of upstream's words. */
const SHOWN_ANSWER = 200

/** How often each of some submissions was posted, and how the last of these attempts ended; who never was is left out. */
export function readTries(db: Database, seqs: readonly number[]): ReadonlyMap<number, Tries> {
  // Beside the one max() the other columns are those of the row that has it (SQLite, "SELECT", bare columns).
  const rows = db
    .prepare(
      `SELECT seq, count(*) AS deliveries, max(attempt) AS attempt, ended_at AS at, upstream, status, error,
         substr(answer, 1, ${SHOWN_ANSWER}) AS answer
       FROM spool.deliveries WHERE seq IN (SELECT value FROM json_each(?)) GROUP BY seq`,
    )
    .all(JSON.stringify(seqs)) as TriesRow[]
  return new Map(rows.map(({ seq, deliveries, attempt: _, ...lastDelivery }) => [seq, { deliveries, lastDelivery }]))
}

interface TriesRow extends NonNullable<EnvelopeSummary['lastDelivery']> {
  readonly seq: number
  readonly deliveries: number
  readonly attempt: number
}

/** Attempts of all submissions, newest first. Their cursors name the attempt beside the fact. */
export function readDeliveries(
  db: Database,
  wanted: ListFilter,
  place: ListPosition,
  page: PageRequest,
  bounds = READ_BOUNDS,
): DeliveriesPage {
  const below = place.id === '' ? Number.MAX_SAFE_INTEGER : Number.parseInt(place.id, 16)
  const found = fillPage(lookAtDeliveries(db, wanted, below, bounds), page, (row) => isWanted(row, wanted), bounds.rows)
  return { deliveries: found.rows.map(toDelivery), next: found.next, journal: journalHead(db) }
}

export function readDelivery(db: Database, id: number): Delivery | null {
  const row = db.prepare(`SELECT ${COLUMNS} FROM spool.deliveries WHERE id = ?`).get(id) as DeliveryRow | undefined
  return row === undefined ? null : toDelivery(row)
}

function* lookAtDeliveries(
  db: Database,
  wanted: ListFilter,
  below: number,
  { entries }: ReadBounds,
): Generator<Scanned<DeliveryRow>> {
  const way = wayOf(wanted)
  const bound = {
    ...timeBounds(wanted),
    below,
    upstream: wanted.upstream ?? null,
    answer: wanted.answer ?? null,
    seq: wanted.envelope ?? null,
    most: entries,
  }
  const one = db.prepare(`SELECT ${COLUMNS} FROM spool.deliveries WHERE id = ?`)
  for (const { id, journal } of db.prepare(way.entries).iterate(bound) as IterableIterator<Found>)
    yield { place: placeOf({ id, journal }), row: one.get(id) as DeliveryRow }
  const leftAt = db.prepare(way.leftAt).get(bound) as Found | undefined
  if (leftAt !== undefined) yield { leftAt: placeOf(leftAt) }
}

interface Found {
  readonly id: number
  readonly journal: number
}

const placeOf = ({ id, journal }: Found): ListPosition => ({ journal, id: id.toString(16) })

/** The narrowest way to what may match. */
function wayOf({ envelope, answer }: ListFilter): Way {
  if (envelope !== undefined) return BY_ENVELOPE
  return answer !== undefined && answer !== 200 ? BY_ANSWER : BY_ID
}

interface Way {
  readonly entries: string
  readonly leftAt: string
}

const wayThrough = (source: string): Way => ({
  entries: `SELECT id, journal FROM
      (SELECT id, journal, upstream, started_at, status FROM ${source} ORDER BY id DESC LIMIT @most)
    WHERE (@upstream IS NULL OR upstream = @upstream) AND (@answer IS NULL OR status = @answer)
      AND started_at * 1000 >= @sinceUs AND started_at * 1000 < @untilUs`,
  leftAt: `SELECT id, journal FROM ${source} ORDER BY id DESC LIMIT 1 OFFSET @most - 1`,
})
export const BY_ID = wayThrough('spool.deliveries WHERE id < @below')
export const BY_ENVELOPE = wayThrough('spool.deliveries WHERE seq = @seq AND id < @below')
/** In the words of the index, which holds only these. */
export const BY_ANSWER = wayThrough('spool.deliveries WHERE status IS @answer AND status IS NOT 200 AND id < @below')

const isWanted = (row: DeliveryRow, wanted: ListFilter): boolean =>
  hasFields(row, wanted, ['upstream']) &&
  isWithin(row.startedAt * 1000, wanted) &&
  (wanted.answer === undefined || wanted.answer === row.status) &&
  (wanted.envelope === undefined || wanted.envelope === row.seq)

const toDelivery = (row: DeliveryRow): Delivery => ({
  ...row,
  form: row.form.split(' ') as Delivery['form'],
  leftOut: row.leftOut === null ? [] : (JSON.parse(row.leftOut) as Delivery['leftOut']),
  removed: row.removed === null ? [] : (JSON.parse(row.removed) as Delivery['removed']),
  maybeDelivered: row.maybeDelivered === 1,
})
