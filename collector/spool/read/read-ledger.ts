import type { Database } from 'better-sqlite3'
import { OUTCOMES, type Outcome } from '../../../lib/protocol/outcome'
import type { Figures } from '../../../lib/wire/figures'
import { accountOf, accountSentence, type LedgerEntry, largestFirst } from '../../../lib/wire/ledger-account'
import type { Loss, Losses } from '../../../lib/wire/losses'
import type { Overview } from '../../../lib/wire/overview'
import { journalHead } from './read-journal'

/** Sums up the ledger. @param stamp `null` for all stamps; one without ledger rows gets no categories. */
export function readLosses(db: Database, stamp: string | null, now: number): Omit<Losses, 'innerSpans'> {
  // One read transaction: a commit between two statements would be half in the totals.
  return db.transaction(() => {
    const account = accountOf(readLedgerTotals(db, stamp))
    const refused = stamp === null ? readRefusals(db) : []
    const losses = [...account.losses, ...refused].sort(largestFirst)
    const summary = {
      stamp,
      ...account,
      losses,
      deadLetters: readDead(db, stamp),
    }
    return { now, journal: journalHead(db), ...summary, sentence: lossSentence(summary) }
  })()
}

function readLedgerTotals(db: Database, stamp: string | null): readonly LedgerEntry[] {
  const columns = 'category, entry, reason, quantity'
  if (stamp === null) return db.prepare(`SELECT ${columns} FROM ledger_totals`).all() as LedgerEntry[]
  return db.prepare(`SELECT ${columns} FROM stamp_ledger_totals WHERE stamp = ?`).all(stamp) as LedgerEntry[]
}

const readRefusals = (db: Database): readonly Loss[] =>
  (
    db.prepare('SELECT reason, envelopes FROM refusals WHERE envelopes > 0').all() as {
      readonly reason: string
      readonly envelopes: number
    }[]
  ).map(({ reason, envelopes }) => ({ by: 'endpoint', reason, category: null, quantity: envelopes }))

/** Items of dead letters that have no outcome: those that were left out of a delivery have one. */
const readDead = (db: Database, stamp: string | null): Losses['deadLetters'] =>
  db
    .prepare(
      `SELECT json_extract(q.value, '$[0]') AS category, d.status AS status, sum(json_extract(q.value, '$[1]')) AS quantity
       FROM dead_letters d CROSS JOIN submissions s USING (seq), json_each(CASE WHEN json_valid(s.quantities) THEN s.quantities ELSE '[]' END) q
       WHERE (@stamp IS NULL OR s.stamp = @stamp)
         AND NOT EXISTS (SELECT 1 FROM outcomes o WHERE o.seq = d.seq AND o.item = q.key)
       GROUP BY 1, 2 ORDER BY quantity DESC, category, status`,
    )
    .all({ stamp }) as Losses['deadLetters']

function lossSentence(summary: Pick<Losses, 'stamp' | 'categories' | 'losses' | 'notSent'>): string {
  const { stamp, losses } = summary
  const refused = losses.reduce((sum, { by, quantity }) => (by === 'endpoint' ? sum + quantity : sum), 0)
  const atEndpoint =
    refused === 0 ? '' : `; ${refused} ${refused === 1 ? 'envelope' : 'envelopes'} refused at the endpoint`
  const nothing = stamp === null ? 'nothing was made' : `the ledger has nothing for stamp ${stamp}`
  return `${accountSentence(summary) || nothing}${atEndpoint}`
}

function readRefusalsWithPaths(db: Database): Overview['refusals'] {
  const paths = db.prepare('SELECT reason, path, envelopes FROM refused_paths ORDER BY envelopes DESC, path').all() as {
    readonly reason: string
    readonly path: string
    readonly envelopes: number
  }[]
  const refusals = db
    .prepare('SELECT reason, envelopes FROM refusals ORDER BY envelopes DESC, reason')
    .all() as Overview['refusals']
  return refusals.map((refusal) => {
    const own = paths.filter(({ reason }) => reason === refusal.reason)
    return own.length === 0 ? refusal : { ...refusal, paths: own.map(({ path, envelopes }) => ({ path, envelopes })) }
  })
}

/** The part of the overview that is on record. */
type Totals = Pick<Overview, 'journal' | 'refusals' | 'items' | 'pages'> & {
  /** Envelopes that endpoints refused. */
  readonly refused: number
  readonly unexplained: Figures['line']['unexplained']
}

/** Reads stored sums and counts nothing itself: counting a million rows takes longer than a page may. */
export function readTotals(db: Database): Totals {
  const totals = db.prepare('SELECT entry, sum(items) AS items FROM ledger_totals GROUP BY entry').all() as {
    entry: string
    items: number
  }[]
  const itemsOf = new Map(totals.map((row) => [row.entry, row.items]))
  const outcomes: Partial<Record<Outcome, number>> = {}
  for (const outcome of OUTCOMES) outcomes[outcome] = itemsOf.get(outcome) ?? 0
  const refusals = readRefusalsWithPaths(db)
  const received = itemsOf.get('received') ?? 0
  const decided = OUTCOMES.reduce((sum, outcome) => sum + (outcomes[outcome] ?? 0), 0)
  return {
    journal: journalHead(db),
    refused: refusals.reduce((sum, refusal) => sum + refusal.envelopes, 0),
    refusals,
    items: { received, pending: received - decided, outcomes: outcomes as Record<Outcome, number> },
    pages: { documents: counted(db, 'documents'), posted: counted(db, 'pages_posted') },
    unexplained: db.prepare(UNEXPLAINED).all() as Figures['line']['unexplained'],
  }
}

const counted = (db: Database, name: 'documents' | 'pages_posted'): number =>
  (db.prepare('SELECT value FROM counters WHERE name = ?').pluck().get(name) as number | undefined) ?? 0

/** Received, but neither pending nor decided, as in the account of losses. */
const UNEXPLAINED = `SELECT category, quantity FROM (
    SELECT category, sum(CASE entry WHEN 'received' THEN quantity ELSE -quantity END) AS quantity FROM ledger_totals
    WHERE entry NOT IN ('client_discard', 'answer_unseen') GROUP BY category)
  WHERE quantity <> 0 ORDER BY abs(quantity) DESC, category`
