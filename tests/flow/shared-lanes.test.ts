import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatDsn } from '../../lib/protocol/dsn'
import { collectorClient } from '../../lib/wire/collector-client'
import { type Cluster, createCluster } from '../store/cluster'
import { createDatabase, withClient } from '../store/databases'
import { type CollectorProcess, endCollectors, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope } from './envelopes'
import { upstream } from './upstream'

const LANES = 4
/** A second, and as long again for a busy machine. */
const LIMIT_MS = 2000

let cluster: Cluster | { readonly why: string }
beforeAll(async () => {
  cluster = await createCluster()
  if ('why' in cluster) console.log(`Tests of lanes are skipped: ${cluster.why}.`)
  else await cluster.start()
})
afterAll(async () => {
  endCollectors()
  if (!('why' in cluster)) await cluster.remove()
})

const overview = ({ url }: CollectorProcess) => collectorClient(url, fetch).overview()

/** Two collectors that deliver two of four lanes each of one upstream; the second one started later. */
async function twoOwners(skip: (why: string) => never) {
  if ('why' in cluster) return skip(cluster.why)
  const url = await createDatabase(cluster.url())
  const standIn = await upstream()
  const start = () =>
    startCollector({
      WAYSTATION_STORE: url,
      WAYSTATION_LANES: String(LANES),
      WAYSTATION_UPSTREAM: formatDsn(standIn.dsn),
    })
  const one = await start()
  const lanesOfEach = (): Promise<readonly number[]> =>
    withClient(url, async (client) => {
      const { rows } = await client.query(
        `SELECT count(*)::int AS lanes FROM waystation.lanes WHERE owner > 0 GROUP BY owner ORDER BY owner`,
      )
      return rows.map(({ lanes }) => Number(lanes))
    })
  await expect.poll(lanesOfEach, { timeout: 20_000 }).toEqual([LANES])
  const other = await start()
  await expect.poll(lanesOfEach, { timeout: 40_000 }).toEqual([LANES / 2, LANES / 2])
  return { standIn, one, other, lanesOfEach }
}

const sessionUpdate = (dsn: string, sid: string, n: number): string =>
  [
    JSON.stringify({ dsn, sent_at: new Date().toISOString() }),
    JSON.stringify({ type: 'session' }),
    JSON.stringify({
      sid,
      init: n === 0,
      errors: n,
      started: new Date().toISOString(),
      status: 'ok',
      attrs: { release: 'a@1' },
    }),
  ].join('\n')

describe('an upstream with four lanes', () => {
  it('receives everything once from two collectors, each session in its order, under limits that both know, also after one was killed', async ({
    skip,
  }) => {
    const { standIn, one, other, lanesOfEach } = await twoOwners(skip)
    const [state] = (await overview(other)).upstreams
    expect(
      state?.owner
        ?.split(', ')
        .map((name) => Number(name.split(' ')[1]))
        .sort(),
    ).toEqual([one.pid, other.pid].sort())

    /** The updates of a session go to both collectors in turn, each after the one before was stored. */
    const session = async (sid: string): Promise<void> => {
      for (let n = 0; n < 10; n += 1) {
        const sent = await postEnvelope(n % 2 === 0 ? one : other, sessionUpdate(one.dsn, sid, n))
        expect(sent.status).toBe(200)
      }
    }
    const errors = async (collectors: readonly CollectorProcess[], count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1)
        for (const collector of collectors)
          expect((await postEnvelope(collector, errorEnvelope(one.dsn).body)).status).toBe(200)
    }
    await Promise.all([session('a'), session('b'), session('c'), errors([one, other], 50)])
    await expect.poll(() => standIn.received().length, { timeout: 20_000 }).toBe(130)
    expect(new Set(standIn.received().map(({ sha256 }) => sha256)).size).toBe(130)
    const updates = standIn
      .received()
      .map(({ body }) => /"sid":"(\w)".*"errors":(\d+)/.exec(Buffer.from(body).toString()))
      .filter((found) => found !== null)
    for (const sid of ['a', 'b', 'c'])
      expect(updates.filter((found) => found[1] === sid).map((found) => Number(found[2]))).toEqual([
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
      ])
    await expect.poll(() => overview(other)).toMatchObject({ items: { pending: 0, outcomes: { accepted: 130 } } })

    // A limit that one collector learns holds for both within a second.
    standIn.play({ answers: [{ headers: { 'x-sentry-rate-limits': '600:session:key' }, body: '{}' }] })
    await postEnvelope(one, sessionUpdate(one.dsn, 'd', 0))
    await standIn.nextPost()
    const learned = Date.now()
    const limitsAt = async (collector: CollectorProcess) =>
      (await overview(collector)).limits.map(({ category }) => category)
    for (const each of [one, other]) await expect.poll(() => limitsAt(each), { interval: 20 }).toEqual(['session'])
    expect(Date.now() - learned).toBeLessThan(LIMIT_MS)
    for (let n = 1; n < 6; n += 1) await postEnvelope(n % 2 === 0 ? one : other, sessionUpdate(one.dsn, 'd', n))
    await expect.poll(async () => (await overview(other)).items.pending).toBe(0)
    const posted = () => standIn.received().filter(({ categories }) => !categories.includes('internal')).length
    expect(posted()).toBe(131)

    await one.kill()
    await errors([other], 40)
    await expect.poll(posted, { timeout: 40_000 }).toBe(171)
    const all = standIn.received().filter(({ categories }) => categories.includes('error'))
    expect(new Set(all.map(({ sha256 }) => sha256)).size).toBe(140)
    expect(await lanesOfEach()).toEqual([LANES])
  })
})
