import { describe, expect, it } from 'vitest'
import { takeTask } from '../../collector/spool-postgres/housekeeping/task-lease'
import {
  advanceRunningTime,
  deleteChanges,
  deleteCollectors,
  deleteCommits,
  deleteLimits,
  deleteReceipts,
  foldTotals,
  noteSeen,
  sumUnreported,
} from '../../collector/spool-postgres/housekeeping/upkeep'
import { accepted, keptSubmission, submission } from '../unit/spool/in-process-spool'
import { closeKeptStores, HOUR_MS, type KeptStore, NOW, openKeptStore, server } from './housekeeping-store'

const TWO_DAYS_LATER = NOW + 48 * HOUR_MS + 1

const TOTALS = `SELECT string_agg(category || ' ' || entry || ' ' || reason || ' ' || quantity || ' ' || items, ', '
    ORDER BY category, entry, reason)
  FROM (SELECT category, entry, reason, sum(quantity) AS quantity, sum(items) AS items
    FROM (SELECT category, entry, reason, quantity, items FROM waystation.totals_added
      UNION ALL SELECT category, entry, reason, quantity, items FROM waystation.ledger_totals) AS every
    GROUP BY category, entry, reason HAVING sum(quantity) <> 0) AS sums`

const count = async (store: KeptStore, table: string): Promise<unknown> =>
  (await store.column(`SELECT count(*) FROM waystation.${table}`))[0]

describe.skipIf('why' in server)('upkeep of the shared record', () => {
  closeKeptStores()

  it('adds at most a minute of running time at once, and only for the holder of the lease', async () => {
    const store = await openKeptStore()
    const ran = () => store.column(`SELECT value FROM waystation.counters WHERE name = 'ran_ms'`)
    const lease = await takeTask(store.connection, 1, 'housekeeping')
    if (lease === null) throw new Error('the lease is not free')
    await advanceRunningTime(store.connection, lease, 1500.4)
    expect(await ran()).toEqual([1500])
    await advanceRunningTime(store.connection, lease, 3_600_000)
    expect(await ran()).toEqual([61_500])
    await advanceRunningTime(store.connection, { ...lease, token: lease.token - 1 }, 1000)
    expect(await ran()).toEqual([61_500])
  })

  it('deletes receipts that are older than 48 h', async () => {
    const store = await openKeptStore()
    await store.append(submission())
    await store.column(
      `INSERT INTO waystation.receipts SELECT 'old ' || i, i, ${NOW} FROM generate_series(1, 12000) AS i`,
    )
    store.clock.now = TWO_DAYS_LATER
    await store.append(submission())
    await deleteReceipts(store.connection, TWO_DAYS_LATER)
    expect(await count(store, 'receipts')).toBe(1)
  })

  it('deletes ids of batches that are older than 48 h, without gaps and never the newest', async () => {
    const store = await openKeptStore()
    for (const hours of [0, 0, 60, 0, 0]) {
      store.clock.now = NOW + hours * HOUR_MS
      await store.append(submission())
    }
    await deleteCommits(store.connection, NOW + 49 * HOUR_MS)
    expect(await store.column('SELECT last FROM waystation.commits ORDER BY last')).toEqual([3, 4, 5])
    await deleteCommits(store.connection, NOW + 1000 * HOUR_MS)
    expect(await store.column('SELECT last FROM waystation.commits ORDER BY last')).toEqual([5])
    expect(await store.append(submission())).toMatchObject({ seq: 6 })
  })

  it('deletes collectors without a lane that were not seen for a day', async () => {
    const store = await openKeptStore()
    await store.column(`INSERT INTO waystation.collectors (name) VALUES ('owner'), ('former'), ('recent')`)
    await store.column(`INSERT INTO waystation.lanes (public_key, project, lane, owner)
      SELECT 'key', '1', 0, id FROM waystation.collectors WHERE name = 'owner'`)
    await store.column(`UPDATE waystation.collectors SET seen_at = now() - interval '25 hours' WHERE name <> 'recent'`)
    await noteSeen(store.connection, 1)
    await deleteCollectors(store.connection)
    const names = await store.column('SELECT name FROM waystation.collectors ORDER BY name')
    expect(names).toEqual(['owner', 'recent', expect.stringMatching(/^test-/)])
  })

  it('deletes limits that ended', async () => {
    const store = await openKeptStore()
    const limit = { publicKey: 'key', project: '1', receivedAt: NOW, reason: null, scope: null, sourceSeq: null }
    await store.storeLimits([
      { ...limit, category: 'error', until: NOW + 1000 },
      { ...limit, category: 'span', until: NOW + 1001 },
    ])
    await deleteLimits(store.connection, NOW + 1000)
    expect(await store.limits()).toMatchObject([{ category: 'span' }])
  })

  it('sums totals that are older than 48 h, with the number up to which it did', async () => {
    const store = await openKeptStore()
    for (let records = 0; records < 4; records += 1) await store.append(submission({ stamp: `stamp ${records}` }))
    await store.append(keptSubmission())
    await store.recordAttempt(accepted(1))
    const head = await store.head()
    const [before] = await store.column(TOTALS)
    store.clock.now = TWO_DAYS_LATER
    await store.append(submission({ quantities: [] }))

    await foldTotals(store.connection, NOW)
    expect(await count(store, 'ledger_totals')).toBe(0)
    await foldTotals(store.connection, TWO_DAYS_LATER)
    expect(await count(store, 'totals_added')).toBe(0)
    expect(await store.column(TOTALS)).toEqual([before])
    expect(await store.column(`SELECT value FROM waystation.counters WHERE name = 'folded_up_to'`)).toEqual([head])
  })

  it('loses no totals when two collectors sum them while batches add some', async () => {
    const store = await openKeptStore({ partitionNumbers: 1024 })
    const other = await store.openOther('other')
    for (let records = 0; records < 20; records += 1) await store.append(submission())
    store.clock.now = TWO_DAYS_LATER
    const appends = Array.from({ length: 20 }, () => store.append(submission()))
    await Promise.all([
      foldTotals(store.connection, TWO_DAYS_LATER),
      foldTotals(other.connection, TWO_DAYS_LATER),
      ...appends,
    ])
    expect(await store.column(TOTALS)).toEqual(['error pending  40 40, error received  40 40'])
  })

  it('sums unreported quantities, and removes those that cancel out', async () => {
    const store = await openKeptStore()
    await store.column(`INSERT INTO waystation.unreported VALUES
      ('key', '1', 'ratelimit_backoff', 'error', 3), ('key', '1', 'ratelimit_backoff', 'error', 4),
      ('key', '1', 'before_send', 'error', 2), ('key', '1', 'before_send', 'error', -2), ('key', '2', 'before_send', 'error', 1)`)
    await sumUnreported(store.connection)
    expect(await store.column('SELECT quantity FROM waystation.unreported ORDER BY quantity')).toEqual([1, 7])
    expect(await store.unreported('key', '1')).toEqual([
      { reason: 'ratelimit_backoff', category: 'error', quantity: 7 },
    ])
  })

  it('deletes changes before the oldest number', async () => {
    const store = await openKeptStore()
    for (const value of ['a', 'b', 'c']) await store.saveSetting('name', value)
    await deleteChanges(store.connection, 3)
    expect(await store.column('SELECT n FROM waystation.changes')).toEqual([3])
  })

  it.each([
    ['receipts', (store: KeptStore) => deleteReceipts(store.connection, TWO_DAYS_LATER)],
    ['commits', (store: KeptStore) => deleteCommits(store.connection, TWO_DAYS_LATER)],
    ['collectors', (store: KeptStore) => deleteCollectors(store.connection)],
    ['limits', (store: KeptStore) => deleteLimits(store.connection, TWO_DAYS_LATER)],
    ['totals', (store: KeptStore) => foldTotals(store.connection, TWO_DAYS_LATER)],
    ['unreported', (store: KeptStore) => sumUnreported(store.connection)],
    ['changes', (store: KeptStore) => deleteChanges(store.connection, 1)],
  ])('appends records while it works on %s', async (_, work) => {
    const store = await openKeptStore({ partitionNumbers: 1024 })
    for (let records = 0; records < 5; records += 1) await store.append(submission())
    const appends = Array.from({ length: 5 }, () => store.append(submission()))
    await Promise.all([work(store), ...appends])
    expect(await store.column('SELECT seq FROM waystation.records ORDER BY seq')).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ])
    expect(await count(store, 'pending_deliveries')).toBe(10)
  })
})
