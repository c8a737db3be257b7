import type { Database } from 'better-sqlite3'
import { DATA_CATEGORIES, REPORT_CATEGORY } from '../../lib/protocol/data-category'
import { lostBy, OUTCOMES, type Outcome } from '../../lib/protocol/outcome'
import type { LedgerRow, Loss, Losses } from '../../lib/wire/losses'
import type { Overview } from '../../lib/wire/overview'
import { readNewestEnvelope } from './read-envelopes'
import { journalHead } from './read-journal'
import { readRowCounts } from './write-staged'

interface TotalRow {
  readonly category: string
  readonly entry: 'received' | 'pending' | 'client_discard' | Outcome
  readonly reason: string
  readonly quantity: number
}

/** Sums up the ledger. @param stamp `null` for all stamps; one without ledger rows gets amounts of 0. */
export function readLosses(db: Database, stamp: string | null, now: number): Losses {
  // One read transaction: a commit between two statements would be half in the totals.
  return db.transaction(() => {
    const rows = readLedgerTotals(db, stamp)
    const categories = ledgerRows(rows)
    const refused = stamp === null ? readRefusals(db) : []
    const losses = [...rows.flatMap(lossOf), ...refused].sort(largestFirst)
    const made = categories.filter(({ category }) => category !== REPORT_CATEGORY)
    const sum = (of: (row: LedgerRow) => number): number => made.reduce((all, row) => all + of(row), 0)
    const sums = {
      made: sum(({ made }) => made),
      accepted: sum(({ accepted }) => accepted),
      kept: sum(({ kept }) => kept),
      pending: sum(({ pending }) => pending),
      lost: sum((row) => row.discarded + LOST.reduce((all, outcome) => all + row[outcome], 0)),
      // A mistake in the ledger counts in every category, `internal` too.
      unexplained: categories.reduce((all, { unexplained }) => all + unexplained, 0),
    }
    const summary = { stamp, categories, losses, deadLetters: readDead(db, stamp), ...sums }
    return { now, journal: journalHead(db), ...summary, sentence: lossSentence(summary) }
  })()
}

const LOST = OUTCOMES.filter((outcome): outcome is LostAs => outcome !== 'accepted' && outcome !== 'kept')
type LostAs = Exclude<Outcome, 'accepted' | 'kept'>

function readLedgerTotals(db: Database, stamp: string | null): readonly TotalRow[] {
  const columns = 'category, entry, reason, quantity'
  if (stamp === null) return db.prepare(`SELECT ${columns} FROM spool.ledger_totals`).all() as TotalRow[]
  return db.prepare(`SELECT ${columns} FROM spool.stamp_ledger_totals WHERE stamp = ?`).all(stamp) as TotalRow[]
}

function ledgerRows(rows: readonly TotalRow[]): LedgerRow[] {
  const byCategory = new Map<string, TotalRow[]>()
  for (const row of rows) {
    const of = byCategory.get(row.category) ?? []
    byCategory.set(row.category, of)
    of.push(row)
  }
  return [...byCategory]
    .map(([category, of]) => ledgerRowOf(category, of))
    .sort((one, other) => rankOf(one.category) - rankOf(other.category) || compare(one.category, other.category))
}

function ledgerRowOf(category: string, rows: readonly TotalRow[]): LedgerRow {
  const amountOf = (entry: TotalRow['entry']): number =>
    rows.reduce((sum, row) => (row.entry === entry ? sum + row.quantity : sum), 0)
  const [received, discarded, pending] = [amountOf('received'), amountOf('client_discard'), amountOf('pending')]
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, amountOf(outcome)])) as Record<
    Outcome,
    number
  >
  const decided = OUTCOMES.reduce((sum, outcome) => sum + outcomes[outcome], 0)
  return {
    category,
    made: received + discarded,
    discarded,
    received,
    pending,
    ...outcomes,
    unexplained: received - pending - decided,
  }
}

/** The loss that a row of the ledger totals stands for; none for rows that are no loss. */
function lossOf({ category, entry, reason, quantity }: TotalRow): readonly Loss[] {
  const by = lostBy(entry, reason)
  return by === null || quantity === 0 ? [] : [{ by, reason: reason === '' ? entry : reason, category, quantity }]
}

const readRefusals = (db: Database): readonly Loss[] =>
  (
    db.prepare('SELECT reason, envelopes FROM spool.refusals WHERE envelopes > 0').all() as {
      readonly reason: string
      readonly envelopes: number
    }[]
  ).map(({ reason, envelopes }) => ({ by: 'endpoint', reason, category: null, quantity: envelopes }))

/** Items of dead letters that have no outcome: those that were left out of a delivery have one. */
const readDead = (db: Database, stamp: string | null): Losses['deadLetters'] =>
  db
    .prepare(
      `SELECT json_extract(q.value, '$[0]') AS category, d.status AS status, sum(json_extract(q.value, '$[1]')) AS quantity
       FROM spool.dead_letters d CROSS JOIN spool.submissions s USING (seq), json_each(s.quantities) q
       WHERE (@stamp IS NULL OR s.stamp = @stamp)
         AND NOT EXISTS (SELECT 1 FROM spool.outcomes o WHERE o.seq = d.seq AND o.item = q.key)
       GROUP BY 1, 2 ORDER BY quantity DESC, category, status`,
    )
    .all({ stamp }) as Losses['deadLetters']

function largestFirst(one: Loss, other: Loss): number {
  return (
    other.quantity - one.quantity ||
    compare(one.by, other.by) ||
    compare(one.reason, other.reason) ||
    compare(one.category ?? '', other.category ?? '')
  )
}

/** By code points, so that the order does not depend on a locale. */
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const ORDER = [...DATA_CATEGORIES]

/** Known categories come first, in their fixed order; then categories that senders made up. */
function rankOf(category: string): number {
  const rank = ORDER.indexOf(category)
  return rank < 0 ? ORDER.length : rank
}

/** Losses that the sentence names; the rest is summed up. */
const NAMED = 6

/** The losses in one sentence. Amounts of 0 are left out, except `made`, `lost` and one of `accepted` and `kept`. */
function lossSentence(summary: Omit<Losses, 'now' | 'journal' | 'sentence'>): string {
  const { stamp, made, lost, losses } = summary
  const ofItems = losses.filter(({ by, category }) => by !== 'endpoint' && category !== REPORT_CATEGORY)
  const refused = losses.reduce((sum, { by, quantity }) => (by === 'endpoint' ? sum + quantity : sum), 0)
  const atEndpoint =
    refused === 0 ? '' : `; ${refused} ${refused === 1 ? 'envelope' : 'envelopes'} refused at the endpoint`
  if (
    made === 0 &&
    summary.categories.every(({ category, unexplained }) => category === REPORT_CATEGORY && unexplained === 0)
  )
    return `${stamp === null ? 'nothing was made' : `the ledger has nothing for stamp ${stamp}`}${atEndpoint}`
  const amounts = [
    `made ${made}`,
    ...(['accepted', 'kept', 'pending'] as const)
      .filter((amount) => summary[amount] !== 0 || (amount === 'accepted' && summary.kept === 0))
      .map((amount) => `${amount} ${summary[amount]}`),
    `lost ${lost}`,
  ].join(', ')
  const named = ofItems
    .slice(0, NAMED)
    .map((loss) => `${loss.quantity} ${loss.reason} of ${loss.category ?? 'envelopes'}`)
  const rest = ofItems.slice(NAMED).reduce((sum, { quantity }) => sum + quantity, 0)
  const why = rest === 0 ? named : [...named, `${rest} for other reasons`]
  return `${amounts}${why.length === 0 ? '' : `: ${why.join(', ')}`}${unexplainedClause(summary)}${atEndpoint}`
}

/** Names every category whose ledger row does not balance. */
function unexplainedClause({ categories }: Pick<Losses, 'categories'>): string {
  const wrong = categories.filter(({ unexplained }) => unexplained !== 0)
  if (wrong.length === 0) return ''
  return `; the ledger does not balance: ${wrong.map((row) => `${row.unexplained} unexplained of ${row.category}`).join(', ')}`
}

/** The part of the overview that is stored; the main thread adds the rest. */
type Totals = Pick<Overview, 'journal' | 'refusals' | 'items' | 'last'> & {
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
