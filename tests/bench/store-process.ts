import { setImmediate } from 'node:timers/promises'
import type { UpstreamKey } from '../../collector/spool/deliveries'
import type { OwnedLane } from '../../collector/spool/lanes'
import type { PostgresStore } from '../../collector/spool-postgres/store'
import type { Submission } from '../../lib/protocol/submission'
import { sleep } from '../../lib/time'
import { withClient } from '../store/databases'
import { accepted } from '../unit/spool/in-process-spool'
import { type OpenedStore, openStore } from './opened-store'
import type { StoreOrder, StoreWork } from './store-orders'
import { pendingPageLoad } from './store-records'

/* Stores page loads, and results of their delivery, as fast as the store answers or at a rate, with as little other work as possible. */

/** Made once: their texts repeat, and their receipts do not. */
const BODIES = 512
const PAGE = 256
/** Calls that go out together. */
const GROUP = 64
/** Of the bodies. */
const UPSTREAM: UpstreamKey = { publicKey: 'bench', project: '1' }
const RENEW_MS = 5000
const NOTHING: StoreWork = { records: 0, ms: 0, batches: 0, lanes: 0, times: [] }

let store: OpenedStore | null = null
let lanes: readonly OwnedLane[] = []
let made = 0
let url = ''
const bodies = Array.from({ length: BODIES }, (_, number) => pendingPageLoad(number, Date.now()))

// A child does not keep running because of its IPC channel alone, and this one has no other work yet.
process.channel?.ref()
process.on('message', (order: StoreOrder) => {
  run(order).then(
    (done) => process.send?.(done),
    (error: Error) => {
      console.error(error.stack)
      process.exit(1)
    },
  )
})

async function run(order: StoreOrder): Promise<StoreWork> {
  if ('open' in order) {
    store = await openStore(order.open)
    url = order.open.at
    return NOTHING
  }
  if (store === null) throw new Error('the store is not open')
  const opened = store
  const [began, batches] = [performance.now(), await opened.batches()]
  const worked = await work(opened, order)
  return { ...NOTHING, ms: performance.now() - began, batches: (await opened.batches()) - batches, ...worked }
}

async function work(opened: OpenedStore, order: Exclude<StoreOrder, { open: unknown }>): Promise<Partial<StoreWork>> {
  if ('append' in order) return append(opened, order.append, order.withResults)
  if ('perSecond' in order) return keepPace(opened, order)
  if (opened.shared === null) throw new Error('SQLite has no lanes')
  if ('take' in order) {
    const taken = await opened.shared.takeLanes([UPSTREAM])
    lanes = taken.lanes.slice(0, taken.share)
    for (const lane of taken.lanes.slice(taken.share)) await opened.shared.releaseLane(lane)
    return { lanes: lanes.length }
  }
  const { shared } = opened
  const counts = await Promise.all(
    lanes.map((lane) => deliver(shared, lane, order.deliver === 'pages' ? pagesOf(shared, lane) : numbersOf(lane))),
  )
  return { records: counts.reduce((sum, count) => sum + count, 0), lanes: lanes.length }
}

/** The same text with a receipt of its own. */
function next(): Submission {
  made += 1
  const { receipt, ...rest } = bodies[made % BODIES] as Submission
  return { ...rest, receivedAt: Date.now(), receipt: `${receipt}-${process.pid}-${made}` }
}

async function append(opened: OpenedStore, records: number, withResults: boolean): Promise<Partial<StoreWork>> {
  if (withResults && opened.shared !== null) lanes = (await opened.shared.takeLanes([UPSTREAM])).lanes
  let left = records
  const group = async (): Promise<void> => {
    while (left > 0) {
      // In a collector, too, calls come with a later turn than answers.
      await setImmediate()
      const size = Math.min(GROUP, left)
      left -= size
      const seqs = await Promise.all(Array.from({ length: size }, () => opened.append(next())))
      const [lane = null] = lanes
      if (withResults) await Promise.all(seqs.map((seq) => opened.recordAttempt(accepted(seq), lane)))
    }
  }
  const first = group()
  // Not in the batch of the first one.
  for (let turns = 0; turns < 2; turns += 1) await setImmediate()
  await Promise.all([first, opened.shared === null ? undefined : group()])
  return { records }
}

/** Appends each record when it is due, whether or not earlier ones are answered. */
async function keepPace(
  opened: OpenedStore,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<Partial<StoreWork>> {
  const times: (readonly [number, number, number])[] = []
  const open: Promise<void>[] = []
  const began = performance.now()
  const one = async (due: number): Promise<void> => {
    const seq = await opened.append(next())
    times.push([seq, performance.timeOrigin + due, performance.timeOrigin + performance.now()])
  }
  for (let count = 0; count < perSecond * seconds; ) {
    const dueByNow = Math.min(perSecond * seconds, ((performance.now() - began) / 1000) * perSecond)
    for (; count < dueByNow; count += 1) open.push(one(began + (count / perSecond) * 1000))
    await sleep(1)
  }
  await Promise.all(open)
  return { records: times.length, times }
}

/** Reads a page while the results of the last one are stored. @returns how many records it has delivered */
async function deliver(
  shared: PostgresStore,
  owned: OwnedLane,
  pages: AsyncIterable<readonly number[]>,
): Promise<number> {
  let [count, renewedAt] = [0, performance.now()]
  let lane = owned
  let stored: Promise<unknown> = Promise.resolve()
  for await (const seqs of pages) {
    await stored
    if (performance.now() - renewedAt > RENEW_MS) {
      renewedAt = performance.now()
      lane = (await shared.takeLanes([UPSTREAM])).lanes.find((one) => one.lane === lane.lane) ?? lane
    }
    const own = lane
    stored = Promise.all(seqs.map((seq) => shared.recordAttempt(accepted(seq), own)))
    count += seqs.length
  }
  await stored
  return count
}

/** As the relay reads them, with bodies. */
async function* pagesOf(shared: PostgresStore, lane: OwnedLane): AsyncIterable<readonly number[]> {
  for (let after = 0; ; ) {
    const page = await shared.pendingIn(lane, after, PAGE)
    if (page.length === 0) return
    after = page.at(-1)?.seq ?? after
    yield page.map(({ seq }) => seq)
  }
}

async function* numbersOf({ lane }: OwnedLane): AsyncIterable<readonly number[]> {
  const seqs = await withClient(url, async (client) => {
    const { rows } = await client.query<{ readonly seq: string }>(
      'SELECT seq FROM waystation.pending_deliveries WHERE lane = $1 ORDER BY seq',
      [lane],
    )
    return rows.map(({ seq }) => Number(seq))
  })
  for (let at = 0; at < seqs.length; at += PAGE) yield seqs.slice(at, at + PAGE)
}
