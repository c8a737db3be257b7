import { expect, it, onTestFinished } from 'vitest'
import type { Check } from '../../collector/cli/doctor/doctor-checks'
import { formatDsn } from '../../lib/protocol/dsn'
import { collectorClient } from '../../lib/wire/collector-client'
import { readRefusal } from '../../lib/wire/errors'
import { createCluster } from '../store/cluster'
import {
  type CollectorProcess,
  endCollectors,
  postEnvelope,
  startCollector,
  temporaryFolder,
} from './collector-process'
import { errorEnvelope } from './envelopes'
import { startCommand } from './run-process'
import { upstream } from './upstream'

const client = ({ url }: CollectorProcess) => collectorClient(url, fetch)

/** The samples of a metric, by their labels. */
async function metricOf({ url }: CollectorProcess, name: string): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const samples = text.matchAll(new RegExp(`^waystation_${name}(?:\\{(.*)\\})? (.+)$`, 'gm'))
  return Object.fromEntries([...samples].map(([, labels = '', value]) => [labels, Number(value)]))
}

it('metrics, status and storage tell of PostgreSQL, also while it is away', async ({ skip }) => {
  const cluster = await createCluster()
  if ('why' in cluster) return skip(cluster.why)
  onTestFinished(async () => {
    endCollectors()
    await cluster.remove()
  })
  await cluster.start()
  const standIn = await upstream()
  const env = { WAYSTATION_UPSTREAM: formatDsn(standIn.dsn), WAYSTATION_STORE_SIZE: '1GB' }
  const [one, other] = await Promise.all([0, 1].map(() => startCollector({ WAYSTATION_STORE: cluster.url(), ...env })))
  if (one === undefined || other === undefined) throw new TypeError('two collectors were started')
  for (let sent = 0; sent < 5; sent += 1) await postEnvelope(one, errorEnvelope(one.dsn).body)
  await expect.poll(() => standIn.received().length).toBe(5)

  const place = new URL(cluster.url()).host
  await expect
    .poll(async () => (await client(other).status()).store)
    .toMatchObject({ place: expect.stringContaining(place), away: null, mirror: { missing: 0, lagMs: 0 } })
  for (const collector of [one, other])
    await expect.poll(() => metricOf(collector, 'mirror_lag_facts')).toEqual({ '': 0 })
  expect((await metricOf(one, 'store_batch_writes_total'))['']).toBeGreaterThanOrEqual(5)
  expect(await metricOf(one, 'store_up')).toEqual({ '': 1 })
  expect(await metricOf(one, 'store_budget_bytes')).toEqual({ '': 2 ** 30 })

  // Sizes and owners are up to 10 s old.
  const owners = async () => {
    const all = await Promise.all([one, other].map((collector) => metricOf(collector, 'store_lanes')))
    return all.map((lanes) => lanes['owner="this"']).sort()
  }
  await expect.poll(owners, { timeout: 30_000 }).toEqual([0, 1])
  const { store } = await client(one).storage()
  expect(store?.usage).toMatchObject({
    ...{ budgetBytes: 2 ** 30, partitions: { count: 3, first: 0 } },
    lanes: [{ project: standIn.dsn.projectId, lane: 0, owner: expect.stringMatching(/ \d+$/) }],
  })
  expect(store?.usage?.bytes).toBeGreaterThan(1_000_000)
  expect(store?.usage?.collectors.list.map(({ name }) => name.split(' ')[1]).sort()).toEqual(
    [one.pid, other.pid].map(String).sort(),
  )
  expect(JSON.stringify(store)).not.toContain(`"${standIn.dsn.publicKey}"`)

  await cluster.stop('SIGQUIT')
  await expect
    .poll(async () => (await client(one).status()).store)
    .toMatchObject({ away: expect.stringContaining('is away'), mirror: { missing: null, lagMs: null } })
  expect(await metricOf(one, 'store_up')).toEqual({ '': 0 })
  expect(await metricOf(one, 'mirror_lag_facts')).toEqual({})
  for (const use of ['reading', 'following'])
    await expect
      .poll(async () => (await metricOf(one, 'store_connection_failures_total'))[`use="${use}"`])
      .toBeGreaterThan(0)
  expect((await client(one).storage()).store?.usage?.partitions.count).toBe(3)
  const refused = await readRefusal(await fetch(`${one.url}/query/losses`))
  expect([refused.status, refused.behind]).toEqual([503, { missing: null }])
  const { code, out } = await startCommand(['doctor', '--json'], {
    WAYSTATION_DATA: temporaryFolder(),
    WAYSTATION_COLLECTOR_URL: one.url,
  }).ended
  const { checks } = JSON.parse(out) as { readonly checks: readonly Check[] }
  expect(code).toBe(1)
  expect(checks.filter(({ state }) => state === 'broken').map(({ id }) => id)).toEqual(['ready', 'store'])
  expect(checks.find(({ id }) => id === 'store')?.found).toContain('is away')
  expect(checks.find(({ id }) => id === 'endpoint')).toMatchObject({
    state: 'skipped',
    found: 'The copy of the shared record may lack the newest envelopes.',
  })

  await cluster.start()
  await expect.poll(() => metricOf(one, 'store_up')).toEqual({ '': 1 })
  await expect.poll(() => metricOf(one, 'mirror_lag_facts')).toEqual({ '': 0 })
})

it('a record that is not shared has none of it', async () => {
  const collector = await startCollector()
  onTestFinished(endCollectors)
  expect(await client(collector).status()).not.toHaveProperty('store')
  expect(await client(collector).overview()).not.toHaveProperty('store')
  expect(await client(collector).storage()).not.toHaveProperty('store')
  expect(await metricOf(collector, 'store_up')).toEqual({})
})
