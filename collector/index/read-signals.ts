import type { Database } from 'better-sqlite3'
import { SIGNAL_KINDS, type SignalKind } from '../../lib/protocol/items/signal'
import type { SignalCounts, SignalDetail, SignalRow, SignalsPage } from '../../lib/wire/signal'
import { readDeliveryStatuses } from './read-delivery-statuses'
import { journalHead } from './read-journal'
import { readRowCounts } from './write-staged'

/** One answer carries so many signals of a trace. */
const LARGEST_TRACE_SIGNALS = 1000

/** A signal as its row has it. */
export type StoredSignal = Omit<SignalRow, 'fields' | 'deliveryStatus'> & { readonly fields: string }

export const SIGNAL_COLUMNS = `kind, key, journal, seq, item, received_at AS receivedAt, timestamp_us AS timestampUs, trace_id AS traceId,
  span_id AS spanId, event_id AS eventId, name, level, service, environment, release, copy, fields`

/** The signals of a trace, by time. */
export function readSignalsOfTrace(db: Database, traceId: string): SignalsPage {
  const rows = db
    .prepare(
      `SELECT ${SIGNAL_COLUMNS} FROM signals WHERE trace_id = ? ORDER BY timestamp_us, seq, item, place
       LIMIT ${LARGEST_TRACE_SIGNALS}`,
    )
    .all(traceId) as StoredSignal[]
  return { signals: toSignals(db, rows), next: null, journal: journalHead(db) }
}

/** One signal; `null` where none is kept under this key. */
export function readSignal(db: Database, kind: SignalKind, key: string): SignalDetail | null {
  const row = db.prepare(`SELECT ${SIGNAL_COLUMNS} FROM signals WHERE kind = ? AND key = ?`).get(kind, key)
  const [signal] = row === undefined ? [] : toSignals(db, [row as StoredSignal])
  return signal === undefined ? null : { signal, journal: journalHead(db) }
}

/** How many there are of each kind, those without any included. */
export function countSignals(db: Database): SignalCounts {
  const counts = readRowCounts(db)
  return {
    counts: Object.fromEntries(SIGNAL_KINDS.map((kind) => [kind, counts[kind]])) as SignalCounts['counts'],
    journal: journalHead(db),
  }
}

/** With what became of them. */
export function toSignals(db: Database, rows: readonly StoredSignal[]): SignalRow[] {
  const deliveryStatuses = readDeliveryStatuses(
    db,
    rows.map((row) => row.seq),
  )
  return rows.map((row) => ({
    ...row,
    fields: JSON.parse(row.fields) as SignalRow['fields'],
    deliveryStatus: deliveryStatuses(row.seq).of(row.item),
  }))
}
