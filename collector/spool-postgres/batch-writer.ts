import { NO_REQUEST, type Submission } from '../../lib/protocol/submission'
import { codeOf } from '../runtime/sqlite-errors'
import { MAX_BATCH } from '../spool/commit-batch'
import { LaneLostError } from '../spool/lanes'
import type { LedgerNames } from '../spool/ledger/ledger-entries'
import { type Batch, buildBatch, seqsOf, type Write } from './batch'
import type { StoreConnection } from './connection'
import { deletedByVisitors } from './erase'
import { KnownRecords } from './known-records'
import type { Membership } from './membership'
import { sameBody } from './reads'
import { StoreAwayError } from './store-away'
import { untilBack } from './waiting-store'

/**
 * How long a batch is tried again after the connection was lost. The tunnel waits 5 s for an answer. Later batches are
 * refused at once until PostgreSQL answers.
 */
const GIVE_UP_MS = 4000
const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 1000
/** How often a batch that meets a receipt or an id that exists is sent. Once is normal: the next try finds it. */
const MOST_CONFLICTS = 5

/** Answer of `commit_batch`, or of its row in `commits`. */
interface Committed {
  /** Records whose lane this collector lost. */
  readonly lost: readonly number[] | null
  readonly duplicates: readonly { readonly receipt: string; readonly seq: number }[] | null
  readonly first: number | null
  readonly settled: readonly number[]
  readonly requeued: readonly number[]
}

/** Answer of an append. */
export interface StoredAppend {
  readonly seq: number
  /** False when its receipt was stored before. */
  readonly isNew: boolean
}

/** Those that were dead letters for a requeue; how many it ended for a drop, an end or an erasure. */
export type Answer = StoredAppend | number | readonly number[] | null

interface Waiting {
  readonly write: Write
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

interface WriterTools {
  readonly connection: StoreConnection
  readonly member: Membership
  readonly names: LedgerNames
  /** Among which it divides pending records of an upstream. */
  readonly lanes: number
  /** Ms since the epoch. */
  readonly now: () => number
  readonly monotonic: () => number
  readonly newId: () => string
  readonly wait: (ms: number) => Promise<void>
  /** Between two attempts to reach a server that is away; must not keep a process alive. */
  readonly waitForServer: (ms: number) => Promise<unknown>
  readonly log: (line: string) => void
  /** Makes the partitions for the next numbers. */
  readonly addPartitions: () => Promise<void>
}

/**
 * Group commit: while one batch is on its way, calls gather, and the next batch takes them all. A call is answered when
 * its batch is committed and synced.
 */
export class BatchWriter {
  readonly #tools: WriterTools
  /** Of this connection: another one may be to a restored copy. */
  readonly #known = new KnownRecords()
  /** Since the start: batches that were committed, the writes in them, and how often one was sent again. */
  readonly counts = { batches: 0, writes: 0, repeated: 0 }
  #waiting: Waiting[] = []
  #isRunning = false
  /** Why batches are refused; `null` while PostgreSQL answers. */
  #away: StoreAwayError | null = null

  constructor(tools: WriterTools) {
    this.#tools = tools
  }

  /** @throws StoreAwayError when PostgreSQL did not come back in time: as far as is known nothing was stored */
  write(write: Write): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject })
      if (this.#isRunning) return
      this.#isRunning = true
      // Calls of the same turn share a batch.
      setImmediate(() => this.#run())
    })
  }

  /** Whether batches can be written: takes the lock that they take, and writes nothing. @throws StoreAwayError */
  async probe(): Promise<true> {
    await this.#tools.connection.query({ text: 'SELECT FROM waystation.turn WHERE id = 1 FOR UPDATE' })
    return true
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const calls = this.#take()
      try {
        await this.#commit(calls)
      } catch (error) {
        if (error instanceof StoreAwayError) this.#noteLoss(error)
        // A result of a record whose partition was dropped meanwhile is ignored when its record is read again.
        const isFinal = calls.length === 1 && codeOf(error) !== NO_PARTITION
        this.#known.forget(seqsOf(calls.map(({ write }) => write)))
        if (isFinal || error instanceof StoreAwayError) for (const { reject } of calls) reject(error)
        // One that the server refuses must not fail the others.
        else for (const call of calls) await this.#commit([call]).catch(call.reject)
      }
    }
    this.#isRunning = false
  }

  /** Batches are refused from now on until PostgreSQL answers. One that had no space answers. */
  #noteLoss(error: StoreAwayError): void {
    const { connection, log, waitForServer } = this.#tools
    if (this.#away !== null || connection.isOpen || connection.isClosed) return
    this.#away = error
    const reach = (): Promise<true | null> =>
      this.probe().catch((problem: unknown) =>
        problem instanceof StoreAwayError && !connection.isClosed ? null : true,
      )
    void untilBack(error, reach, {
      wait: waitForServer,
      log: (line) => {
        if (!connection.isClosed) log(line)
      },
    }).then(() => {
      this.#away = null
    })
  }

  /** The next batch. A second call about the same receipt or record waits for the one after it, which knows the first. */
  #take(): readonly Waiting[] {
    const subjects = new Set<string | number>()
    const taken: Waiting[] = []
    const left: Waiting[] = []
    for (const call of this.#waiting) {
      const own = subjectsOf(call.write)
      if (taken.length >= MAX_BATCH || own.some((subject) => subjects.has(subject))) left.push(call)
      else taken.push(call)
      for (const subject of own) subjects.add(subject)
    }
    this.#waiting = left
    return taken
  }

  async #commit(given: readonly Waiting[]): Promise<void> {
    const { connection, names, lanes, monotonic } = this.#tools
    if (this.#away !== null) throw this.#away
    const deadline = monotonic() + GIVE_UP_MS
    let calls = given
    while (calls.length > 0) {
      const all = calls.map(({ write }) => write)
      const writes = await this.#read(deadline, () => this.#withoutDeleted(all))
      const known = await this.#read(deadline, () => this.#known.read(connection, seqsOf(writes)))
      const batch = buildBatch(writes, known, names, lanes)
      for (const [at, error] of batch.failed) calls[at]?.reject(error)
      const committed = batch.isEmpty ? NOTHING : await this.#send(batch, deadline)
      if (committed.duplicates !== null) {
        calls = await this.#withoutKnown(calls, committed.duplicates, deadline)
        continue
      }
      if (committed.lost !== null) {
        calls = withoutLost(calls, new Set(committed.lost))
        continue
      }
      this.#note(writes, batch, committed.first)
      if (!batch.isEmpty) {
        this.counts.batches += 1
        this.counts.writes += calls.length
      }
      for (const [at, call] of calls.entries()) call.resolve(answerOf(call.write, batch.places.get(at), committed))
      return
    }
  }

  /** Keeps the records that became pending, and forgets those that were decided or deleted. */
  #note(writes: readonly Write[], { pending }: Batch, first: number | null): void {
    if (first !== null) for (const [place, record] of pending) this.#known.add(first + place, record)
    this.#known.forget(seqsOf(writes.filter((write) => write.kind !== 'attempt' || write.attempt.decision !== null)))
  }

  /** A record whose visitor deleted everything after sending it is counted, dropped, and keeps no body. */
  async #withoutDeleted(writes: readonly Write[]): Promise<readonly Write[]> {
    const submissions = writes.flatMap((write) => (write.kind === 'append' ? [write.submission] : []))
    const deleted = await deletedByVisitors(this.#tools.connection, submissions)
    if (deleted.size === 0) return writes
    return writes.map((write) =>
      write.kind === 'append' && deleted.has(write.submission)
        ? {
            ...write,
            submission: withoutContent(write.submission),
            stored: { deflated: false, body: new Uint8Array() },
          }
        : write,
    )
  }

  /** Reads again after the connection was lost, up to the deadline. */
  async #read<Value>(deadline: number, read: () => Promise<Value>): Promise<Value> {
    const { monotonic, wait } = this.#tools
    for (let pause = FIRST_WAIT_MS; ; pause = Math.min(2 * pause, LONGEST_WAIT_MS)) {
      try {
        return await read()
      } catch (error) {
        if (!(error instanceof StoreAwayError) || monotonic() + pause >= deadline) throw error
        await wait(pause)
      }
    }
  }

  /** Sends one batch until it is known to be committed, up to the deadline. */
  async #send(batch: Batch, deadline: number): Promise<Committed> {
    const { connection, member, now, monotonic, newId, wait, addPartitions } = this.#tools
    const id = newId()
    let isUnknown = false
    let hasAdded = false
    let conflicts = 0
    for (let pause = FIRST_WAIT_MS; ; pause = Math.min(2 * pause, LONGEST_WAIT_MS)) {
      try {
        // In another database the results in this batch are refused, because their lanes were given back.
        await member.check(connection)
        const done = isUnknown ? await this.#find(id) : null
        if (done !== null) return done
        isUnknown = true
        const [row] = await connection.query<Committed>({ ...CALL, values: [id, member.id, now(), ...batch.values] })
        if (row === undefined) throw new Error('commit_batch answered nothing')
        if (row.duplicates === null && row.lost === null) member.committed(id)
        return row
      } catch (error) {
        const code = codeOf(error)
        if (code === NO_PARTITION && !hasAdded) {
          hasAdded = true
          await addPartitions()
        } else if (!(error instanceof StoreAwayError) && !(code !== null && AGAIN.has(code))) throw error
        if (code === EXISTS) conflicts += 1
        if (monotonic() + pause >= deadline || conflicts >= MOST_CONFLICTS) throw error
        this.counts.repeated += 1
        if (error instanceof StoreAwayError || conflicts > 1) await wait(pause)
      }
    }
  }

  /** The answer of a batch that was committed although its answer was lost; `null` when it was not. */
  async #find(batch: string): Promise<Committed | null> {
    const [row] = await this.#tools.connection.query<Committed>({
      name: 'find_batch',
      text: `SELECT NULL AS duplicates, NULL AS lost, first_seq AS first, settled, requeued FROM waystation.commits WHERE batch = $1`,
      values: [batch],
    })
    return row ?? null
  }

  /** Answers appends whose body is stored already. One with other bytes than its receipt gets a receipt of its own. */
  async #withoutKnown(
    calls: readonly Waiting[],
    duplicates: NonNullable<Committed['duplicates']>,
    deadline: number,
  ): Promise<readonly Waiting[]> {
    const { connection } = this.#tools
    const bySeq = new Map(duplicates.map(({ receipt, seq }) => [receipt, seq]))
    const left: Waiting[] = []
    for (const call of calls) {
      const { write } = call
      const seq = write.kind === 'append' ? bySeq.get(write.receipt) : undefined
      if (write.kind !== 'append' || seq === undefined) left.push(call)
      else if (await this.#read(deadline, () => sameBody(connection, seq, write.submission.body)))
        call.resolve({ seq, isNew: false })
      else left.push({ ...call, write: { ...write, receipt: `${write.receipt}+${this.#tools.newId()}` } })
    }
    return left
  }
}

/** Refuses results of lanes that another collector owns. */
function withoutLost(calls: readonly Waiting[], lost: ReadonlySet<number>): readonly Waiting[] {
  return calls.filter(({ write, reject }) => {
    const isLost =
      (write.kind === 'attempt' || write.kind === 'decide') &&
      write.lane !== null &&
      lost.has(write.kind === 'attempt' ? write.attempt.seq : write.seq)
    if (isLost) reject(new LaneLostError())
    return !isLost
  })
}

/** Keeps nothing that its sender chose, and nothing about the sender. */
const withoutContent = (submission: Submission): Submission => ({
  ...submission,
  facts: { ...NO_REQUEST, method: submission.facts.method, lab: submission.facts.lab },
  stamp: null,
  body: new Uint8Array(),
  deliveryStatus: { outcome: 'dropped', reason: 'visitor' },
})

/** The receipt that a call stores, or the numbers of the records that it decides. */
function subjectsOf(write: Write): readonly (string | number)[] {
  if (write.kind === 'append') return [write.receipt]
  return write.kind === 'requeue' ? write.seqs : seqsOf([write])
}

/** No partition for a number. */
const NO_PARTITION = '23514'
/** Another collector stored the same receipt or batch at the same time. */
const EXISTS = '23505'
/** Also a deadlock, or a lock that was not free in time. */
const AGAIN: ReadonlySet<string> = new Set([EXISTS, '40P01', '40001', '55P03'])

const NOTHING: Committed = { lost: null, duplicates: null, first: null, settled: [], requeued: [] }

const CALL = {
  name: 'commit_batch',
  text: `SELECT duplicates, lost, first_seq AS first, settled, requeued
    FROM waystation.commit_batch(${Array.from({ length: 37 }, (_, at) => `$${at + 1}`).join(', ')})`,
}

function answerOf(write: Write, place: number | undefined, { first, settled, requeued }: Committed): Answer {
  if (write.kind === 'append') return first === null || place === undefined ? null : { seq: first + place, isNew: true }
  if (write.kind === 'requeue') return write.seqs.filter((seq) => requeued.includes(seq))
  if (write.kind === 'end') return write.ended.filter(({ seq }) => settled.includes(seq)).length
  return write.kind === 'drop' || write.kind === 'erase'
    ? write.seqs.filter((seq) => settled.includes(seq)).length
    : null
}
