import { describe, expect, it } from 'vitest'
import { LaneLostError, type OwnedLane } from '../../collector/spool/lanes'
import { accepted, seqOf, submission } from '../unit/spool/in-process-spool'
import { createDatabase, nameOfDatabase, withClient } from './databases'
import { closeKeptStores, type KeptStore, openKeptStore, server } from './housekeeping-store'

const UPSTREAM = { publicKey: 'key', project: '1' }

closeKeptStores()

/** Runs statements while nobody is connected to a database. */
async function alone(store: KeptStore, ...statements: readonly string[]): Promise<void> {
  if ('why' in server) throw new Error(server.why)
  const name = nameOfDatabase(store.url)
  await withClient(server.url, async (client) => {
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await client.query(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`)
    for (const sql of statements) await client.query(sql)
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
  })
}

/** @returns a function that restores the record as it is now */
async function snapshot(store: KeptStore): Promise<() => Promise<void>> {
  if ('why' in server) throw new Error(server.why)
  const name = nameOfDatabase(store.url)
  const copy = nameOfDatabase(await createDatabase(server.url))
  await alone(store, `DROP DATABASE ${copy}`, `CREATE DATABASE ${copy} TEMPLATE ${name} STRATEGY file_copy`)
  return () =>
    alone(
      store,
      `ALTER DATABASE ${name} RENAME TO ${name}_lost`,
      `CREATE DATABASE ${name} TEMPLATE ${copy} STRATEGY file_copy`,
      `DROP DATABASE ${name}_lost`,
    )
}

const onlyLane = async (store: KeptStore): Promise<OwnedLane> => {
  const [lane] = (await store.takeLanes([UPSTREAM])).lanes
  if (lane === undefined) throw new Error('the store gave no lane')
  return lane
}

describe.skipIf('why' in server)('a record that was restored', () => {
  it('refuses results of posts that began before, also for a lane with as many owners as then', async () => {
    const store = await openKeptStore()
    const restore = await snapshot(store)
    const lane = await onlyLane(store)
    const posted = await seqOf(store.append(submission()))

    await restore()
    const again = await seqOf(store.append(submission()))
    expect(again).toBe(posted)
    const taken = await onlyLane(store)
    expect(taken.token).toBeGreaterThan(lane.token)
    await expect(store.recordAttempt(accepted(posted), lane)).rejects.toThrow(LaneLostError)
    expect(await store.countPending('key', '1')).toMatchObject({ pending: 1 })
    await store.recordAttempt(accepted(again), taken)
    expect(await store.countPending('key', '1')).toMatchObject({ pending: 0 })
  })

  it('refuses them at once, also if another collector has stored a record with that number', async () => {
    const store = await openKeptStore()
    await onlyLane(store)
    const restore = await snapshot(store)
    const lane = await onlyLane(store)
    const posted = await seqOf(store.append(submission()))

    await restore()
    const other = await store.openOther('other')
    expect(await seqOf(other.append(submission()))).toBe(posted)
    await expect(store.recordAttempt(accepted(posted), lane)).rejects.toThrow(LaneLostError)
    expect(await store.column(`SELECT owner FROM waystation.lanes WHERE public_key <> ''`)).toEqual([null])
    expect(await store.countPending('key', '1')).toMatchObject({ pending: 1 })
  })

  it('knows each collector by an id of its own, also those that joined after the copy was made', async () => {
    const first = await openKeptStore()
    const restore = await snapshot(first)
    const [second, third] = [await first.openOther('second'), await first.openOther('third')]
    for (const store of [first, second, third]) await seqOf(store.append(submission()))

    await restore()
    await third.takeLanes([UPSTREAM])
    await second.runHousekeeping()
    await seqOf(first.append(submission()))
    const names = await first.column('SELECT name FROM waystation.collectors ORDER BY name')
    expect(names).toEqual(expect.arrayContaining(['second', 'third']))
    expect(names).toHaveLength(3)
    for (const store of [first, second, third]) await seqOf(store.append(submission()))
    expect(await first.column('SELECT count(DISTINCT collector) FROM waystation.records')).toEqual([3])
  })

  it('is not taken for another one after a connection was lost', async () => {
    const store = await openKeptStore()
    const lane = await onlyLane(store)
    const posted = await seqOf(store.append(submission()))
    await alone(store)
    await store.recordAttempt(accepted(posted), lane)
    expect(await onlyLane(store)).toEqual(lane)
  })
})
