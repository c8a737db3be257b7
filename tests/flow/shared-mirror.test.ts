import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../collector/spool-postgres/store'
import { formatDsn } from '../../lib/protocol/dsn'
import { collectorClient } from '../../lib/wire/collector-client'
import { type Cluster, createCluster } from '../store/cluster'
import { createDatabase, nameOfDatabase, withClient } from '../store/databases'
import { keptSubmission } from '../unit/spool/in-process-spool'
import { type CollectorProcess, endCollectors, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope } from './envelopes'
import { upstream } from './upstream'

/** Enough facts that most of them are older than those with which a mirror starts. */
const MANY = 8000
const AT_ONCE = 8

let cluster: Cluster | { readonly why: string }
beforeAll(async () => {
  cluster = await createCluster()
  if ('why' in cluster) console.log(`Tests of a mirror are skipped: ${cluster.why}.`)
  else await cluster.start()
})
afterAll(async () => {
  endCollectors()
  if (!('why' in cluster)) await cluster.remove()
})

function server(skip: (why: string) => never): Cluster {
  return 'why' in cluster ? skip(cluster.why) : cluster
}

const client = ({ url }: CollectorProcess) => collectorClient(url, fetch)
const reachOf = async (at: CollectorProcess) => (await client(at).status()).storage.reach

/** @returns the id of the last event */
async function send(to: CollectorProcess, count: number): Promise<string> {
  let left = count
  const sendOneByOne = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await post(to, errorEnvelope(to.dsn).body)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendOneByOne))
  const last = errorEnvelope(to.dsn)
  await post(to, last.body)
  return last.eventId
}

/** Stores envelopes as fast as the store takes them. */
async function fill(url: string, dsn: string): Promise<void> {
  const store = await openPostgresStore({ url, name: 'test', now: Date.now, log: () => undefined })
  const body = (): Uint8Array => Buffer.from(errorEnvelope(dsn).body)
  const appended = Array.from({ length: MANY }, () =>
    store.append(keptSubmission({ body: body(), receipt: randomUUID(), receivedAt: Date.now() })),
  )
  await Promise.all(appended)
  await store.close()
}

/** Sends it again until it is stored, once: the server may close an idle connection, or the store be away. */
async function post(to: CollectorProcess, body: string): Promise<void> {
  const headers = { 'x-waystation-receipt': randomUUID() }
  const send = async (): Promise<number> =>
    postEnvelope(to, body, headers).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(send, { timeout: 30_000 }).toBe(200)
}

const newestEvent = async (at: CollectorProcess): Promise<string | undefined> =>
  (await client(at).events({ limit: 1 })).events[0]?.eventId

describe('a collector that joins a shared record', () => {
  it('shows the newest records first, says how far it reaches, and has all of them in the end', async ({ skip }) => {
    const url = await createDatabase(server(skip).url())
    const store = { WAYSTATION_STORE: url }
    const first = await startCollector(store)
    await fill(url, first.dsn)
    const newest = await send(first, 0)
    const losses = await client(first).losses()

    const second = await startCollector(store)
    await expect.poll(() => newestEvent(second), { interval: 50 }).toBe(newest)
    const reach = await reachOf(second)
    expect(reach).toMatchObject({ state: 'fetching' })
    const contract = await fetch(`${second.url}/query/contract`)
    expect(contract.status).toBe(503)
    expect(await contract.text()).toMatch(/records since \d\d:\d\d; older ones are being fetched \(\d+ % are here\)/)
    expect((await fetch(`${second.url}/query/contract?after=${2 * MANY}`)).status).toBe(200)
    expect((await fetch(`${second.url}/query/losses`)).status).toBe(503)

    // A collector that is killed meanwhile goes on where it was.
    await second.kill()
    const again = await second.restart()
    expect((await reachOf(again))?.from ?? 0).toBeLessThanOrEqual(reach?.from ?? 0)
    await send(again, 10)
    await expect.poll(() => reachOf(again), { timeout: 150_000 }).toBeUndefined()
    await expect.poll(async () => (await client(again).overview()).counts.envelopes).toBe(MANY + 12)
    const groups = async (at: CollectorProcess) =>
      (await client(at).errors({ limit: 10 })).groups.map(({ count }) => count)
    await expect.poll(() => groups(again)).toEqual([MANY + 12])
    expect(await groups(first)).toEqual([MANY + 12])
    const [category] = (await client(again).losses()).categories
    expect(category).toMatchObject({ kept: MANY + 12, unexplained: 0 })
    expect(losses.categories[0]).toMatchObject({ kept: MANY + 1 })
    expect(await again.stop()).toBe(0)
  }, 400_000)
})

describe('a shared record that was restored from an older copy', () => {
  it('is followed from there by collectors that run, and relayed', async ({ skip }) => {
    const url = await createDatabase(server(skip).url())
    const standIn = await upstream()
    const store = { WAYSTATION_STORE: url, WAYSTATION_UPSTREAM: formatDsn(standIn.dsn) }
    const collectors = [await startCollector(store), await startCollector(store)]
    const [one, other] = collectors as [CollectorProcess, CollectorProcess]
    await send(one, 9)
    // In the copy they are not pending, so they are not posted again.
    const account = async (at: CollectorProcess) => (await client(at).losses()).categories
    await expect.poll(() => account(one)).toMatchObject([{ accepted: 10 }])
    const admin = server(skip).url()
    const [name, copy] = [nameOfDatabase(url), `${nameOfDatabase(url)}_copy`]
    const withAdmin = (...statements: readonly string[]) =>
      withClient(admin, async (pg) => {
        for (const sql of statements) await pg.query(sql)
      })
    const swap = (from: string, to: string): readonly string[] => [
      `ALTER DATABASE ${from} ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${from}'`,
      `CREATE DATABASE ${to} TEMPLATE ${from} STRATEGY file_copy`,
    ]
    await withAdmin(...swap(name, copy), `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)

    await send(one, 19)
    await expect.poll(() => standIn.received().length).toBe(30)
    // Each mirror is beyond the copy.
    for (const at of collectors) await expect.poll(() => account(at)).toMatchObject([{ accepted: 30 }])
    const streams = await Promise.all(collectors.map(readStream))
    await withAdmin(
      `DROP DATABASE ${name} WITH (FORCE)`,
      `CREATE DATABASE ${name} TEMPLATE ${copy} STRATEGY file_copy`,
      `DROP DATABASE ${copy}`,
    )

    for (const stream of streams) await expect.poll(stream.text).toContain('event: reset')
    for (const at of collectors)
      await expect.poll(async () => (await client(at).overview()).counts.envelopes, { timeout: 20_000 }).toBe(10)
    const newest = await send(one, 4)
    for (const at of collectors) {
      await expect.poll(() => newestEvent(at)).toBe(newest)
      expect((await client(at).overview()).counts).toMatchObject({ envelopes: 15 })
      await expect.poll(async () => (await client(at).errors({ limit: 10 })).groups[0]?.count).toBe(15)
    }
    await expect.poll(() => standIn.received().length, { timeout: 60_000 }).toBe(35)
    await expect.poll(() => account(other)).toMatchObject([{ accepted: 15, unexplained: 0 }])
    for (const stream of streams) stream.close()
    for (const at of collectors) {
      expect(at.output()).toMatch(/the shared record has no batch that ends with fact \d+.*fetched again/)
      expect(await at.stop()).toBe(0)
    }
  })
})

async function readStream(at: CollectorProcess): Promise<{ readonly text: () => string; readonly close: () => void }> {
  const stop = new AbortController()
  const { body } = await fetch(`${at.url}/query/stream`, { signal: stop.signal })
  if (body === null) throw new Error('the stream has no body')
  let text = ''
  const read = async (): Promise<void> => {
    for await (const piece of body.pipeThrough(new TextDecoderStream())) text += piece
  }
  void read().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error
  })
  return { text: () => text, close: () => stop.abort() }
}
