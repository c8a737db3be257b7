import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { workerData } from 'node:worker_threads'
import type { Submission } from '../../lib/protocol/submission'
import { startTimer } from '../../lib/time'
import { Checkpointer } from '../runtime/checkpointer'
import { checkForDamage, openForWriting } from '../runtime/database'
import { faultPoint } from '../runtime/fault-point'
import { freeBuffer } from '../runtime/free-buffer'
import { salvageCommand } from '../runtime/sqlite-errors'
import { answer, type Call, sendAnswers, threadPort, toPlainError } from '../runtime/thread-call'
import { commitBatch, MAX_BATCH, takeQueued } from './commit-batch'
import { deferWrites } from './defer-writes'
import { lockFolder } from './disk/data-folder'
import { EXPIRES_AFTER_MS } from './disk/delete-records'
import { Ballast } from './disk/disk-budget'
import { WalBudget } from './disk/wal-budget'
import { SpoolFileWatch } from './disk/watch-files'
import type { SpoolNews } from './journal'
import { PendingBalance } from './ledger/pending-balance'
import { migrate, tableProblem } from './schema'
import { Settings } from './settings'
import { MIRROR_CURSOR } from './submission'
import { SpoolWriter } from './writer'
import { createWriterMethods } from './writer-methods'

const port = threadPort()
const { folder, cap, maxAgeMs } = workerData as {
  readonly folder: string
  readonly cap: number
  readonly maxAgeMs: number | null
}

/** Without a write for this long the log is checkpointed. */
const IDLE_MS = 1000
/** A process that is killed loses at most this much of its running time. */
const SAVE_TIME_MS = 60_000
const WATCH_FILE_MS = 1000

const unlockFolder = lockFolder(folder)
const path = join(folder, 'spool.db')
const db = openForWriting(path, 'FULL')
checkForDamage(db, path)
migrate(db)
const problem = tableProblem(db)
if (problem !== null) throw new Error(withRemedy(problem))
// Its pending records are delivered by the collectors of the shared record.
if (new Settings(db).get(MIRROR_CURSOR) !== null)
  throw new Error(
    `${path} is a mirror of a shared record: set WAYSTATION_STORE to that record, or use another data folder (WAYSTATION_DATA)`,
  )
const fileWatch = new SpoolFileWatch(db, path)
const checkpointer = new Checkpointer(db, Date.now)
const walBudget = new WalBudget({ freeBytes, walBytes: () => checkpointer.state.log })
const writer = new SpoolWriter(db, { cap, now: Date.now, monotonic: () => performance.now() })
const balance = new PendingBalance(db, () => writer.budget.sums.pendingRecords + writer.budget.sums.deadRecords)

const { settings, writes, maintenance } = createWriterMethods({
  db,
  path,
  writer,
  checkpointer,
  ballast: new Ballast(folder),
  expiresAfterMs: Math.max(EXPIRES_AFTER_MS, maxAgeMs ?? 0),
  reserve: (bytes) => walBudget.reserve(bytes),
  isPendingLost: () => balance.isLost,
  withRemedy,
})

const receive = deferWrites({ run, later: startTimer, monotonic: () => performance.now() })
port.on('message', (first: readonly Call[]) => receive(takeQueued(port, first)))

function run(calls: readonly Call[]): void {
  const stop = calls.findIndex((call) => call.method === 'stop')
  const accepted = stop < 0 ? calls : calls.slice(0, stop)
  for (let at = 0; at < accepted.length; at += MAX_BATCH) runBatch(accepted.slice(at, at + MAX_BATCH))
  idle.refresh()
  if (stop >= 0) close()
}

function runBatch(batch: readonly Call[]): void {
  const isOneOf = (methods: object) => (call: Call) => Object.hasOwn(methods, call.method)
  sendAnswers(
    port,
    batch.filter(isOneOf(settings)).map((call) => answer(call, settings)),
  )
  write(batch.filter((call) => !isOneOf(settings)(call) && !isOneOf(maintenance)(call)))
  sendAnswers(
    port,
    batch.filter(isOneOf(maintenance)).map((call) => answer(call, maintenance)),
  )
  checkpointer.checkpointIfGrown()
  walBudget.batchEnded()
}

function write(batch: readonly Call[]): void {
  if (batch.length === 0) return
  try {
    const { answers, facts, totals } = commitBatch(batch, writes, { db, writer })
    faultPoint('after_commit')
    writer.budget.recount(checkpointer.state.log)
    sendAnswers(port, answers)
    if (facts.length > 0) port.postMessage({ news: { facts, totals, used: writer.budget.used } satisfies SpoolNews })
  } catch (error) {
    sendAnswers(
      port,
      batch.map((call) => ({ id: call.id, error: toPlainError(error) })),
    )
  } finally {
    freeBodies(batch)
  }
}

/** The bodies of a batch are copies of this thread, which would keep large ones until its next garbage collection. */
function freeBodies(batch: readonly Call[]): void {
  for (const { method, args } of batch) if (method === 'append') freeBuffer((args[0] as Submission).body)
}

function withRemedy(found: string): string {
  return `${path} ${found}: put back a copy, or run ${salvageCommand(folder)} and start with the new folder`
}

function freeBytes(): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

const idle = setTimeout(() => {
  checkpointer.checkpoint()
  // A reader that blocks the checkpoint ends without notice, so the next try is due as well.
  if (checkpointer.state.blockedSince !== null) idle.refresh()
}, IDLE_MS)
const savingTime = setInterval(saveTime, SAVE_TIME_MS)
const watchingFile = setInterval(() => fileWatch.check(), WATCH_FILE_MS)

function saveTime(): void {
  try {
    writer.commit(() => writer.time.save())
  } catch {
    // A full disk: the next time that can be saved includes this one.
    return
  }
}

function close(): void {
  clearTimeout(idle)
  clearInterval(savingTime)
  clearInterval(watchingFile)
  saveTime()
  checkpointer.truncate()
  db.close()
  unlockFolder()
  port.close()
}
