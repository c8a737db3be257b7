import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { workerData } from 'node:worker_threads'
import { startTimer } from '../../lib/time'
import { Checkpointer } from '../runtime/checkpointer'
import { checkForDamage, openForWriting } from '../runtime/database'
import { answer, awaitTurn, type Call, sendAnswers, threadPort, toPlainError } from '../runtime/thread-call'
import { commitBatch, takeQueued } from '../spool/commit-batch'
import { lockFolder } from '../spool/disk/data-folder'
import { Ballast } from '../spool/disk/disk-budget'
import type { SpoolNews } from '../spool/journal'
import type { JournalPage, MirroredRecord } from '../spool/mirror/journal-page'
import { Mirror } from '../spool/mirror/mirror'
import { createMirrorMethods, type MirrorCalls } from '../spool/mirror/mirror-methods'
import { migrate, tableProblem } from '../spool/schema'
import type { ReceivedRecord } from '../spool/stored-content'
import { readFacts, readQuantities, receivedRecord } from '../spool/stored-content'
import { StoreConnection } from './connection'
import { CursorLostError, readPage } from './follow'
import { StoreAwayError } from './store-away'

/** News of the mirror. Rows of `deleted` must be erased before their records are: answer with `rowsErased`. */
export interface MirrorNews extends SpoolNews {
  readonly deleted: readonly number[]
}

/** The methods of this thread. */
export type MirrorThreadCalls = MirrorCalls & {
  /** Reads the next page now, not at the next poll. */
  readonly wake: () => Promise<void>
  readonly rowsErased: () => Promise<void>
  /** Whether the mirror was emptied at the start: the index of the old one is wrong. */
  readonly wasReset: () => Promise<boolean>
}

/** Facts of one page. */
const PAGE_FACTS = 500
/** Between two polls, while there is nothing new. */
const POLL_MS = 50
const AWAY_MS = 500
/** Between two looks at the disk budget, and the longest that a page waits for it. */
const BUDGET_MS = 100
const MOST_BUDGET_WAITS = 50
const IDLE_MS = 1000

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
let isReset = false
if (isStoreOpen()) await checkCursor()

let wakeUp: () => void = () => undefined
let rowsAreErased: () => void = () => undefined
let isStopping = false
const { settings, writes, maintenance } = createMirrorMethods({
  db,
  path,
  mirror,
  checkpointer,
  ballast: new Ballast(folder),
  withRemedy,
})
const signals = { wake: () => wakeUp(), rowsErased: () => rowsAreErased(), wasReset: () => isReset }

port.on('message', (first: readonly Call[]) => run(takeQueued(port, first)))
const following = follow()
const idle = setInterval(() => checkpointer.checkpoint(), IDLE_MS)

/** A mirror of a record that was restored, or that another server took over, begins again. */
async function checkCursor(): Promise<void> {
  try {
    await readPage(connection, mirror.cursor(), 1)
  } catch (error) {
    if (!(error instanceof CursorLostError)) throw error
    mirror.reset()
    isReset = true
  }
}

/** @throws CursorLostError: the process ends, and the next start begins again */
async function follow(): Promise<void> {
  while (!isStopping) {
    const page = await nextPage()
    if (page !== null) await apply(page)
  }
}

/** Waits when there is nothing new. */
async function nextPage(): Promise<JournalPage | null> {
  try {
    const page = isStoreOpen() ? await readPage(connection, mirror.cursor(), PAGE_FACTS) : null
    if (page === null) await pause(POLL_MS)
    return page
  } catch (error) {
    if (!(error instanceof StoreAwayError)) throw error
    await pause(AWAY_MS)
    return null
  }
}

async function apply(page: JournalPage): Promise<void> {
  const deleted = page.changes.flatMap((change) => (change.kind === 'deleted' ? change.seqs : []))
  if (deleted.length > 0) {
    const erased = new Promise<void>((resolve) => {
      rowsAreErased = resolve
    })
    publish({ facts: [], totals: [], used: mirror.budget.used, deleted })
    await erased
  }
  for (let waits = 0; !mirror.fits(page) && waits < MOST_BUDGET_WAITS && !isStopping; waits += 1) await pause(BUDGET_MS)
  if (isStopping) return
  publish({ ...mirror.apply(page), received: page.records.map(receivedOf), deleted: [] })
  checkpointer.checkpointIfGrown()
}

/** Damaged facts name no sender. */
const receivedOf = ({ facts, quantities, ...record }: MirroredRecord): ReceivedRecord =>
  receivedRecord({ ...record, facts: readFacts(facts), quantities: readQuantities(quantities) })

function publish(news: MirrorNews): void {
  port.postMessage({ news })
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
    if (facts.length > 0) publish({ facts, totals, used: mirror.budget.used, deleted: [] })
  } catch (error) {
    const plain = toPlainError(error)
    sendAnswers(
      port,
      batch.map(({ id }) => ({ id, error: plain })),
    )
  }
}

function withRemedy(found: string): string {
  return `${path} ${found}: it is a mirror, so delete the folder ${folder}, and start again`
}

async function close(): Promise<void> {
  isStopping = true
  clearInterval(idle)
  wakeUp()
  rowsAreErased()
  await following
  await connection.close()
  checkpointer.truncate()
  db.close()
  unlockFolder()
  port.close()
}
