import type { Database } from 'better-sqlite3'
import { groupBy } from '../../../lib/group-by'
import { type DeliveryStatusName, WAYSTATION_REASONS } from '../../../lib/protocol/outcome'
import type { DeliveryStatus, EnvelopeOutcomes, ItemOutcome, OutcomesPage } from '../../../lib/wire/delivery-status'
import { fillPage, READ_BOUNDS, type ReadBounds, type Scanned, type ScanPath } from '../../../lib/wire/fill-page'
import { hasFields, isWithin, type ListFilter, timeBounds } from '../../../lib/wire/list-filter'
import type { ListPosition, PageRequest } from '../../../lib/wire/list-paging'
import { worstDeliveryStatus } from '../../../lib/wire/worst-delivery-status'
import { readQuantities } from '../stored-content'
import { EVERY_ITEM } from '../submission'
import { journalHead } from './read-journal'

type StoredOutcome = Omit<ItemOutcome, 'item' | 'category' | 'quantity'> & {
  readonly item: number
  readonly quantities: string
}

const COLUMNS = 'o.seq, s.journal, o.item, o.outcome, o.reason, o.at, s.quantities'

/** Outcomes, the newest envelope first, whenever they were decided. A cursor names envelope and item. */
export function readOutcomes(
  db: Database,
  filter: ListFilter,
  position: ListPosition,
  page: PageRequest,
  bounds = READ_BOUNDS,
): OutcomesPage {
  // One read transaction: an eviction between two statements would leave a position without a row.
  const found = db.transaction(() =>
    fillPage(scanOutcomes(db, filter, position, bounds), page, (row) => matchesFilter(row, filter), bounds.rows),
  )()
  return { outcomes: found.rows.map(toOutcome), next: found.next, journal: journalHead(db) }
}

export function readOutcomesOf(db: Database, seq: number): EnvelopeOutcomes | null {
  if (db.prepare('SELECT 1 FROM submissions WHERE seq = ?').get(seq) === undefined) return null
  const rows = db
    .prepare(`SELECT ${COLUMNS} FROM outcomes o JOIN submissions s USING (seq) WHERE o.seq = ? ORDER BY o.item`)
    .all(seq) as StoredOutcome[]
  return { seq, outcomes: rows.map(toOutcome), journal: journalHead(db) }
}

function* scanOutcomes(
  db: Database,
  filter: ListFilter,
  position: ListPosition,
  { entries }: ReadBounds,
): Generator<Scanned<StoredOutcome>> {
  const path = choosePath(filter)
  const bound = {
    ...timeBounds(filter),
    ...parsePosition(position),
    outcome: filter.outcome ?? null,
    reason: filter.reason ?? null,
    envelope: filter.envelope ?? null,
    most: entries,
  }
  const one = db.prepare(
    `SELECT ${COLUMNS} FROM outcomes o JOIN submissions s USING (seq) WHERE o.seq = ? AND o.item = ?`,
  )
  for (const { seq, item } of db.prepare(path.entries).iterate(bound) as IterableIterator<Found>) {
    const row = one.get(seq, item) as StoredOutcome
    yield { position: positionOf(row), row }
  }
  const stoppedAt = db.prepare(path.stoppedAt).get(bound) as Found | undefined
  if (stoppedAt !== undefined) yield { stoppedAt: positionOf(one.get(stoppedAt.seq, stoppedAt.item) as StoredOutcome) }
}

interface Found {
  readonly seq: number
  readonly item: number
}

/** Hex digits of an item in a cursor, counted from `EVERY_ITEM`. */
const ITEM_DIGITS = 6

const positionOf = ({ journal, seq, item }: StoredOutcome): ListPosition => ({
  journal,
  id: `${seq.toString(16)}${(item - EVERY_ITEM).toString(16).padStart(ITEM_DIGITS, '0')}`,
})

function parsePosition({ id }: ListPosition): Found {
  if (id.length <= ITEM_DIGITS) return { seq: Number.MAX_SAFE_INTEGER, item: 0 }
  const [seq, item] = [id.slice(0, -ITEM_DIGITS), id.slice(-ITEM_DIGITS)]
  return { seq: Number.parseInt(seq, 16), item: Number.parseInt(item, 16) + EVERY_ITEM }
}

function choosePath({ envelope, outcome }: ListFilter): ScanPath {
  if (envelope !== undefined) return BY_ENVELOPE
  return outcome === undefined || outcome === 'accepted' || outcome === 'kept' ? BY_SEQ : BY_OUTCOME
}

const BELOW = '(seq, item) < (@seq, @item)'
const pathThrough = (source: string): ScanPath => ({
  entries: `SELECT seq, item FROM
      (SELECT seq, item, outcome, reason, at FROM ${source} ORDER BY seq DESC, item DESC LIMIT @most)
    WHERE (@outcome IS NULL OR outcome = @outcome) AND (@reason IS NULL OR reason = @reason)
      AND at * 1000 >= @sinceUs AND at * 1000 < @untilUs`,
  stoppedAt: `SELECT seq, item FROM ${source} ORDER BY seq DESC, item DESC LIMIT 1 OFFSET @most - 1`,
})
export const BY_SEQ = pathThrough(`outcomes WHERE ${BELOW}`)
export const BY_ENVELOPE = pathThrough(`outcomes WHERE seq = @envelope AND ${BELOW}`)
/** The condition repeats that of the partial index, or SQLite does not use it. */
export const BY_OUTCOME = pathThrough(
  `outcomes WHERE outcome = @outcome AND outcome NOT IN ('accepted', 'kept') AND ${BELOW}`,
)

const matchesFilter = (row: StoredOutcome, filter: ListFilter): boolean =>
  hasFields(row, filter, ['outcome', 'reason']) &&
  isWithin(row.at * 1000, filter) &&
  (filter.envelope === undefined || filter.envelope === row.seq)

const UNKNOWN = { category: null, quantity: null } as const

function toOutcome({ quantities, item, ...row }: StoredOutcome): ItemOutcome {
  const all = readQuantities(quantities)
  const { category, quantity } = all[item === EVERY_ITEM && all.length === 1 ? 0 : item] ?? UNKNOWN
  return { ...row, item: item === EVERY_ITEM ? null : item, category, quantity }
}

export interface DeliveryStatuses {
  readonly of: (item: number) => DeliveryStatus
  /** When upstream's answer decided the last item; `null` while any item is pending, and when nothing was relayed. */
  readonly relayedAt: number | null
}

interface OutcomeRow {
  readonly seq: number
  readonly item: number
  readonly outcome: DeliveryStatusName
  readonly reason: string | null
  readonly at: number
}

const PENDING: DeliveryStatus = { name: 'pending', reason: null }
/** Upstream refused it permanently: a person decides what to do. */
export const DEAD_LETTER: DeliveryStatus = { name: 'pending', reason: 'dead_letter' }
const COPY: DeliveryStatus = { name: 'copy', reason: null }
const RELAYED = new Set<DeliveryStatusName>(['accepted', 'rate_limited', 'invalid'])

/** The statuses of some submissions. Copies have the status `copy`. */
export function readDeliveryStatuses(db: Database, seqs: readonly number[]): (seq: number) => DeliveryStatuses {
  const list = JSON.stringify([...new Set(seqs)])
  const rows = db
    .prepare(`SELECT seq, item, outcome, reason, at FROM outcomes WHERE seq IN (SELECT value FROM json_each(?))`)
    .all(list) as OutcomeRow[]
  const copies = new Set(
    db
      .prepare(`SELECT seq FROM submissions WHERE endpoint = 'stream' AND seq IN (SELECT value FROM json_each(?))`)
      .pluck()
      .all(list) as number[],
  )
  const dead = new Set(
    db
      .prepare('SELECT seq FROM dead_letters WHERE seq IN (SELECT value FROM json_each(?))')
      .pluck()
      .all(list) as number[],
  )
  const bySeq = groupBy(rows, ({ seq }) => seq)
  return (seq) => deliveryStatusesOf(bySeq.get(seq) ?? [], copies.has(seq), dead.has(seq) ? DEAD_LETTER : PENDING)
}

function deliveryStatusesOf(rows: readonly OutcomeRow[], copy: boolean, undecided: DeliveryStatus): DeliveryStatuses {
  const toDeliveryStatus = (row: OutcomeRow): DeliveryStatus => ({ name: row.outcome, reason: row.reason })
  const whole = rows.find((row) => row.item === EVERY_ITEM)
  const relayed = rows
    .filter((row) => RELAYED.has(row.outcome) && !WAYSTATION_REASONS.has(row.reason))
    .map((row) => row.at)
  return {
    of: (item) => {
      if (copy) return COPY
      const row = rows.find((one) => one.item === item) ?? whole
      return row === undefined ? undecided : toDeliveryStatus(row)
    },
    relayedAt: relayed.length === 0 ? null : Math.max(...relayed),
  }
}

/** The worst status of the items; an envelope without items has a status itself. */
export const envelopeDeliveryStatus = (deliveryStatuses: DeliveryStatuses, itemCount: number): DeliveryStatus =>
  itemCount === 0
    ? deliveryStatuses.of(EVERY_ITEM)
    : worstDeliveryStatus(Array.from({ length: itemCount }, (_, item) => deliveryStatuses.of(item)))
