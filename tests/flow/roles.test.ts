import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Check } from '../../collector/cli/doctor/doctor-checks'
import { formatDsn } from '../../lib/protocol/dsn'
import type { Role } from '../../lib/protocol/roles'
import { collectorClient } from '../../lib/wire/collector-client'
import { type Cluster, createCluster } from '../store/cluster'
import { createDatabase } from '../store/databases'
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

let cluster: Cluster | { readonly why: string }
beforeAll(async () => {
  cluster = await createCluster()
  if ('why' in cluster) console.log(`Tests of roles are skipped: ${cluster.why}.`)
  else await cluster.start()
})
afterAll(async () => {
  endCollectors()
  if (!('why' in cluster)) await cluster.remove()
})

/** The URL of a new record. Skips the test where no server can run. */
const newRecord = (skip: (why: string) => never): Promise<string> =>
  'why' in cluster ? skip(cluster.why) : createDatabase(cluster.url())

const client = ({ url }: CollectorProcess) => collectorClient(url, fetch)

/** @returns starts a collector with some roles, for one upstream */
function starter(store: string, dsn: string) {
  return (...roles: readonly Role[]): Promise<CollectorProcess> =>
    startCollector({ WAYSTATION_STORE: store, WAYSTATION_UPSTREAM: dsn, WAYSTATION_ROLES: roles.join(',') })
}

/** Status and detail of an answer, in OpenTelemetry its message. */
async function answerAt({ url }: CollectorProcess, path: string, init: RequestInit = {}): Promise<string> {
  const answer = await fetch(`${url}${path}`, init)
  const { detail, message = '' } = (await answer.json()) as { readonly detail?: string; readonly message?: string }
  return `${answer.status} ${detail ?? message}`
}

const databasesIn = ({ folder }: CollectorProcess): readonly string[] =>
  readdirSync(folder).filter((name) => name.includes('.db'))

const post: RequestInit = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }

it('three collectors of one record share the work: one receives, one delivers, one answers queries', async ({
  skip,
}) => {
  const store = await newRecord(skip)
  const standIn = await upstream()
  const start = starter(store, formatDsn(standIn.dsn))
  const intake = await start('intake')
  // Pending already when the relay starts.
  expect((await postEnvelope(intake, errorEnvelope(intake.dsn).body)).status).toBe(200)
  const [relay, query] = await Promise.all([start('relay'), start('query')])
  await expect.poll(() => standIn.received().length).toBe(1)
  for (let sent = 1; sent < 10; sent += 1) {
    expect((await postEnvelope(intake, errorEnvelope(intake.dsn).body)).status).toBe(200)
    await expect.poll(() => standIn.received().length).toBe(sent + 1)
  }
  await expect
    .poll(() => client(query).overview())
    .toMatchObject({ counts: { envelopes: 10 }, items: { pending: 0, outcomes: { accepted: 10 } } })
  const [state] = (await client(intake).status()).upstreams
  expect(state?.owner).toMatch(new RegExp(` ${relay.pid}$`))

  const [noIntake, noRelay, noQuery] = (['intake', 'relay', 'query'] as const).map(
    (role) => (roles: Role) => `404 this collector has no role ${role}; WAYSTATION_ROLES=${roles}`,
  )
  for (const [collector, roles] of [[intake, 'intake'] as const, [relay, 'relay'] as const]) {
    for (const path of ['/query/overview', '/query/traces', '/query/stream', '/control/runs', '/', '/traces', '/login'])
      expect(await answerAt(collector, path)).toBe(noQuery?.(roles))
    expect(await answerAt(collector, '/control/clear', post)).toBe(noQuery?.(roles))
    expect(databasesIn(collector)).toEqual([])
    expect(await (await fetch(`${collector.url}/metrics`)).text()).toContain(`waystation_role{role="${roles}"} 1`)
  }
  expect(databasesIn(query)).toEqual(expect.arrayContaining(['spool.db', 'telemetry.db']))
  for (const [collector, roles] of [[relay, 'relay'] as const, [query, 'query'] as const]) {
    for (const path of ['/api/1/envelope/', '/tunnel', '/tunnel/pages', '/stream', '/v1/traces'])
      expect(await answerAt(collector, path, post)).toBe(`${noIntake?.(roles)}; nothing is stored`)
  }
  for (const [collector, roles] of [[intake, 'intake'] as const, [query, 'query'] as const])
    expect(await answerAt(collector, '/control/probe', post)).toBe(noRelay?.(roles))
  expect(await answerAt(relay, '/control/probe', post)).toBe('200 ')
  for (const [collector, roles] of [
    [intake, ['intake']] as const,
    [relay, ['relay']] as const,
    [query, ['query']] as const,
  ]) {
    const ready = async () => {
      const answer = await fetch(`${collector.url}/health/ready`)
      return [answer.status, await answer.json()]
    }
    await expect.poll(ready).toEqual([200, { status: 'ready', roles, notReady: [] }])
    expect((await client(collector).status()).roles).toEqual(roles)
    const isIntake = roles.some((role) => role === 'intake')
    expect((await fetch(`${collector.url}/health/intake`)).status).toBe(isIntake ? 200 : 404)
  }
  for (const collector of [intake, relay, query]) expect(await collector.stop(), collector.output()).toBe(0)
})

it('a collector that receives and delivers sends dead letters again when another one orders it', async ({ skip }) => {
  const store = await newRecord(skip)
  const standIn = await upstream()
  const start = starter(store, formatDsn(standIn.dsn))
  const [worker, query] = await Promise.all([start('intake', 'relay'), start('query')])
  standIn.play({ answers: [{ status: 413, times: 2 }] })
  for (let sent = 0; sent < 3; sent += 1) await postEnvelope(worker, errorEnvelope(worker.dsn).body)
  await expect
    .poll(async () => (await client(query).overview()).upstreams[0])
    .toMatchObject({ deadLetters: 2, pending: 0 })
  const ordered = await fetch(`${query.url}/control/dead-letters`, {
    ...post,
    body: JSON.stringify({ do: 'send', which: 'all' }),
  })
  expect([ordered.status, await ordered.json()]).toEqual([200, { done: 2, limited: [] }])
  await expect.poll(() => standIn.received().length).toBe(5)
  await expect
    .poll(async () => (await client(worker).status()).upstreams[0])
    .toMatchObject({ deadLetters: 0, pending: 0 })
  for (const collector of [worker, query]) expect(await collector.stop(), collector.output()).toBe(0)
})

it('the commands say the roles of a collector, and what it cannot answer', async ({ skip }) => {
  const store = await newRecord(skip)
  const standIn = await upstream()
  const worker = await starter(store, formatDsn(standIn.dsn))('intake', 'relay')
  const run = (...words: readonly string[]) =>
    startCommand(words, { WAYSTATION_DATA: temporaryFolder(), WAYSTATION_COLLECTOR_URL: worker.url }).ended
  const status = await run('status')
  expect(status.out).toContain('Roles: intake and relay')
  expect(status.out).toContain(worker.dsn)
  const { checks } = JSON.parse((await run('doctor', '--json')).out) as { readonly checks: readonly Check[] }
  const found = new Map(checks.map(({ id, state, found: text }) => [id, `${state}: ${text}`]))
  expect(found.get('collector')).toBe(`ok: ${worker.url} answers. Its roles: intake and relay.`)
  expect(found.get('upstream')).toMatch(/^ok: .* accepts envelopes$/)
  expect(found.get('digest')).toBe('skipped: The collector has no role query: check one that has it.')
  const traces = await run('search', 'traces')
  expect(traces.code).not.toBe(0)
  expect(traces.err).toContain('this collector has no role query; WAYSTATION_ROLES=intake,relay')
})

it('a part of the roles is refused without a shared record', async () => {
  await expect(startCollector({ WAYSTATION_ROLES: 'intake,relay' })).rejects.toThrow(
    /WAYSTATION_ROLES must be unset, or all of its roles, while WAYSTATION_STORE is unset: .*got "intake,relay"/,
  )
})
