import type { Database } from 'better-sqlite3'
import { groupBy } from '../../../lib/group-by'
import type { ReportedLimit } from '../../../lib/protocol/submission'
import type { JournalFact } from '../../../lib/wire/journal'
import type { Counters, RunningTime } from '../counters'
import type { Evictor } from '../disk/delete-records'
import type { DiskBudget } from '../disk/disk-budget'
import type { SpoolNews } from '../journal'
import { expectedTables } from '../schema'
import { readFacts, readQuantities } from '../stored-content'
import { MIRROR_CURSOR, MIRROR_REACH, ROWS_FROM } from '../submission'
import type { Committed } from '../transactions'
import { checkPage } from './check-page'
import type {
  JournalPage,
  MirrorCursor,
  MirroredAttempt,
  MirroredChange,
  MirroredRecord,
  MirrorStart,
  OlderPage,
} from './journal-page'
import { createParts, type MirrorOptions, type Parts } from './mirror-parts'
import { type MirrorReach, readReach, saveReach } from './mirror-reach'
import { applyOlder, checkOlder } from './older-records'

/** Settings of each mirror alone: the shared record has none of these names. */
const OWN_SETTINGS: ReadonlySet<string> = new Set([MIRROR_CURSOR, MIRROR_REACH, ROWS_FROM])

const START: MirrorCursor = { n: 0, batch: null }

/** Older records are fetched while record and rows use less than this share of the cap: eviction starts at a larger one. */
const OLDER_UP_TO = 0.8

/** spool.db has a record of its own, which no shared record could restore. */
export class OwnRecordError extends Error {
  static readonly NAME = 'OwnRecordError'

  constructor(path: string) {
    super(`${path} has a record of its own and cannot mirror another one: use another data folder`)
    this.name = OwnRecordError.NAME
  }
}

/** The news of a page: its facts, its changes of the totals, and the bytes in use afterwards. */
export type AppliedPage = SpoolNews

/**
 * A copy of a shared record in spool.db, for queries. It derives its state from the facts, and takes totals and outcomes
 * as given. `evict` and `noteDigested` must be called inside `commit`; their facts concern this collector alone.
 */
export class Mirror {
  readonly #db: Database
  readonly #options: MirrorOptions
  #parts: Parts
  #reach: MirrorReach | null

  /** @throws OwnRecordError */
  constructor(db: Database, options: MirrorOptions) {
    this.#db = db
    this.#options = options
    this.#parts = createParts(db, options)
    if (this.#parts.settings.get(MIRROR_CURSOR) === null && this.#parts.journal.next > 1)
      throw new OwnRecordError(db.name)
    this.#reach = readReach(this.#parts.settings)
    this.#keepFacts()
  }

  get budget(): DiskBudget {
    return this.#parts.budget
  }

  get counters(): Counters {
    return this.#parts.counters
  }

  get time(): RunningTime {
    return this.#parts.time
  }

  get evictor(): Evictor {
    return this.#parts.evictor
  }

  cursor(): MirrorCursor {
    const stored = this.#parts.settings.get(MIRROR_CURSOR)
    return stored === null ? START : (JSON.parse(stored) as MirrorCursor)
  }

  /** How far back it reaches; `null` when it has all that the shared record had at its start. */
  get reach(): MirrorReach | null {
    return this.#reach
  }

  /**
   * Starts an empty mirror in the middle of the shared record. Older records are added by `applyOlder`.
   * @returns the news, with a fact by which its head is known
   */
  begin({ cursor, at, oldest, totals, changes }: MirrorStart): AppliedPage {
    const parts = this.#parts
    return this.#commit({ from: cursor.n + 1, at, oldest, isEnded: false }, () => {
      parts.journal.beginAfter(cursor.n)
      for (const change of changes) applyChange(parts, change)
      parts.totals.addGiven(totals)
      parts.settings.save(MIRROR_CURSOR, JSON.stringify(cursor))
      parts.journal.note('changed', null)
    })
  }

  /** Whether older records fit, so that nothing has to be evicted for them. */
  fitsOlder(records: readonly Pick<MirroredRecord, 'storedBytes'>[]): boolean {
    return this.budget.fits(
      records.reduce((sum, { storedBytes }) => sum + storedBytes, 0),
      OLDER_UP_TO,
    )
  }

  /**
   * Adds the page before the oldest number that it has. No fact is news.
   * @throws PageMismatchError when the page does not end there, is not whole, or has the state of another batch than the
   * cursor's; nothing is changed
   */
  applyOlder(page: OlderPage): AppliedPage {
    const parts = this.#parts
    checkOlder(page, this.#reach, this.cursor())
    const { first, oldest, facts } = page
    const reach = first <= oldest ? null : { from: first, at: facts[0]?.at ?? 0, oldest, isEnded: false }
    return this.#commit(reach, () => applyOlder(parts, page))
  }

  /** The shared record has nothing older (any more). */
  completeReach(): void {
    this.#commit(null, () => undefined)
  }

  /** In a transaction: records left for space, so there is none for older ones. */
  noteEvicted(): void {
    if (this.#reach === null || this.#reach.isEnded) return
    this.#reach = { ...this.#reach, isEnded: true }
    saveReach(this.#parts.settings, this.#reach)
    this.#keepFacts()
  }

  #commit(reach: MirrorReach | null, work: () => void): AppliedPage {
    const { transactions, settings, budget } = this.#parts
    const { facts, totals } = transactions.commit(() => {
      work()
      saveReach(settings, reach)
    })
    this.#reach = reach
    this.#keepFacts()
    budget.recount(this.#options.walBytes?.() ?? 0)
    return { facts, totals, used: budget.used }
  }

  /** While older facts are added, those that have no record stay. */
  #keepFacts(): void {
    const isFetching = this.#reach !== null && !this.#reach.isEnded
    this.#parts.journal.keepFrom = isFetching ? 0 : Number.POSITIVE_INFINITY
  }

  /** Whether a page fits into the disk budget. If not, wait for an eviction before it is applied. */
  fits({ records }: Pick<JournalPage, 'records'>): boolean {
    return this.budget.fits(records.reduce((sum, { storedBytes }) => sum + storedBytes, 0))
  }

  /**
   * Applies a page and moves the cursor, in one transaction. Delete the rows of records in its `deleted` changes before.
   * @throws PageMismatchError when the page does not follow the cursor or is not whole; nothing is changed
   */
  apply(page: JournalPage): AppliedPage {
    const parts = this.#parts
    checkPage(page, this.cursor())
    const { facts, totals } = parts.transactions.commit(() => {
      applyPage(parts, page)
      parts.settings.save(MIRROR_CURSOR, JSON.stringify(page.upTo))
    })
    parts.budget.recount(this.#options.walBytes?.() ?? 0)
    return { facts, totals, used: parts.budget.used }
  }

  /** Empties the file: the shared record is another one, or went back. Delete the index as well: numbers begin again. */
  reset(): void {
    this.#db
      .transaction(() => {
        for (const table of expectedTables().keys()) this.#db.prepare(`DELETE FROM ${table}`).run()
        this.#db.prepare('DELETE FROM sqlite_sequence').run()
      })
      .immediate()
    this.#parts = createParts(this.#db, this.#options)
    this.#reach = null
  }

  /** Deletes copies whatever their status. Delete their rows before. The shared record keeps them. */
  evict(seqs: readonly number[]): void {
    this.#parts.evictor.evictMirrored(seqs)
  }

  /** The rows of every record up to this one exist. @param traces to which the batch added something; `null`: any */
  noteDigested(upTo: number, traces: JournalFact['traces'] = null): void {
    this.#parts.journal.note('digested', upTo, { traces })
  }

  /** @throws when it was rolled back. */
  commit<Result>(work: () => Result): Committed<Result> {
    return this.#parts.transactions.commit(work)
  }

  /** Runs one call of a batch in a savepoint: when it throws, only its own changes are rolled back. */
  attempt<Result>(work: () => Result): Result {
    return this.#parts.transactions.attempt(work)
  }
}

function applyPage(parts: Parts, page: JournalPage): void {
  const records = new Map(page.records.map((record) => [record.seq, record]))
  const attempts = new Map(page.attempts.map((attempt) => [attempt.n, attempt]))
  const outcomes = groupBy(page.outcomes, ({ seq }) => seq)
  /** An evicted record gets no rows: nothing would delete them. Facts of one record often follow each other. */
  let found = { seq: 0, isHere: false }
  const isHere = (seq: number): boolean => {
    if (seq !== found.seq) found = { seq, isHere: records.has(seq) || parts.records.has(seq) }
    return found.isHere
  }

  let applied = 0
  for (const fact of page.facts) {
    const { n, kind, seq } = fact
    for (; applied < page.changes.length; applied += 1) {
      const change = page.changes[applied]
      if (change === undefined || (change.after ?? 0) >= n) break
      applyChange(parts, change)
    }
    parts.journal.addGiven(fact)
    parts.clock.at = fact.at
    const [record, attempt] = [records.get(n), attempts.get(n)]
    if (record !== undefined) insertRecord(parts, record, outcomes.has(n))
    if (seq === null) continue
    if (attempt !== undefined && isHere(seq)) addAttempt(parts, attempt)
    if (kind === 'pending') parts.deadLetters.requeueGiven(seq)
    if (kind === 'decided') decide(parts, seq, isHere(seq) ? (outcomes.get(seq) ?? []) : [], records.get(seq))
  }
  for (const change of page.changes) if (change.kind === 'deleted') parts.evictor.deleteMirrored(change.seqs)
  if (page.base !== undefined) parts.totals.replaceGiven(page.base.totals)
  parts.totals.addGiven(page.totals)
}

/** @param isDecided a later fact of the same page decides it, so it need not become pending in between */
function insertRecord({ records, ledger, pages, time }: Parts, record: MirroredRecord, isDecided: boolean): void {
  const { seq, status, storedBytes, publicKey, project, reportedLimits } = record
  const row = { ...record, journal: seq }
  // The shared record forgets receipts before a mirror evicts their records.
  const isInserted = records.insert(row, storedBytes, seq) !== null
  if (!isInserted) records.insert({ ...row, receipt: `${row.receipt}+${seq}` }, storedBytes, seq)
  if (status === 'copy') return
  const facts = reportedLimits === null && pages.isEmpty ? null : readFacts(record.facts)
  if (facts !== null)
    pages.addSubmission(
      {
        publicKey,
        project,
        receivedAt: record.receivedAt,
        facts,
        quantities: readQuantities(record.quantities),
        reportedLimits: reportedLimits === null ? [] : (JSON.parse(reportedLimits) as readonly ReportedLimit[]),
      },
      seq,
    )
  if (status === 'pending' && !isDecided)
    ledger.requeue({ seq, publicKey, project, ranAt: time.ran, bytes: storedBytes })
}

function addAttempt({ attempts, deadLetters }: Parts, { n, attempt, becameDead }: MirroredAttempt): void {
  // By the number of its fact, a delivery has the same address in every mirror.
  attempts.add(attempt, n, n)
  if (becameDead) deadLetters.add(attempt.seq, attempt.endedAt, attempt.status ?? 0)
}

/** @param received the record, if it is of the same page: that one never became pending */
function decide(
  { ledger, deadLetters, limits }: Parts,
  seq: number,
  outcomes: JournalPage['outcomes'],
  received: MirroredRecord | undefined,
): void {
  const pending = received ?? ledger.removePending(seq)
  if (pending === null) deadLetters.remove(seq)
  const [first] = outcomes
  if (first === undefined) return
  ledger.insertOutcomes(seq, outcomes, first.at)
  if (pending !== null && received?.status !== 'decided') limits.periods.addCut(pending, seq, outcomes)
}

function applyChange({ clock, counters, limits, refusals, settings, unreported }: Parts, change: MirroredChange): void {
  switch (change.kind) {
    case 'refusal':
      refusals.count(change.reason, change.bytes, change.path, change.envelopes)
      break
    case 'pages':
      counters.add('documents', change.documents)
      counters.add('pages_posted', change.pages)
      break
    case 'limits':
      clock.at = Math.max(...change.limits.map(({ receivedAt }) => receivedAt))
      limits.store(change.limits)
      break
    case 'setting':
      if (!OWN_SETTINGS.has(change.name)) settings.save(change.name, change.value)
      break
    case 'cut':
      if (change.sign === 1) unreported.add(change, change.discards)
      else unreported.subtract(change, change.discards)
      break
    case 'deleted':
      // After the facts.
      break
  }
}
