import type { Database } from 'better-sqlite3'
import type { DeliveriesPage, Delivery } from '../../lib/wire/delivery'
import { cutPage, type ListPlace, type PageRequest } from './page'
import { journalHead } from './read-journal'

type DeliveryRow = Omit<Delivery, 'maybeDelivered'> & { readonly maybeDelivered: number }

const COLUMNS = `id, journal, seq, attempt, upstream, started_at AS startedAt, ended_at AS endedAt, status, error,
  rate_limits AS rateLimits, retry_after AS retryAfter, answer, form, sha256, bytes, maybe_delivered AS maybeDelivered`

/** Every attempt to deliver one submission, first to last. */
export function readAttempts(db: Database, seq: number): readonly Delivery[] {
  const rows = db
    .prepare(`SELECT ${COLUMNS} FROM spool.deliveries WHERE seq = ? ORDER BY attempt`)
    .all(seq) as DeliveryRow[]
  return rows.map(toDelivery)
}

/** Attempts of all submissions, newest first. */
export function readDeliveries(db: Database, place: ListPlace, page: PageRequest): DeliveriesPage {
  const rows = db
    .prepare(`SELECT ${COLUMNS} FROM spool.deliveries WHERE journal < ? ORDER BY id DESC LIMIT ?`)
    .all(place.journal, page.limit + 1) as DeliveryRow[]
  const cut = cutPage(rows, page.limit, (row) => ({ journal: row.journal, id: '' }))
  return { deliveries: cut.rows.map(toDelivery), next: cut.next, journal: journalHead(db) }
}

export function readDelivery(db: Database, id: number): Delivery | null {
  const row = db.prepare(`SELECT ${COLUMNS} FROM spool.deliveries WHERE id = ?`).get(id) as DeliveryRow | undefined
  return row === undefined ? null : toDelivery(row)
}

const toDelivery = (row: DeliveryRow): Delivery => ({ ...row, maybeDelivered: row.maybeDelivered === 1 })
