import type { Discard, Submission } from '../../lib/protocol/submission'
import type { OwnedLane } from '../spool/lanes'
import {
  isComplete,
  type LedgerEntry,
  type LedgerNames,
  receivedEntries,
  settledEntries,
  sumEntries,
} from '../spool/ledger/ledger-entries'
import type { RecordRef } from '../spool/ledger/ledger-totals'
import type { MirroredChange } from '../spool/mirror/journal-page'
import { checksumOf, type StoredBody, storedBytes } from '../spool/record-body'
import { readQuantities } from '../spool/stored-content'
import { type Attempt, type Decision, EVERY_ITEM, type StoredLimit } from '../spool/submission'
import { laneOf } from './lanes'

/** One call that writes, to be part of a batch. */
export type Write =
  | {
      readonly kind: 'append'
      readonly submission: Submission
      readonly receipt: string
      /** Deflated before the batch, while another one is on its way. */
      readonly stored: StoredBody
    }
  | { readonly kind: 'attempt'; readonly attempt: Attempt; readonly lane: OwnedLane | null }
  | {
      readonly kind: 'decide'
      readonly seq: number
      readonly decision: NonNullable<Decision>
      readonly toReport: readonly Discard[]
      readonly lane: OwnedLane | null
    }
  | { readonly kind: 'requeue'; readonly seqs: readonly number[] }
  | { readonly kind: 'drop'; readonly seqs: readonly number[] }
  /** Ends records by retention. Those that are in this state no more stay as they are. */
  | {
      readonly kind: 'end'
      readonly from: 'pending' | 'dead'
      readonly ended: readonly { readonly seq: number; readonly decision: NonNullable<Decision> }[]
    }
  | { readonly kind: 'totals'; readonly record: RecordRef; readonly entries: readonly LedgerEntry[] }
  /** Deletes records; those that are pending or dead letters end as `dropped`. */
  | { readonly kind: 'erase'; readonly seqs: readonly number[]; readonly reason: 'cleared' | 'visitor' }
  | { readonly kind: 'note'; readonly fact: 'changed' | 'cleared' }
  | { readonly kind: 'change'; readonly change: MirroredChange }

/** The part of a stored record that its outcomes depend on. */
export interface KnownRecord extends RecordRef {
  readonly publicKey: string
  readonly project: string
  /** As stored: JSON. */
  readonly quantities: string
}

/** Numbers of the records that must be known before these writes become a batch. */
export const seqsOf = (writes: readonly Write[]): readonly number[] =>
  writes.flatMap((write) => {
    if (write.kind === 'attempt') return [write.attempt.seq]
    if (write.kind === 'decide') return [write.seq]
    if (write.kind === 'end') return write.ended.map(({ seq }) => seq)
    return write.kind === 'drop' || write.kind === 'erase' ? write.seqs : []
  })

interface Row extends StoredBody {
  readonly submission: Submission
  readonly receipt: string
  readonly facts: string
  readonly quantities: string
}

/** The arguments of one call of `commit_batch`. */
export interface Batch {
  /** After the ids of batch and collector, and the time. */
  readonly values: readonly unknown[]
  /** Place of each append among the records, by its place among the writes. */
  readonly places: ReadonlyMap<number, number>
  /** Writes that are wrong in themselves, by their place. They are left out. */
  readonly failed: ReadonlyMap<number, Error>
  readonly isEmpty: boolean
  /** The records that become pending, by their place among the records. */
  readonly pending: ReadonlyMap<number, Omit<KnownRecord, 'journal'>>
}

type StoredDecision = NonNullable<Decision>[number] & {
  readonly seq: number
  /** The list in which its record must be. */
  readonly from: 'pending' | 'dead' | 'any'
}

type Total = LedgerEntry & {
  readonly stamp: string | null
  readonly append?: number
  readonly journal?: number
  /** Records that it counts once each, if the batch settles them. */
  readonly seqs?: readonly number[]
}

/**
 * Makes the arguments of one batch.
 * @param known by number; a record that is missing is gone, and its result is ignored
 * @param lanes among which pending records of an upstream are divided
 */
export function buildBatch(
  writes: readonly Write[],
  known: ReadonlyMap<number, KnownRecord>,
  names: LedgerNames,
  lanes: number,
): Batch {
  const rows: Row[] = []
  const places = new Map<number, number>()
  const attempts: Attempt[] = []
  const decisions: StoredDecision[] = []
  const owned = new Map<string, OwnedLane & { readonly seqs: number[] }>()
  const totals: Total[] = []
  const more = {
    requeued: [] as number[],
    erased: [] as number[],
    cuts: [] as object[],
    facts: [] as object[],
    changes: [] as MirroredChange[],
    settings: new Map<string, string | null>(),
    limits: new Map<string, StoredLimit>(),
  }
  /** Limits that end now. They come before those that are set. */
  const ended: StoredLimit[] = []
  /** Totals of records without a stamp, which the store sums anyway. */
  const unstamped: LedgerEntry[] = []
  const settledUnstamped = new SettledEntries()
  const pending = new Map<number, Omit<KnownRecord, 'journal'>>()

  const append = ({ submission, receipt, stored }: Write & { kind: 'append' }): void => {
    const limited = submission.quantities.map((quantity) => names.limit(quantity))
    const quantities = JSON.stringify(limited.map(({ category, quantity }) => [category, quantity]))
    rows.push({ submission, receipt, facts: JSON.stringify(submission.facts), quantities, ...stored })
    const { stamp, deliveryStatus, discards, publicKey, project } = submission
    if (deliveryStatus === 'copy') return
    if (deliveryStatus === 'pending')
      pending.set(rows.length - 1, {
        stamp: stamp === null ? null : storable(stamp),
        publicKey: storable(publicKey),
        project: storable(project),
        quantities,
      })
    const entries = [
      ...limited.flatMap(receivedEntries),
      ...discards.map((discard) => names.discarded(discard)),
      ...(deliveryStatus === 'pending' ? [] : settledEntries(limited, { item: EVERY_ITEM, ...deliveryStatus })),
    ]
    const place = rows.length
    if (stamp === null) unstamped.push(...entries)
    else totals.push(...sumEntries(entries).map((entry) => ({ ...entry, stamp, append: place })))
  }

  const own = (lane: OwnedLane | null, seq: number): void => {
    if (lane === null) return
    const key = JSON.stringify([lane.publicKey, lane.project, lane.lane, lane.token])
    const known = owned.get(key)
    if (known === undefined) owned.set(key, { ...lane, seqs: [seq] })
    else known.seqs.push(seq)
  }

  const decide = (
    seq: number,
    decision: NonNullable<Decision>,
    from: 'pending' | 'dead' | 'any',
    result: { readonly toReport: readonly Discard[]; readonly lane: OwnedLane | null; readonly unreadable?: boolean },
  ): void => {
    const record = known.get(seq)
    if (record === undefined) return
    const quantities = result.unreadable ? [] : readQuantities(record.quantities)
    if (!isComplete(decision, quantities.length))
      throw new TypeError(
        `the decision about submission ${seq} must have one outcome for each of its ${quantities.length} items, got ${decision.length}`,
      )
    decisions.push(...decision.map((one) => ({ seq, from, ...one })))
    own(result.lane, seq)
    const { stamp, journal } = record
    const entries = sumEntries(decision.flatMap((one) => settledEntries(quantities, one)))
    if (stamp === null) for (const entry of entries) settledUnstamped.add(entry, seq, journal)
    else totals.push(...entries.map((entry) => ({ ...entry, stamp, journal, seqs: [seq] })))
    const { publicKey, project } = record
    more.cuts.push(...result.toReport.map((discard) => ({ ...discard, publicKey, project, seq })))
  }

  const attempted = ({ attempt, lane }: Write & { kind: 'attempt' }): void => {
    const { seq, dead, status, decision, toReport, unreadable = false } = attempt
    if (!known.has(seq)) return
    if (dead && (status === null || decision !== null))
      throw new TypeError(`an attempt that makes submission ${seq} a dead letter needs a status and no decision`)
    if (decision !== null) decide(seq, decision, 'pending', { toReport, lane, unreadable })
    attempts.push(attempt)
    own(lane, seq)
  }

  const erase = ({ seqs, reason }: Write & { kind: 'erase' }): void => {
    for (const seq of seqs)
      decide(seq, [{ item: EVERY_ITEM, outcome: 'dropped', reason }], 'any', { toReport: [], lane: null })
    more.erased.push(...seqs)
    more.changes.push({ kind: 'deleted', seqs })
  }

  const change = (given: MirroredChange): void => {
    more.changes.push(given)
    if (given.kind === 'refusal') more.facts.push({ kind: 'refused', seq: null })
    if (given.kind === 'setting') more.settings.set(given.name, given.value)
    if (given.kind === 'limits') for (const limit of given.limits) keepLonger(more.limits, ended, limit)
    if (given.kind === 'cut') {
      const { publicKey, project, sign } = given
      more.cuts.push(
        ...given.discards.map((discard) => ({ ...discard, publicKey, project, quantity: sign * discard.quantity })),
      )
    }
  }

  const add = (write: Write): void => {
    if (write.kind === 'append') append(write)
    else if (write.kind === 'attempt') attempted(write)
    else if (write.kind === 'decide') decide(write.seq, write.decision, 'pending', write)
    else if (write.kind === 'requeue') more.requeued.push(...write.seqs)
    else if (write.kind === 'drop')
      for (const seq of write.seqs) decide(seq, DROPPED, 'dead', { toReport: [], lane: null })
    else if (write.kind === 'erase') erase(write)
    else if (write.kind === 'end')
      for (const { seq, decision } of write.ended) decide(seq, decision, write.from, { toReport: [], lane: null })
    else if (write.kind === 'totals') totals.push(...write.entries.map((entry) => ({ ...entry, ...write.record })))
    else if (write.kind === 'note') more.facts.push({ kind: write.fact, seq: null })
    else change(write.change)
  }
  const failed = new Map<number, Error>()
  for (const [at, write] of writes.entries()) {
    if (write.kind === 'append') places.set(at, rows.length)
    try {
      add(write)
    } catch (error) {
      failed.set(at, error instanceof Error ? error : new Error(String(error)))
    }
  }
  const settings = [...more.settings].map(([name, value]) => ({ name, value }))
  totals.push(...settledUnstamped.all())
  totals.push(...sumEntries(unstamped).map((entry) => ({ ...entry, stamp: null, append: rows.length })))
  const rest = { ...more, settings, limits: [...ended, ...more.limits.values()] }
  const hasRest = Object.values(rest).some(({ length }) => length > 0)
  return {
    values: [
      ...columnsOf(rows, lanes),
      ...attemptColumns(attempts),
      ...decisionColumns(decisions),
      toJson([...owned.values()]),
      toJson(totals),
      hasRest ? toJson(rest) : null,
    ],
    places,
    failed,
    pending,
    isEmpty: !hasRest && [rows, attempts, decisions, totals].every(({ length }) => length === 0),
  }
}

/** Entries of records without a stamp. Most records of a batch have the same ones, which become one total. */
class SettledEntries {
  readonly #totals = new Map<string, Total & { journal: number; readonly seqs: number[] }>()

  add(entry: LedgerEntry, seq: number, journal: number): void {
    const key = JSON.stringify(Object.values(entry))
    const known = this.#totals.get(key)
    if (known === undefined) {
      this.#totals.set(key, { ...entry, stamp: null, journal, seqs: [seq] })
      return
    }
    known.seqs.push(seq)
    known.journal = Math.max(known.journal, journal)
  }

  all(): readonly Total[] {
    return [...this.#totals.values()]
  }
}

const DROPPED: NonNullable<Decision> = [{ item: EVERY_ITEM, outcome: 'dropped', reason: 'dead_letter' }]

function keepLonger(limits: Map<string, StoredLimit>, ended: StoredLimit[], limit: StoredLimit): void {
  const key = [limit.publicKey, limit.project, limit.category].join(' ')
  if (limit.until === 0) {
    limits.delete(key)
    ended.push(limit)
    return
  }
  const before = limits.get(key)
  if (before === undefined || limit.until > before.until) limits.set(key, limit)
}

/** Of all records, column by column; the bodies are one value, cut by offsets that count from 1. */
function columnsOf(rows: readonly Row[], lanes: number): readonly unknown[] {
  let end = 1
  const offsets = rows.map(({ body }) => {
    end += body.length
    return end - body.length
  })
  const each = (read: (row: Row) => unknown): readonly unknown[] => rows.map(read)
  const submitted = (read: (submission: Submission) => unknown): readonly unknown[] =>
    rows.map(({ submission }) => read(submission))
  return [
    each(({ receipt }) => storable(receipt)),
    submitted(({ receivedAt }) => receivedAt),
    submitted(({ endpoint }) => endpoint),
    submitted(({ project }) => storable(project)),
    submitted(({ publicKey }) => storable(publicKey)),
    submitted(({ stamp }) => (stamp === null ? null : storable(stamp))),
    each(({ facts }) => facts),
    each(({ quantities }) => quantities),
    submitted(({ reportedLimits }) => (reportedLimits.length === 0 ? null : JSON.stringify(reportedLimits))),
    submitted(({ deliveryStatus }) => (typeof deliveryStatus === 'string' ? deliveryStatus : 'decided')),
    submitted(({ deliveryStatus }) => (typeof deliveryStatus === 'string' ? null : deliveryStatus.outcome)),
    submitted(({ deliveryStatus }) => (typeof deliveryStatus === 'string' ? null : deliveryStatus.reason)),
    each(({ submission, receipt }) => laneOf(submission, receipt, lanes)),
    submitted(({ facts }) => facts.visitor ?? null),
    submitted(({ body }) => body.length),
    each((row) => storedBytes(row)),
    each(({ deflated }) => deflated),
    each((row) => checksumOf(row)),
    offsets,
    each(({ body }) => body.length),
    Buffer.concat(rows.map(({ body }) => body)),
  ]
}

const attemptColumns = (attempts: readonly Attempt[]): readonly (readonly unknown[])[] => [
  attempts.map(({ seq }) => seq),
  attempts.map(({ dead }) => dead),
  attempts.map(({ status }) => status),
  attempts.map(({ endedAt }) => endedAt),
  attempts.map((attempt) => toJson(attempt)),
]

const decisionColumns = (decisions: readonly StoredDecision[]): readonly (readonly unknown[])[] => [
  decisions.map(({ seq }) => seq),
  decisions.map(({ from }) => from),
  decisions.map(({ item }) => item),
  decisions.map(({ outcome }) => outcome),
  decisions.map(({ reason }) => (reason === null ? null : storable(reason))),
]

/** PostgreSQL stores no NUL and no half of a surrogate pair. */
const storable = (text: string): string => text.replaceAll('\0', '\ufffd').toWellFormed()

const UNSTORABLE = /\\u(?:0000|d[89a-f])/i

function toJson(value: object): string {
  const text = JSON.stringify(value)
  if (!UNSTORABLE.test(text)) return text
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? storable(one) : one))
}
