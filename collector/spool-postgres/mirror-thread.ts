import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { workerData } from 'node:worker_threads'
import { startTimer } from '../../lib/time'
import { Checkpointer } from '../runtime/checkpointer'
import { checkForDamage, openForWriting } from '../runtime/database'
import { mirrorRemedy } from '../runtime/sqlite-errors'
import { answer, awaitTurn, type Call, sendAnswers, threadPort, toPlainError } from '../runtime/thread-call'
import { commitBatch, takeQueued } from '../spool/commit-batch'
import { lockFolder } from '../spool/disk/data-folder'
import { Ballast } from '../spool/disk/disk-budget'
import { Mirror } from '../spool/mirror/mirror'
import { createMirrorMethods, type MirrorCalls } from '../spool/mirror/mirror-methods'
import { migrate, tableProblem } from '../spool/schema'
import { StoreConnection } from './connection'
import { MirrorFollower, type MirrorNews } from './follow/mirror-follower'

/** The methods of this thread. */
export type MirrorThreadCalls = MirrorCalls & {
  /** Reads the next page now, not at the next poll. */
  readonly wake: () => Promise<void>
  readonly rowsErased: () => Promise<void>
  readonly olderDigested: () => Promise<void>
  /** Answers `isLost`. */
  readonly empty: () => Promise<void>
  readonly connectionCounts: () => Promise<StoreConnection['counts']>
  /** Starts to follow the shared record. Call it once. */
  readonly follow: () => Promise<void>
}

const IDLE_MS = 1000
/** Between two looks whether the store is open. */
const OPEN_MS = 50

/** The entry of the thread that follows the shared record, and writes its mirror in `spool.db`. */
const { folder, cap, url, storeIsOpen } = workerData as {
  readonly folder: string
  readonly cap: number
  readonly url: string
  /** 1 once the store is open: its schema exists, and the server was checked. */
  readonly storeIsOpen: Int32Array
}
const isStoreOpen = (): boolean => Atomics.load(storeIsOpen, 0) === 1
const port = threadPort()
awaitTurn()
const unlockFolder = lockFolder(folder)
const path = join(folder, 'spool.db')
// Losing the newest pages loses nothing: they are read again.
const db = openForWriting(path, 'NORMAL')
checkForDamage(db, path)
migrate(db)
const problem = tableProblem(db)
if (problem !== null) throw new Error(withRemedy(problem))
const checkpointer = new Checkpointer(db, Date.now)
const mirror = new Mirror(db, {
  now: Date.now,
  monotonic: () => performance.now(),
  cap,
  walBytes: () => checkpointer.state.log,
})
const connection = new StoreConnection(url)
let wakeUp: () => void = () => undefined
const follower = new MirrorFollower({
  connection,
  mirror,
  publish,
  pause,
  wake: () => wakeUp(),
  now: Date.now,
  log: console.error,
})
let following: Promise<void> = Promise.resolve()
let isStopping = false
const { settings, writes, maintenance } = createMirrorMethods({
  db,
  path,
  mirror,
  checkpointer,
  ballast: new Ballast(folder),
  withRemedy,
})
const signals = {
  wake: () => wakeUp(),
  rowsErased: () => follower.rowsErased(),
  olderDigested: () => follower.olderDigested(),
  empty: () => follower.empty(),
  connectionCounts: () => connection.counts,
  follow: () => {
    following = followOnceOpen()
  },
}

port.on('message', (first: readonly Call[]) => run(takeQueued(port, first)))
const idle = setInterval(() => checkpointer.checkpoint(), IDLE_MS)

/** Nothing can be read before the schema of the store exists. */
async function followOnceOpen(): Promise<void> {
  while (!isStoreOpen() && !isStopping) await pause(OPEN_MS)
  await follower.run()
}

function publish(news: MirrorNews): void {
  port.postMessage({ news })
  checkpointer.checkpointIfGrown()
}

/** Ends early when the thread is woken. */
function pause(ms: number): Promise<void> {
  if (isStopping) return Promise.resolve()
  return new Promise((resolve) => {
    const cancel = startTimer(() => resolve(), ms)
    wakeUp = () => {
      cancel()
      resolve()
    }
  })
}

function run(calls: readonly Call[]): void {
  const stop = calls.findIndex(({ method }) => method === 'stop')
  const accepted = stop < 0 ? calls : calls.slice(0, stop)
  const isOneOf = (methods: object) => (call: Call) => Object.hasOwn(methods, call.method)
  for (const methods of [settings, signals])
    sendAnswers(
      port,
      accepted.filter(isOneOf(methods)).map((call) => answer(call, methods)),
    )
  write(accepted.filter(isOneOf(writes)))
  sendAnswers(
    port,
    accepted.filter(isOneOf(maintenance)).map((call) => answer(call, maintenance)),
  )
  if (stop >= 0) void close()
}

function write(batch: readonly Call[]): void {
  if (batch.length === 0) return
  try {
    const { answers, facts, totals } = commitBatch(batch, writes, { db, writer: mirror })
    mirror.budget.recount(checkpointer.state.log)
    sendAnswers(port, answers)
    if (facts.length > 0) publish({ facts, totals, used: mirror.budget.used, reach: follower.reach() })
  } catch (error) {
    const plain = toPlainError(error)
    sendAnswers(
      port,
      batch.map(({ id }) => ({ id, error: plain })),
    )
  }
}

function withRemedy(found: string): string {
  return `${path} ${found}: ${mirrorRemedy(folder)}`
}

async function close(): Promise<void> {
  isStopping = true
  clearInterval(idle)
  follower.stop()
  await following
  await connection.close()
  checkpointer.truncate()
  db.close()
  unlockFolder()
  port.close()
}
