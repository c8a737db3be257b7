import type { Database } from 'better-sqlite3'
import { SIGNAL_KINDS, type SignalKind } from '../../lib/protocol/signal-kind'
import type { SignalCounts, SignalDetail, SignalRow, SignalsPage } from '../../lib/wire/signal'
import { cutPage, type ListPlace, type PageRequest } from './page'
import { readFates } from './read-fates'
import { journalHead } from './read-journal'

/** One answer carries so many signals of a trace. */
export const LARGEST_TRACE_SIGNALS = 1000

type StoredSignal = Omit<SignalRow, 'fields' | 'fate'> & { readonly fields: string }

const COLUMNS = `kind, key, journal, seq, item, received_at AS receivedAt, timestamp_us AS timestampUs, trace_id AS traceId,
  span_id AS spanId, event_id AS eventId, name, level, service, environment, release, copy, fields`

/** Signals of one kind, newest first; those that came in one container keep the order of the list. */
export function readSignals(db: Database, kind: SignalKind, place: ListPlace, page: PageRequest): SignalsPage {
  const rows = db
    .prepare(
      `SELECT ${COLUMNS} FROM signals WHERE kind = @kind AND (journal, key) < (@journal, @id)
       ORDER BY journal DESC, key DESC LIMIT @limit`,
    )
    .all({ ...place, kind, limit: page.limit + 1 }) as StoredSignal[]
  const cut = cutPage(rows, page.limit, (row) => ({ journal: row.journal, id: row.key }))
  return { signals: toSignals(db, cut.rows), next: cut.next, journal: journalHead(db) }
}

/** The signals of a trace, by time. */
export function readSignalsOfTrace(db: Database, traceId: string): SignalsPage {
  const rows = db
    .prepare(
      `SELECT ${COLUMNS} FROM signals WHERE trace_id = ? ORDER BY timestamp_us, seq, item, place
       LIMIT ${LARGEST_TRACE_SIGNALS}`,
    )
    .all(traceId) as StoredSignal[]
  return { signals: toSignals(db, rows), next: null, journal: journalHead(db) }
}

/** One signal; `null` where none is kept under this key. */
export function readSignal(db: Database, kind: SignalKind, key: string): SignalDetail | null {
  const row = db.prepare(`SELECT ${COLUMNS} FROM signals WHERE kind = ? AND key = ?`).get(kind, key)
  const [signal] = row === undefined ? [] : toSignals(db, [row as StoredSignal])
  return signal === undefined ? null : { signal, journal: journalHead(db) }
}

/** How many there are of each kind, those without any included. */
export function countSignals(db: Database): SignalCounts {
  const rows = db.prepare('SELECT kind, count(*) AS count FROM signals GROUP BY kind').all() as {
    readonly kind: SignalKind
    readonly count: number
  }[]
  const found = new Map(rows.map((row) => [row.kind, row.count]))
  const counts = Object.fromEntries(SIGNAL_KINDS.map((kind) => [kind, found.get(kind) ?? 0]))
  return { counts: counts as SignalCounts['counts'], journal: journalHead(db) }
}

function toSignals(db: Database, rows: readonly StoredSignal[]): SignalRow[] {
  const fates = readFates(
    db,
    rows.map((row) => row.seq),
  )
  return rows.map((row) => ({
    ...row,
    fields: JSON.parse(row.fields) as SignalRow['fields'],
    fate: fates(row.seq).of(row.item),
  }))
}
