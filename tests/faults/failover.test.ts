import { chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import type { Cluster } from '../store/cluster'
import { createDatabase, nameOfDatabase, withClient } from '../store/databases'
import { randomFrom } from './random'
import { clusterOfTest, setUpShared } from './shared-collectors'
import { figures } from './shared-oracle'
import { startStoreProxy } from './store-proxy'

const program = inject('faultsProgram')
/** On a machine that has other work. */
const LONGEST_MS = 300_000
const SEED = Number(process.env.FAULT_SEED ?? 1)

/** Makes a copy of a stopped primary a standby when it starts. */
function makeStandby(copy: Cluster): void {
  const data = join(copy.folder, 'data')
  const { uid, gid } = statSync(data)
  writeFileSync(join(data, 'standby.signal'), '')
  chownSync(join(data, 'standby.signal'), uid, gid)
}

const LOST = 50
/** One of each sender. The answers to those that were stored before the fault may come after it. */
const OPEN_POSTS = 6

const untilTrue = (url: string, sql: string): Promise<void> =>
  expect
    .poll(() => withClient(url, async (client) => Object.values((await client.query(sql)).rows[0] ?? {})[0]))
    .toBe(true)

describe('a standby that is promoted after its primary was killed', { timeout: LONGEST_MS }, () => {
  it.for([
    { standby: 'synchronous', names: '*', mayLose: false },
    { standby: 'asynchronous', names: '', mayLose: true },
  ])(
    'has lost nothing that was acknowledged only if it is synchronous: $standby',
    async ({ standby, names, mayLose }, { skip, onTestFinished }) => {
      const primary = await clusterOfTest({ skip, onTestFinished })
      await primary.start()
      const database = await createDatabase(primary.url())
      await primary.stop()
      const copy = await clusterOfTest({ skip, onTestFinished }, undefined, primary)
      makeStandby(copy)
      const replication = await startStoreProxy(primary.url())
      onTestFinished(replication.close)
      const address = await startStoreProxy(database)
      onTestFinished(address.close)
      await primary.start({ synchronous_standby_names: names })
      const { port, username } = new URL(replication.url)
      await copy.start({ primary_conninfo: `host=127.0.0.1 port=${port} user=${username} application_name=standby` })
      await untilTrue(primary.url(), `SELECT count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming'`)

      const promoted = copy.url(nameOfDatabase(database))
      let current = database
      const shared = await setUpShared({
        program,
        draw: randomFrom(SEED + 2),
        store: address.url,
        database: () => current,
        count: 2,
      })
      onTestFinished(shared.close)
      const { senders } = shared
      await senders.moreAcknowledged(100)
      if (mayLose) {
        // A slow network to the standby: without it the loss depends on the machine.
        replication.hold()
        await senders.moreAcknowledged(LOST + OPEN_POSTS)
      }
      await primary.stop('SIGKILL')
      replication.cut()
      current = promoted
      address.lead(copy.port)
      // A standby takes no batch. Below a mirror that has more than it, a collector may end and start again.
      if (!mayLose) await senders.nextRefusal()
      await withClient(copy.url(), (client) => client.query('SELECT pg_promote(true)'))
      await senders.moreAcknowledged(100)

      const result = await shared.finish()
      console.log(`${standby} standby promoted: ${figures(result)}`)
      expect(result.broken).toEqual([])
      if (mayLose) expect(result.lost).toBeGreaterThanOrEqual(LOST)
      else expect(result.lost).toBe(0)
    },
  )
})

describe('a shared record of which an older snapshot is restored', { timeout: LONGEST_MS }, () => {
  it('is mirrored from the start by collectors that ran, and by one whose number it has reached again', async ({
    skip,
    onTestFinished,
  }) => {
    const cluster = await clusterOfTest({ skip, onTestFinished })
    await cluster.start()
    const database = await createDatabase(cluster.url())
    const address = await startStoreProxy(database)
    onTestFinished(address.close)
    const shared = await setUpShared({
      program,
      draw: randomFrom(SEED + 3),
      store: address.url,
      database: () => database,
      count: 2,
    })
    onTestFinished(shared.close)
    const { senders, collectors } = shared
    const [stopped, running] = collectors
    if (stopped === undefined || running === undefined) throw new Error('two collectors were not started')
    const name = nameOfDatabase(database)
    const snapshot = `${name}_snapshot`
    const copyDatabase = async (from: string, to: string): Promise<void> => {
      address.cut()
      await withClient(cluster.url(), async (client) => {
        await client.query(`DROP DATABASE IF EXISTS ${to} WITH (FORCE)`)
        await client.query(
          `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${from}' AND backend_type = 'client backend'`,
        )
        await client.query(`CREATE DATABASE ${to} TEMPLATE ${from} STRATEGY file_copy`)
      })
      address.restore()
    }
    await senders.moreAcknowledged(60)
    await copyDatabase(name, snapshot)
    await senders.moreAcknowledged(60 + OPEN_POSTS)
    await copyDatabase(snapshot, name)
    await senders.moreAcknowledged(30 + OPEN_POSTS)

    senders.setTargets([running.url])
    expect(await stopped.stop()).toBe(0)
    await copyDatabase(snapshot, name)
    await senders.moreAcknowledged(90)
    await stopped.startAgain()
    senders.setTargets(collectors.map(({ url }) => url))
    await senders.moreAcknowledged(30)

    const result = await shared.finish()
    console.log(`snapshot restored twice: ${figures(result)}`)
    expect(result.broken).toEqual([])
    expect(result.lost).toBeGreaterThanOrEqual(90)
  })
})
