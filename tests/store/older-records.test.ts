import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { openForWriting } from '../../collector/runtime/database'
import { Mirror } from '../../collector/spool/mirror/mirror'
import { migrate } from '../../collector/spool/schema'
import { StoreConnection } from '../../collector/spool-postgres/connection'
import { MirrorFollower, type MirrorNews } from '../../collector/spool-postgres/follow/mirror-follower'
import { dropPartition } from '../../collector/spool-postgres/housekeeping/drop-partitions'
import { randomFrom } from '../faults/random'
import { keptSubmission, removeFolders, temporaryFolder } from '../unit/spool/in-process-spool'
import { closeKeptStores, type KeptStore, openKeptStore, server } from './housekeeping-store'
import { RandomOperations, type Target } from './random-operations'

const opened = new Set<{ readonly close: () => unknown }>()

interface Following {
  readonly db: Database
  readonly mirror: Mirror
  readonly follower: MirrorFollower
  readonly news: MirrorNews[]
}

/** A mirror that starts some facts before the newest one. Its records have rows at once. */
function follow(
  store: KeptStore,
  options: { readonly cap?: number; readonly path?: string; readonly startFacts?: number } = {},
): Following {
  const db = openForWriting(options.path ?? join(temporaryFolder(), 'spool.db'), 'NORMAL')
  migrate(db)
  const connection = new StoreConnection(store.url)
  opened.add(db).add(connection)
  const now = () => store.clock.now
  const mirror = new Mirror(db, { now, monotonic: () => 0, ...(options.cap && { cap: options.cap }) })
  const news: MirrorNews[] = []
  const follower = new MirrorFollower({
    connection,
    mirror,
    now,
    publish: (published) => {
      news.push(published)
      if (published.older !== undefined || published.deleted !== undefined)
        queueMicrotask(() => {
          if (published.older !== undefined) follower.olderDigested()
          else follower.rowsErased()
        })
      if (published.isLost) queueMicrotask(() => follower.empty())
    },
    pause: async () => undefined,
    wake: () => undefined,
    log: () => undefined,
    startFacts: options.startFacts ?? 30,
    olderFacts: 11,
  })
  return { db, mirror, follower, news }
}

async function stepUntilDone({ follower }: Following): Promise<void> {
  while (await follower.step());
}

/** Numbers that a mirror makes itself, and what depends on the order of the records. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  counters: ['ran_ms', 'sent_unnamed'],
  settings: ['mirror cursor', 'mirror reach'],
}
const TABLES = [
  'journal',
  'submissions',
  'pending_deliveries',
  'dead_letters',
  'deliveries',
  'outcomes',
  'ledger_totals',
  'stamps',
  'stamp_ledger_totals',
  'refusals',
  'refused_paths',
  'limits',
  'unreported',
  'counters',
  'settings',
] as const

/** All rows of a mirror, without their order. */
const contentOf = (db: Database) =>
  Object.fromEntries([
    ...TABLES.map((table) => {
      const rows = db.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]
      const kept = rows
        .filter(({ name, quantity }) => quantity !== 0 && !(LEFT_OUT[table] ?? []).includes(String(name)))
        .map(({ ran_at: _, body, ...row }) => JSON.stringify({ ...row, body: String(body) }))
      return [table, kept.sort()] as const
    }),
    [
      'limit_periods',
      db.prepare('SELECT category, until, cut FROM limit_periods ORDER BY until, category, received_at').all(),
    ],
  ])

const seqs = (db: Database): readonly number[] =>
  db.prepare('SELECT seq FROM submissions ORDER BY seq').pluck().all() as number[]

async function appendKept(store: KeptStore, records: number): Promise<void> {
  for (let n = 0; n < records; n += 1) {
    store.clock.now += 1000
    await store.append(keptSubmission())
  }
}

describe.skipIf('why' in server)('a mirror that starts in the middle', () => {
  closeKeptStores()
  afterEach(() => {
    for (const one of opened) one.close()
    opened.clear()
  })
  afterAll(removeFolders)

  it.each([1, 2, 3])('has what a mirror of all facts has, while others write (traffic %i)', async (seed) => {
    const store = await openKeptStore({ partitionNumbers: 512 })
    const target: Target = {
      store: { ...store, readSide: () => Promise.reject(new Error('unused')), reopen: () => Promise.reject() },
      seqs: [],
    }
    const operations = new RandomOperations(randomFrom(seed), () => store.clock.now)
    const operate = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) {
        store.clock.now += 1000
        await operations.next().run(target)
      }
    }
    await operate(200)
    const path = join(temporaryFolder(), 'spool.db')
    let late = follow(store, { path })
    await late.follower.step()
    expect(late.mirror.reach?.from).toBeGreaterThan(100)
    for (let steps = 0; late.mirror.reach !== null; steps += 1) {
      await late.follower.step()
      await operate(2)
      // A restart in the middle continues there.
      if (steps === 8) {
        const { from } = late.mirror.reach ?? { from: 0 }
        late.db.close()
        late = follow(store, { path })
        expect(late.mirror.reach?.from).toBe(from)
      }
    }
    await stepUntilDone(late)
    const full = follow(store)
    // Batch by batch: a larger page has limits and outcomes in no common order.
    for (let page = await store.follow(full.mirror.cursor(), 1); page !== null; ) {
      full.mirror.apply(page)
      page = await store.follow(full.mirror.cursor(), 1)
    }
    expect(seqs(full.db).length).toBeGreaterThan(60)
    expect(contentOf(late.db)).toEqual(contentOf(full.db))
  })

  it('has the newest facts first, and reports how far it reaches', async () => {
    const store = await openKeptStore({ partitionNumbers: 512 })
    await appendKept(store, 60)
    const late = follow(store)
    await late.follower.step()
    await late.follower.step()
    expect(seqs(late.db).at(-1)).toBe(119)
    expect(seqs(late.db).length).toBeLessThan(25)
    expect(late.news.at(-1)?.reach).toEqual({
      from: 80,
      since: expect.any(Number),
      percent: 34,
      state: 'fetching',
    })
    const totals = 'SELECT quantity FROM ledger_totals WHERE entry = ?'
    expect(late.db.prepare(totals).pluck().get('received')).toBe(60)
    await stepUntilDone(late)
    expect(seqs(late.db)).toHaveLength(60)
    expect(late.news.at(-1)).toMatchObject({ reach: null, isFilled: true })
  })

  it('ends with what the store still has, when older partitions are dropped meanwhile', async () => {
    const store = await openKeptStore()
    await appendKept(store, 60)
    const late = follow(store)
    await late.follower.step()
    await late.follower.step()
    for (const p of [0, 1, 2, 3]) await dropPartition(store.connection, p)
    await stepUntilDone(late)
    expect(late.mirror.reach).toBeNull()
    expect(seqs(late.db)[0]).toBe(65)
    expect(seqs(late.db)).toHaveLength(28)
  })

  it('leaves out records that were deleted before it fetched them', async () => {
    const store = await openKeptStore({ partitionNumbers: 512 })
    await appendKept(store, 60)
    const late = follow(store)
    await late.follower.step()
    await store.erase([1, 3], 'cleared')
    await stepUntilDone(late)
    expect(seqs(late.db)).toHaveLength(58)
    expect(seqs(late.db)[0]).toBe(5)
  })

  it('stops before its disk budget makes it evict, says so, and goes on with a larger one', async () => {
    const store = await openKeptStore({ partitionNumbers: 512 })
    for (let n = 0; n < 60; n += 1) await store.append(keptSubmission({ body: randomBytes(20_000) }))
    const path = join(temporaryFolder(), 'spool.db')
    const probe = follow(store)
    await stepUntilDone(probe)
    const whole = probe.mirror.budget.used
    const late = follow(store, { path, cap: Math.floor(whole * 0.9) })
    await stepUntilDone(late)
    expect(late.mirror.reach).not.toBeNull()
    expect(late.news.at(-1)?.reach).toMatchObject({ state: 'full' })
    expect(late.mirror.budget.used).toBeLessThan(whole * 0.75)
    late.db.close()
    const larger = follow(store, { path })
    await stepUntilDone(larger)
    expect(seqs(larger.db)).toHaveLength(60)
  })

  it('fetches nothing older once it had to evict', async () => {
    const store = await openKeptStore({ partitionNumbers: 512 })
    await appendKept(store, 60)
    const late = follow(store)
    await late.follower.step()
    await late.follower.step()
    late.mirror.commit(() => {
      late.mirror.evictor.evictSettled([91])
      late.mirror.noteEvicted()
    })
    await stepUntilDone(late)
    expect(seqs(late.db).length).toBeLessThan(25)
    expect(late.follower.reach()).toMatchObject({ from: 80, state: 'full' })
  })

  it('is emptied and begins again when the record is another one', async () => {
    const store = await openKeptStore({ partitionNumbers: 512 })
    await appendKept(store, 30)
    const late = follow(store)
    await stepUntilDone(late)
    expect(seqs(late.db)).toHaveLength(30)
    await store.connection.query({
      text: `WITH c AS (DELETE FROM waystation.commits WHERE last > 40), r AS (DELETE FROM waystation.records WHERE seq > 40),
          o AS (DELETE FROM waystation.outcomes WHERE seq > 40)
        DELETE FROM waystation.journal WHERE n > 40`,
    })
    await appendKept(store, 20)
    await stepUntilDone(late)
    expect(late.news.filter(({ isLost }) => isLost)).toHaveLength(1)
    expect(late.news.find(({ isReset }) => isReset)).toMatchObject({ facts: [{ n: 0, kind: 'cleared' }] })
    const full = follow(store, { startFacts: 100_000 })
    await stepUntilDone(full)
    expect(seqs(late.db)).toHaveLength(40)
    expect(contentOf(late.db).submissions).toEqual(contentOf(full.db).submissions)
    expect(contentOf(late.db).journal).toEqual(contentOf(full.db).journal)
  })
})
