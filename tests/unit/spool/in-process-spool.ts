import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { openForWriting } from '../../../collector/spool/database'
import { Ballast, type DiskBounds } from '../../../collector/spool/disk-budget'
import { migrate } from '../../../collector/spool/schema'
import type { Spool } from '../../../collector/spool/spool'
import { readUsage } from '../../../collector/spool/storage'
import type { Attempt, Submission } from '../../../collector/spool/submission'
import { Checkpointer } from '../../../collector/spool/wal'
import { SpoolWriter } from '../../../collector/spool/writer'
import type { JournalFact } from '../../../lib/wire/journal'

const folders = new Set<string>()

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waystation-spool-'))
  folders.add(folder)
  return folder
}

export function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  folders.clear()
}

export interface InProcessSpool extends Omit<Spool, 'close' | 'probe'> {
  readonly db: Database
  readonly writer: SpoolWriter
  readonly facts: JournalFact[]
  readonly close: () => void
  /** The sum of what a category, or every one, was booked under an entry. */
  readonly booked: (entry: string, category?: string) => number
}

/** The real writer on a real file, without a thread between: a commit per call. */
export function openInProcess(options: {
  readonly folder?: string
  readonly cap?: number
  readonly now?: () => number
  readonly monotonic?: () => number
}): InProcessSpool {
  const folder = options.folder ?? temporaryFolder()
  const path = join(folder, 'spool.db')
  const now = options.now ?? (() => 1_700_000_000_000)
  const db = openForWriting(path, 'FULL')
  migrate(db)
  const logs = new Checkpointer(db, now)
  const writer = new SpoolWriter(db, { cap: options.cap ?? 2 ** 40, now, monotonic: options.monotonic ?? (() => 0) })
  const ballast = new Ballast(folder)
  const facts: JournalFact[] = []
  const { evictor } = writer
  const staged =
    <Args extends readonly unknown[], Value>(work: (...args: Args) => Value) =>
    async (...args: Args): Promise<Value> => {
      const done = writer.commit(() => writer.attempt(() => work(...args)))
      writer.budget.recount(logs.state.log)
      logs.checkpointIfGrown()
      facts.push(...done.facts)
      return done.result
    }
  return {
    db,
    writer,
    facts,
    append: staged((submission) => writer.insertSubmission(submission)),
    recordAttempt: staged((attempt) => writer.recordAttempt(attempt)),
    settle: staged((seq, decision, toReport) => writer.settle(seq, decision, toReport)),
    requeueDeadLetters: staged((seqs) => writer.deadLetters.requeue(seqs)),
    dropDeadLetters: staged((seqs) => writer.deadLetters.drop(seqs)),
    subtractReported: staged((publicKey, project, discards) => writer.subtractReported(publicKey, project, discards)),
    noteChanged: staged(() => writer.noteChanged()),
    storeLimits: staged((limits) => writer.limits.store(limits)),
    correctLimits: staged((limits) => writer.limits.correct(limits)),
    noteDigested: staged((upTo) => writer.noteDigested(upTo)),
    countRefusal: staged((reason, bytes) => writer.countRefusal(reason, bytes)),
    saveSetting: staged((name, value) => writer.saveSetting(name, value)),
    usage: staged(() => readUsage({ db, path, writer, log: logs.state, ballast })),
    setBounds: staged((bounds: DiskBounds) => {
      writer.budget.bounds = bounds
    }),
    settledRecords: staged((upTo, bytes) => evictor.settledRecords(upTo, bytes)),
    recordsWithRows: staged((upTo, bytes) => evictor.recordsWithRows(upTo, bytes)),
    deadLetterRecords: staged((upTo, bytes) => evictor.deadLetterRecords(upTo, bytes)),
    expiredRecords: staged((upTo) => evictor.expiredRecords(writer.time.ran, upTo)),
    pendingRecords: staged((upTo) => evictor.pendingRecords(upTo)),
    evictSettled: staged((seqs) => evictor.evictSettled(seqs)),
    noteRowsEvicted: staged((seqs) => evictor.noteRowsEvicted(seqs)),
    evictDeadLetters: staged((seqs) => evictor.evictDeadLetters(seqs)),
    evictExpired: staged((seqs) => evictor.evictExpired(seqs)),
    clear: staged((seqs) => evictor.clear(seqs)),
    noteCleared: staged(() => evictor.noteCleared()),
    allocateBallast: async () => ballast.allocate(),
    freeDiskSpace: async () => ballast.release(),
    close: () => db.close(),
    booked: (entry, category) =>
      Number(
        db
          .prepare(
            'SELECT coalesce(sum(quantity), 0) FROM ledger_totals WHERE entry = @entry AND (@category IS NULL OR category = @category)',
          )
          .pluck()
          .get({ entry, category: category ?? null }),
      ),
  }
}

let receipts = 0

/** A submission with a body of so many bytes that deflating cannot shorten. */
export function submission(given: Partial<Submission> & { readonly size?: number } = {}): Submission {
  receipts += 1
  const { size = 100, ...more } = given
  return {
    receipt: `receipt-${receipts}`,
    receivedAt: 1_700_000_000_000,
    endpoint: 'envelope',
    project: '1',
    publicKey: 'key',
    stamp: null,
    facts: {
      method: 'POST',
      contentType: null,
      contentEncoding: null,
      userAgent: null,
      clientHints: {},
      origin: null,
      forwardedFor: null,
      page: null,
      lab: false,
    },
    discards: [],
    reportedLimits: [],
    quantities: [{ category: 'error', quantity: 1 }],
    body: incompressible(size),
    deliveryStatus: 'pending',
    ...more,
  }
}

/** What is kept and pending to nobody. */
export const kept = (given: Parameters<typeof submission>[0] = {}): Submission =>
  submission({ deliveryStatus: { outcome: 'kept', reason: 'no_upstream' }, ...given })

function incompressible(size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let state = (receipts * 2_654_435_761) >>> 0 || 1
  for (let index = 0; index < size; index += 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes[index] = state & 0xff
  }
  return bytes
}

/** The number of what was stored. */
export const seqOf = async (appended: ReturnType<InProcessSpool['append']>): Promise<number> => {
  const given = await appended
  if (!('seq' in given)) throw new Error(`there was no room for ${given.needed} bytes`)
  return given.seq
}

/** An attempt that upstream accepted. */
export const accepted = (seq: number, more: Partial<Attempt> = {}): Attempt => ({
  seq,
  upstream: 'sentry.test/1',
  startedAt: 1,
  endedAt: 2,
  status: 200,
  error: null,
  rateLimits: null,
  retryAfter: null,
  answer: '',
  form: ['received'],
  sha256: '',
  bytes: 1,
  maybeDelivered: false,
  leftOut: [],
  removed: [],
  dead: false,
  toReport: [],
  decision: [{ item: -1, outcome: 'accepted', reason: null }],
  ...more,
})

/** received, and pending with every outcome: they are the same at all times. */
export const balance = (spool: InProcessSpool) => {
  const pending = Number(
    spool.db
      .prepare(
        `SELECT coalesce(sum(json_extract(value, '$[1]')), 0) FROM pending_deliveries JOIN submissions USING (seq), json_each(quantities)`,
      )
      .pluck()
      .get(),
  )
  const outcomes = ['accepted', 'kept', 'overflow', 'expired', 'dropped', 'rate_limited', 'invalid', 'filtered']
  return {
    received: spool.booked('received'),
    accounted: outcomes.reduce((sum, name) => sum + spool.booked(name), pending),
  }
}
