import type { Database } from 'better-sqlite3'
import { OUTCOMES, type Outcome } from '../../lib/protocol/outcome'
import type { Overview } from '../../lib/wire/overview'
import { readNewestEnvelope } from './read-envelopes'
import { journalHead } from './read-journal'
import { readRowCounts } from './write-staged'

/** The part of the overview that is stored; the main thread adds the rest. */
export type Totals = Pick<Overview, 'journal' | 'refusals' | 'items' | 'last'> & {
  readonly counts: Omit<Overview['counts'], 'envelopes' | 'copies'>
}

/** Reads stored sums and counts nothing itself: counting a million rows takes longer than a page may. */
export function readTotals(db: Database): Totals {
  const totals = db.prepare('SELECT entry, sum(items) AS items FROM spool.ledger_totals GROUP BY entry').all() as {
    entry: string
    items: number
  }[]
  const itemsOf = new Map(totals.map((row) => [row.entry, row.items]))
  const outcomes: Partial<Record<Outcome, number>> = {}
  for (const outcome of OUTCOMES) outcomes[outcome] = itemsOf.get(outcome) ?? 0
  const refusals = db
    .prepare('SELECT reason, envelopes FROM spool.refusals ORDER BY envelopes DESC, reason')
    .all() as Overview['refusals']
  const received = itemsOf.get('received') ?? 0
  const decided = OUTCOMES.reduce((sum, outcome) => sum + (outcomes[outcome] ?? 0), 0)
  const rows = readRowCounts(db)
  return {
    journal: journalHead(db),
    counts: {
      traces: rows.trace,
      segments: rows.segment,
      spans: rows.span,
      errors: rows.event,
      breadcrumbs: rows.breadcrumb,
      refused: refusals.reduce((sum, refusal) => sum + refusal.envelopes, 0),
    },
    refusals,
    items: { received, pending: received - decided, outcomes: outcomes as Record<Outcome, number> },
    last: readNewestEnvelope(db),
  }
}

/** A setting that was changed at run time; `null` when it never was. */
export function readSetting(db: Database, name: string): string | null {
  const value: unknown = db.prepare('SELECT value FROM spool.settings WHERE name = ?').pluck().get(name)
  return typeof value === 'string' ? value : null
}
