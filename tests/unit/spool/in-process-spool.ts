import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { Checkpointer } from '../../../collector/runtime/checkpointer'
import { openForWriting } from '../../../collector/runtime/database'
import { EXPIRES_AFTER_MS } from '../../../collector/spool/disk/delete-records'
import { Ballast } from '../../../collector/spool/disk/disk-budget'
import { migrate } from '../../../collector/spool/schema'
import type { Attempt } from '../../../collector/spool/submission'
import { SpoolWriter } from '../../../collector/spool/writer'
import { createWriterMethods, type WriterCalls } from '../../../collector/spool/writer-methods'
import type { Submission } from '../../../lib/protocol/submission'
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

export interface InProcessSpool extends WriterCalls {
  readonly db: Database
  readonly writer: SpoolWriter
  readonly facts: JournalFact[]
  readonly close: () => void
  /** The quantity of an entry in the ledger totals, of one category or of all. */
  readonly quantityOf: (entry: string, category?: string) => number
}

/** The real writer on a real file, in this thread, with one commit per call. */
export function openInProcess(options: {
  readonly folder?: string
  readonly cap?: number
  readonly now?: () => number
  readonly monotonic?: () => number
  readonly expiresAfterMs?: number
}): InProcessSpool {
  const folder = options.folder ?? temporaryFolder()
  const path = join(folder, 'spool.db')
  const now = options.now ?? (() => 1_700_000_000_000)
  const db = openForWriting(path, 'FULL')
  migrate(db)
  const checkpointer = new Checkpointer(db, now)
  const writer = new SpoolWriter(db, { cap: options.cap ?? 2 ** 40, now, monotonic: options.monotonic ?? (() => 0) })
  const ballast = new Ballast(folder)
  const facts: JournalFact[] = []
  const committed =
    (work: (...args: readonly unknown[]) => unknown) =>
    async (...args: readonly unknown[]): Promise<unknown> => {
      const done = writer.commit(() => writer.attempt(() => work(...args)))
      writer.budget.recount(checkpointer.state.log)
      checkpointer.checkpointIfGrown()
      facts.push(...done.facts)
      return done.result
    }
  const { settings, writes, maintenance } = createWriterMethods({
    db,
    path,
    writer,
    checkpointer,
    ballast,
    expiresAfterMs: options.expiresAfterMs ?? EXPIRES_AFTER_MS,
    reserve: () => undefined,
    isPendingLost: () => false,
    withRemedy: (problem) => problem,
  })
  const calls = Object.fromEntries(
    Object.entries({ ...settings, ...writes, usage: maintenance.usage }).map(([name, work]) => [
      name,
      committed(work as (...args: readonly unknown[]) => unknown),
    ]),
  ) as Omit<WriterCalls, 'allocateBallast' | 'freeDiskSpace'>
  return {
    ...calls,
    db,
    writer,
    facts,
    allocateBallast: async () => ballast.allocate(),
    freeDiskSpace: async () => ballast.release(),
    close: () => db.close(),
    quantityOf: (entry, category) =>
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

/** A submission with a body of `size` random bytes, which deflate cannot shorten. */
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

/** A submission with the outcome `kept`, which is never pending. */
export const keptSubmission = (given: Parameters<typeof submission>[0] = {}): Submission =>
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

/** The sequence number under which it was stored. */
export const seqOf = async (appended: ReturnType<InProcessSpool['append']>): Promise<number> => {
  const given = await appended
  if (!('seq' in given)) throw new Error(`${given.needed} bytes do not fit below the cap`)
  return given.seq
}

/** An attempt that upstream answered with 200. */
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

/** Received quantities, and pending ones plus all outcomes: always the same. */
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
    received: spool.quantityOf('received'),
    accounted: outcomes.reduce((sum, name) => sum + spool.quantityOf(name), pending),
  }
}
