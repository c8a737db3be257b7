import type { Database } from 'better-sqlite3'
import type { DeadLetter, DeadLettersPage } from '../../lib/wire/dead-letter'
import { type ListPosition, type PageRequest, writeCursor } from '../../lib/wire/list-position'
import { prepareOnce } from '../spool/prepare'
import { journalHead } from './read-journal'

interface DeadRow extends Omit<DeadLetter, 'items'> {
  /** Of every item, as JSON. */
  readonly quantities: string
}

/** What upstreams refused for what it is and no person has decided about, the newest envelope first. */
export function readDeadLetters(db: Database, place: ListPosition, page: PageRequest): DeadLettersPage {
  const below = place.id === '' ? Number.MAX_SAFE_INTEGER : Number.parseInt(place.id, 16)
  // One more than asked for tells whether there is a next page.
  const rows = prepareOnce(db, PAGE).all(below, page.limit + 1) as DeadRow[]
  const deadLetters = rows.slice(0, page.limit).map(toDeadLetter)
  const last = deadLetters.at(-1)
  const next =
    rows.length > page.limit && last !== undefined
      ? writeCursor({ journal: last.journal, id: last.seq.toString(16) })
      : null
  return { deadLetters, next, journal: journalHead(db) }
}

/** All of them by their numbers, the oldest first. */
export const readDeadSeqs = (db: Database): readonly number[] =>
  prepareOnce(db, 'SELECT seq FROM spool.dead_letters ORDER BY seq').pluck().all() as number[]

/** A dead letter as far as limits go. */
export interface DeadItems {
  readonly seq: number
  readonly publicKey: string
  readonly project: string
  /** Of its items, each once. */
  readonly categories: readonly string[]
}

/** Those among these that are dead letters. */
export function readDeadItems(db: Database, seqs: readonly number[]): readonly DeadItems[] {
  const rows = prepareOnce(db, ITEMS).all(JSON.stringify(seqs)) as (Omit<DeadItems, 'categories'> & {
    readonly quantities: string
  })[]
  return rows.map(({ quantities, ...row }) => ({
    ...row,
    categories: [...new Set((JSON.parse(quantities) as [string, number][]).map(([category]) => category))],
  }))
}

const ITEMS = `SELECT d.seq AS seq, d.public_key AS publicKey, d.project AS project, s.quantities AS quantities
  FROM spool.dead_letters d CROSS JOIN spool.submissions s USING (seq)
  WHERE d.seq IN (SELECT value FROM json_each(?)) ORDER BY d.seq`

const toDeadLetter = ({ quantities, ...row }: DeadRow): DeadLetter => ({
  ...row,
  items: (JSON.parse(quantities) as [string, number][]).map(([category, quantity]) => ({ category, quantity })),
})

/** The attempt that was refused is its last one. */
const PAGE = `SELECT d.seq AS seq, s.journal AS journal, s.received_at AS receivedAt, d.at AS at, a.upstream AS upstream,
    d.status AS status, a.answer AS answer, a.attempt AS attempts, s.bytes AS bytes, s.quantities AS quantities
  FROM spool.dead_letters d CROSS JOIN spool.submissions s USING (seq)
    JOIN spool.deliveries a ON a.seq = d.seq
      AND a.attempt = (SELECT max(attempt) FROM spool.deliveries WHERE seq = d.seq)
  WHERE d.seq < ? ORDER BY d.seq DESC LIMIT ?`
