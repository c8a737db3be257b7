import type { Database } from 'better-sqlite3'
import { sumReports } from '../../../lib/protocol/items/client-report'
import { NETWORK_ERROR } from '../../../lib/protocol/outcome'
import { type Endpoint, parseRecord } from '../../../lib/protocol/record'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import type { Discard } from '../../../lib/protocol/submission'
import { OTHER_NAME } from '../ledger/ledger-entries'
import { inflateBody } from '../record-body'

/** Adds the totals of the attached shard. */
export function sumLedger(db: Database, shard: number): void {
  for (const sql of SUM) db.prepare(sql).run({ shard })
}

/** Pages and programs with a submission that is left out, and its stamp. */
export type SharedSources = Map<string, string | null>

/**
 * Subtracts the submissions of the attached shard that are left out, because another shard has them, too. Adds those to
 * the totals of their stamp that came before these began: a shard with many stamps begins the oldest again.
 * @param shared of the shards so far; this one's are added
 */
export function correctLedger(db: Database, shard: number, shared: SharedSources): void {
  const corrected = db.prepare(CORRECTED).all({ shard }) as Corrected[]
  if (corrected.length > 0) {
    for (const sql of CORRECT) db.prepare(sql).run({ shard })
    correctDiscards(db, corrected)
  }
  for (const { source, stamp, ofAll } of corrected) if (ofAll !== 0 && source !== null) shared.set(source, stamp)
  mergeUnseen(db, shard, shared)
}

interface Corrected {
  readonly seq: number
  readonly stamp: string | null
  readonly source: string | null
  /** How often it is to be added to all totals, and to those of its stamp. */
  readonly ofAll: -1 | 0
  readonly ofStamp: -1 | 0 | 1
}

type Add = (
  category: string,
  entry: string,
  reason: string,
  ofAll: number,
  ofStamp: number,
  stamp: string | null,
) => void

/** Changes totals that have no items. */
function adder(db: Database): Add {
  const all = db.prepare(
    `INSERT INTO ledger_totals (category, entry, reason, quantity, items) VALUES (?, ?, ?, ?, 0) ${ADD}`,
  )
  const one = db.prepare(
    `INSERT INTO stamp_ledger_totals (category, entry, reason, quantity, items, stamp) VALUES (?, ?, ?, ?, 0, ?) ${ADD}`,
  )
  return (category, entry, reason, ofAll, ofStamp, stamp) => {
    if (ofAll !== 0) all.run(category, entry, reason, ofAll)
    if (stamp !== null && ofStamp !== 0) one.run(category, entry, reason, ofStamp, stamp)
  }
}

function correctDiscards(db: Database, corrected: readonly Corrected[]): void {
  const add = adder(db)
  const read = db.prepare('SELECT endpoint, bytes, deflated, body FROM shard.submissions WHERE seq = ?')
  // Names beyond the limits of the ledger were counted together.
  const counted = (column: 'category' | 'reason') => {
    const sql = `SELECT DISTINCT ${column} FROM shard.ledger_totals WHERE entry = 'client_discard'`
    const names = new Set(db.prepare(sql).pluck().all())
    return (name: string): string => (names.has(name) ? name : OTHER_NAME)
  }
  const [categoryOf, reasonOf] = [counted('category'), counted('reason')]
  for (const { seq, stamp, ofAll, ofStamp } of corrected)
    for (const { category, reason, quantity } of discardsIn(read.get(seq) as BodyRow))
      add(categoryOf(category), 'client_discard', reasonOf(reason), ofAll * quantity, ofStamp * quantity, stamp)
}

type BodyRow = Parameters<typeof inflateBody>[0] & { readonly endpoint: Endpoint }

function discardsIn(row: BodyRow): readonly Discard[] {
  const record = parseRecord(row.endpoint, inflateBody(row))
  return record.ok ? sumReports(record.value.items, SIZE_LIMITS).discards : []
}

interface Unseen {
  readonly publicKey: string
  readonly project: string
  readonly source: string
  readonly category: string
  readonly arrived: number
  readonly reported: number
  readonly journal: number
}

/**
 * Answers that a page did not see. Of a page in two shards, what both counted of the same submissions counts once. The
 * totals then have as many discards as no arrival explains.
 */
function mergeUnseen(db: Database, shard: number, shared: SharedSources): void {
  const add = adder(db)
  const find = db.prepare(UNSEEN_OF)
  const write = db.prepare(WRITE_UNSEEN)
  for (const row of db.prepare(UNSEEN).all({ shard }) as Unseen[]) {
    const before = find.get(row) as Unseen | undefined
    if (before === undefined) {
      write.run(row)
      continue
    }
    const together = shared.has(row.source) ? Math.max : (one: number, other: number) => one + other
    const merged = {
      ...row,
      arrived: together(before.arrived, row.arrived),
      reported: together(before.reported, row.reported),
      journal: Math.max(before.journal, row.journal),
    }
    write.run(merged)
    const twice = matched(before) + matched(row) - matched(merged)
    const stamp = shared.get(row.source) ?? null
    add(row.category, 'client_discard', NETWORK_ERROR, twice, twice, stamp)
    add(row.category, 'answer_unseen', '', -twice, -twice, stamp)
  }
}

const matched = ({ arrived, reported }: Pick<Unseen, 'arrived' | 'reported'>): number => Math.min(arrived, reported)

const ADD = 'ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity, items = items + excluded.items'
/** The new number of the first fact from an old one on. */
const newJournal = (column: string): string =>
  `coalesce((SELECT n FROM temp.facts WHERE shard = @shard AND old >= ${column} ORDER BY old LIMIT 1), (SELECT max(n) FROM journal))`

const SUM = [
  `INSERT INTO ledger_totals (category, entry, reason, quantity, items)
    SELECT category, entry, reason, quantity, items FROM shard.ledger_totals WHERE true ${ADD}`,
  `INSERT INTO stamp_ledger_totals (stamp, category, entry, reason, quantity, items)
    SELECT stamp, category, entry, reason, quantity, items FROM shard.stamp_ledger_totals WHERE true ${ADD}`,
  `INSERT INTO stamps (stamp, journal, since) SELECT stamp, ${newJournal('last')}, ${newJournal('first')} FROM
    (SELECT stamp, max(journal) AS last, min(since) AS first FROM (SELECT stamp, journal, since FROM shard.stamps
      UNION ALL SELECT stamp, journal, journal FROM shard.submissions WHERE stamp IS NOT NULL AND endpoint <> 'stream') GROUP BY stamp) WHERE true
    ON CONFLICT DO UPDATE SET journal = max(journal, excluded.journal), since = min(since, excluded.since)`,
]

const CORRECTED = `SELECT s.seq, s.stamp, s.quantities, CASE WHEN s.facts ->> 'page' IS NOT NULL THEN 'page ' || (s.facts ->> 'page')
    WHEN s.stamp IS NOT NULL THEN 'stamp ' || s.stamp END AS source,
    r.is_kept - 1 AS ofAll, (s.stamp IS NOT NULL) * ((s.journal < coalesce(t.since, s.journal + 1)) + r.is_kept - 1) AS ofStamp
  FROM temp.records r JOIN shard.submissions s ON s.seq = r.old LEFT JOIN shard.stamps t ON t.stamp = s.stamp
  WHERE r.shard = @shard AND s.endpoint <> 'stream' AND (ofAll <> 0 OR ofStamp <> 0)`

/** Each of their items, under the name that its receipt counted; `outcome` is `pending` without one. */
const ITEMS = `SELECT stamp, ofAll, ofStamp, q.value ->> 0 AS category, q.value ->> 1 AS quantity,
    coalesce(o.outcome, 'pending') AS outcome, coalesce(o.reason, '') AS reason
  FROM (${CORRECTED}) s, json_each(s.quantities) q LEFT JOIN shard.outcomes o ON o.seq = s.seq AND o.item IN (-1, q.key)`
const ENTRIES = `SELECT stamp, ofAll, ofStamp, category, 'received' AS entry, '' AS reason, quantity FROM (${ITEMS})
  UNION ALL SELECT stamp, ofAll, ofStamp, category, outcome, reason, quantity FROM (${ITEMS})`
const CORRECT = [
  `INSERT INTO ledger_totals (category, entry, reason, quantity, items)
    SELECT category, entry, reason, sum(ofAll * quantity), sum(ofAll) FROM (${ENTRIES}) WHERE ofAll <> 0 GROUP BY 1, 2, 3 ${ADD}`,
  `INSERT INTO stamp_ledger_totals (stamp, category, entry, reason, quantity, items)
    SELECT stamp, category, entry, reason, sum(ofStamp * quantity), sum(ofStamp) FROM (${ENTRIES}) WHERE ofStamp <> 0 GROUP BY 1, 2, 3, 4 ${ADD}`,
]

const UNSEEN = `SELECT public_key AS publicKey, project, source, category, arrived, reported, ${newJournal('journal')} AS journal
  FROM shard.unseen_answers`
const UNSEEN_OF = `SELECT arrived, reported, journal FROM unseen_answers
  WHERE public_key = @publicKey AND project = @project AND source = @source AND category = @category`
const WRITE_UNSEEN = `INSERT OR REPLACE INTO unseen_answers (public_key, project, source, category, arrived, reported, journal)
  VALUES (@publicKey, @project, @source, @category, @arrived, @reported, @journal)`
