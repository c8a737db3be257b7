import type { Database } from 'better-sqlite3'
import { sumReports } from '../../lib/protocol/items/client-report'
import { NETWORK_ERROR } from '../../lib/protocol/outcome'
import { type Endpoint, parseRecord } from '../../lib/protocol/record'
import { SIZE_LIMITS } from '../../lib/protocol/size-limits'
import type { Discard } from '../../lib/protocol/submission'
import { OTHER_NAME } from './ledger/ledger-totals'
import { inflateBody } from './record-body'

/** Adds the totals of the attached shard. */
export function sumLedger(db: Database, shard: number): void {
  for (const sql of SUM) db.prepare(sql).run({ shard })
}

/** Pages and programs with a submission that is left out, and its stamp. */
export type SharedSources = Map<string, string | null>

/**
 * Subtracts the submissions of the attached shard that are left out, because another shard has them, too. A stamp's
 * totals count from a number on, so an earlier submission is not in them.
 * @param shared of the shards so far; this one's are added
 */
export function subtractDuplicates(db: Database, shard: number, shared: SharedSources): void {
  const duplicates = db.prepare(DUPLICATES).all({ shard }) as Duplicate[]
  if (duplicates.length > 0) {
    for (const sql of SUBTRACT) db.prepare(sql).run({ shard })
    subtractDiscards(db, duplicates)
  }
  for (const { source, stamp } of duplicates) if (source !== null) shared.set(source, stamp)
  mergeUnseen(db, shard, shared)
}

interface Duplicate {
  readonly seq: number
  readonly stamp: string | null
  /** In the totals of its stamp. */
  readonly isInStamp: number
  readonly source: string | null
}

type Add = (stamp: string | null, category: string, entry: string, reason: string, quantity: number) => void

/** Changes discards, which have no items, and their sum for a stamp. */
function adder(db: Database): Add {
  const all = db.prepare(
    `INSERT INTO ledger_totals (category, entry, reason, quantity, items) VALUES (?, ?, ?, ?, 0) ${ADD}`,
  )
  const ofStamp = db.prepare(
    `INSERT INTO stamp_ledger_totals (category, entry, reason, quantity, items, stamp) VALUES (?, ?, ?, ?, 0, ?) ${ADD}`,
  )
  return (stamp, ...row) => {
    all.run(...row)
    if (stamp !== null) ofStamp.run(...row, stamp)
  }
}

function subtractDiscards(db: Database, duplicates: readonly Duplicate[]): void {
  const add = adder(db)
  const read = db.prepare('SELECT endpoint, bytes, deflated, body FROM shard.submissions WHERE seq = ?')
  const isCounted = db
    .prepare(
      "SELECT count(*) FROM shard.ledger_totals WHERE entry = 'client_discard' AND category = coalesce(?, category) AND reason = coalesce(?, reason)",
    )
    .pluck()
  const nameOr = (category: string | null, reason: string | null): string =>
    isCounted.get(category, reason) === 0 ? OTHER_NAME : (category ?? reason ?? OTHER_NAME)
  for (const { seq, stamp, isInStamp } of duplicates)
    for (const { category, reason, quantity } of discardsIn(read.get(seq) as BodyRow))
      add(isInStamp === 1 ? stamp : null, nameOr(category, null), 'client_discard', nameOr(null, reason), -quantity)
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
    add(stamp, row.category, 'client_discard', NETWORK_ERROR, twice)
    add(stamp, row.category, 'answer_unseen', '', -twice)
  }
}

const matched = ({ arrived, reported }: Pick<Unseen, 'arrived' | 'reported'>): number => Math.min(arrived, reported)

const ADD = 'ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity, items = items + excluded.items'
/** The new number of the first fact from an old one on. */
const newJournal = (column: string): string =>
  `coalesce((SELECT min(n) FROM temp.facts WHERE shard = @shard AND old >= ${column}), (SELECT max(n) FROM temp.facts))`

const SUM = [
  `INSERT INTO ledger_totals (category, entry, reason, quantity, items)
    SELECT category, entry, reason, quantity, items FROM shard.ledger_totals WHERE true ${ADD}`,
  `INSERT INTO stamp_ledger_totals (stamp, category, entry, reason, quantity, items)
    SELECT stamp, category, entry, reason, quantity, items FROM shard.stamp_ledger_totals WHERE true ${ADD}`,
  `INSERT INTO stamps (stamp, journal, since) SELECT stamp, ${newJournal('journal')}, ${newJournal('since')} FROM shard.stamps WHERE true
    ON CONFLICT DO UPDATE SET journal = max(journal, excluded.journal), since = min(since, excluded.since)`,
]

const LEFT_OUT = `temp.records r JOIN shard.submissions s ON s.seq = r.old LEFT JOIN shard.stamps t ON t.stamp = s.stamp
  WHERE r.shard = @shard AND NOT r.is_kept AND s.endpoint <> 'stream'`
const IS_IN_STAMP = 's.journal >= coalesce(t.since, s.journal + 1)'

const DUPLICATES = `SELECT s.seq, s.stamp, ${IS_IN_STAMP} AS isInStamp, CASE WHEN s.facts ->> 'page' IS NOT NULL THEN 'page ' || (s.facts ->> 'page')
  WHEN s.stamp IS NOT NULL THEN 'stamp ' || s.stamp END AS source FROM ${LEFT_OUT} ORDER BY s.seq`

/** Each item of what is left out, under the name that its receipt counted; `outcome` is `pending` without one. */
const ITEMS = `SELECT s.stamp, s.is_in_stamp, q.value ->> 0 AS category, q.value ->> 1 AS quantity,
    coalesce(o.outcome, 'pending') AS outcome, coalesce(o.reason, '') AS reason
  FROM (SELECT s.seq, s.stamp, s.quantities, ${IS_IN_STAMP} AS is_in_stamp FROM ${LEFT_OUT}) s, json_each(s.quantities) q
  LEFT JOIN shard.outcomes o ON o.seq = s.seq AND o.item IN (-1, q.key)`
const ENTRIES = `SELECT stamp, is_in_stamp, category, 'received' AS entry, '' AS reason, quantity FROM (${ITEMS})
  UNION ALL SELECT stamp, is_in_stamp, category, outcome, reason, quantity FROM (${ITEMS})`
const SUBTRACT = [
  `INSERT INTO ledger_totals (category, entry, reason, quantity, items)
    SELECT category, entry, reason, -sum(quantity), -count(*) FROM (${ENTRIES}) GROUP BY 1, 2, 3 ${ADD}`,
  `INSERT INTO stamp_ledger_totals (stamp, category, entry, reason, quantity, items)
    SELECT stamp, category, entry, reason, -sum(quantity), -count(*) FROM (${ENTRIES}) WHERE is_in_stamp GROUP BY 1, 2, 3, 4 ${ADD}`,
]

const UNSEEN = `SELECT public_key AS publicKey, project, source, category, arrived, reported, ${newJournal('journal')} AS journal
  FROM shard.unseen_answers`
const UNSEEN_OF = `SELECT arrived, reported, journal FROM unseen_answers
  WHERE public_key = @publicKey AND project = @project AND source = @source AND category = @category`
const WRITE_UNSEEN = `INSERT OR REPLACE INTO unseen_answers (public_key, project, source, category, arrived, reported, journal)
  VALUES (@publicKey, @project, @source, @category, @arrived, @reported, @journal)`
