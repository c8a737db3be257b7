import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { StandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { visitorHash } from '../../lib/tunnel/visitor'
import { collectorClient } from '../../lib/wire/collector-client'
import { visitorRecordsSchema } from '../../lib/wire/visitor'
import { type Cluster, createCluster } from '../store/cluster'
import { createDatabase } from '../store/databases'
import { type CollectorProcess, endCollectors, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope } from './envelopes'
import { upstream } from './upstream'

let cluster: Cluster | { readonly why: string }
beforeAll(async () => {
  cluster = await createCluster()
  if ('why' in cluster) console.log(`Tests of a shared record are skipped: ${cluster.why}.`)
  else await cluster.start()
})
afterAll(async () => {
  endCollectors()
  if (!('why' in cluster)) await cluster.remove()
})

/** The server of this file. Skips the test where none can run. */
function server(skip: (why: string) => never): Cluster {
  return 'why' in cluster ? skip(cluster.why) : cluster
}

const client = ({ url }: CollectorProcess) => collectorClient(url, fetch)

const sharing = (url: string, standIn?: StandIn, env: Record<string, string> = {}): Promise<CollectorProcess> =>
  startCollector({
    WAYSTATION_STORE: url,
    ...(standIn && { WAYSTATION_UPSTREAM: formatDsn(standIn.dsn) }),
    ...env,
  })

const seqsAt = async (collector: CollectorProcess): Promise<readonly number[]> =>
  (await client(collector).recorded({ after: 0, limit: 1000 })).recorded.map(({ seq }) => seq)

describe('a record that two collectors share', () => {
  it('answers at each of them for what the other has stored, at once', async ({ skip }) => {
    const url = await createDatabase(server(skip).url())
    const [one, other] = await Promise.all([sharing(url), sharing(url)])
    for (let sent = 0; sent < 10; sent += 1) {
      const to = sent % 2 === 0 ? one : other
      expect((await postEnvelope(to, errorEnvelope(one.dsn).body)).status).toBe(200)
      const [here, there] = [await seqsAt(one), await seqsAt(other)]
      expect(here).toHaveLength(sent + 1)
      expect(there).toEqual(here)
    }
    const losses = await client(one).losses()
    expect(losses.categories).toMatchObject([{ category: 'error', kept: 10, unexplained: 0 }])
    expect((await client(other).losses()).categories).toEqual(losses.categories)
    for (const collector of [one, other])
      await expect.poll(async () => (await client(collector).figures()).line.received).toBe(10)
    await expect
      .poll(() => client(other).overview())
      .toMatchObject({ counts: { envelopes: 10 }, items: { received: 10, outcomes: { kept: 10 } } })
  })

  it('is relayed once, and by the other collector after the first was killed', async ({ skip }) => {
    const url = await createDatabase(server(skip).url())
    const standIn = await upstream()
    const [one, other] = await Promise.all([sharing(url, standIn), sharing(url, standIn)])
    const send = async (count: number): Promise<void> => {
      for (let sent = 0; sent < count; sent += 1)
        await postEnvelope(sent % 2 === 0 ? one : other, errorEnvelope(one.dsn).body)
    }
    await send(20)
    await expect.poll(() => standIn.received().length).toBe(20)
    const [state] = (await client(one).overview()).upstreams
    expect(state?.owner).toMatch(new RegExp(` (?:${one.pid}|${other.pid})$`))
    const owner = state?.owner?.endsWith(` ${one.pid}`) ? one : other
    await owner.kill()
    const left = owner === one ? other : one
    for (let sent = 0; sent < 10; sent += 1) await postEnvelope(left, errorEnvelope(left.dsn).body)
    await expect.poll(() => standIn.received().length, { timeout: 60_000 }).toBe(30)
    const ids = new Set(standIn.received().map(({ sha256 }) => sha256))
    expect(ids.size).toBe(30)
    await expect
      .poll(() => client(left).overview())
      .toMatchObject({ items: { pending: 0, outcomes: { accepted: 30 } } })
  })

  it('knows a body that was sent to both by its receipt', async ({ skip }) => {
    const url = await createDatabase(server(skip).url())
    const [one, other] = await Promise.all([sharing(url), sharing(url)])
    const { body } = errorEnvelope(one.dsn)
    const headers = { 'x-waystation-receipt': '019ab000-0000-7000-8000-000000000001' }
    await Promise.all([one, other, one, other].map((collector) => postEnvelope(collector, body, headers)))
    expect(await seqsAt(other)).toHaveLength(1)
  })

  it('forgets a visitor at each of them', async ({ skip }) => {
    const url = await createDatabase(server(skip).url())
    const [one, other] = await Promise.all([sharing(url), sharing(url)])
    const mine = visitorHash('mine')
    await postEnvelope(one, errorEnvelope(one.dsn).body, { 'x-waystation-visitor': mine })
    await postEnvelope(one, errorEnvelope(one.dsn).body)
    const listed = async (at: CollectorProcess) =>
      visitorRecordsSchema.parse(await (await fetch(`${at.url}/query/visitor?visitors=${mine}`)).json()).records
    expect(await listed(other)).toHaveLength(1)
    const deleted = await fetch(`${other.url}/control/visitor`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ do: 'delete', visitors: [mine] }),
    })
    expect(deleted.status, await deleted.text()).toBe(200)
    for (const collector of [one, other]) {
      expect(await listed(collector)).toEqual([])
      expect(await seqsAt(collector)).toHaveLength(1)
    }
  })

  it('outlives the folder of a collector, whose next one has all of it', async ({ skip }) => {
    const url = await createDatabase(server(skip).url())
    const first = await sharing(url)
    for (let sent = 0; sent < 5; sent += 1) await postEnvelope(first, errorEnvelope(first.dsn).body)
    const losses = await client(first).losses()
    await first.kill()
    const second = await sharing(url)
    expect(await seqsAt(second)).toHaveLength(5)
    expect((await client(second).losses()).categories).toEqual(losses.categories)
    expect(await second.stop()).toBe(0)
    const again = await second.restart()
    expect(await seqsAt(again)).toHaveLength(5)
  })
})

describe('people at two collectors of a record', () => {
  it('sign in and out for both', async ({ skip }) => {
    const url = await createDatabase(server(skip).url())
    const token = 'a-token-of-sixteen-letters'
    const [one, other] = await Promise.all([
      sharing(url, undefined, { WAYSTATION_TOKEN: token }),
      sharing(url, undefined, { WAYSTATION_TOKEN: token }),
    ])
    const post = (to: CollectorProcess, path: string, headers: Record<string, string>, form: Record<string, string>) =>
      fetch(`${to.url}${path}`, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(form) })
    const signIn = async (to: CollectorProcess): Promise<string> =>
      (await post(to, '/login/enter', {}, { token })).headers.get('set-cookie')?.split(';')[0] ?? ''
    const access = async (to: CollectorProcess, cookie: string): Promise<number> =>
      (await fetch(`${to.url}/control/access`, { headers: { cookie } })).status

    const [mine, yours] = await Promise.all([signIn(one), signIn(other)])
    for (const cookie of [mine, yours])
      for (const collector of [one, other]) expect(await access(collector, cookie)).toBe(204)
    expect(await access(other, `${mine}x`)).toBe(401)
    await post(one, '/login/leave', { cookie: mine }, {})
    expect(await access(one, mine)).toBe(401)
    await expect.poll(() => access(other, mine), { timeout: 1500 }).toBe(401)
    expect(await access(other, yours)).toBe(204)
  })

  it('see each other’s marks, and none is lost', async ({ skip }) => {
    const url = await createDatabase(server(skip).url())
    const [one, other] = await Promise.all([sharing(url), sharing(url)])
    const mark = (at: CollectorProcess, name: string): Promise<Response> =>
      fetch(`${at.url}/control/marks`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      })
    const marked = await Promise.all([mark(one, 'first'), mark(other, 'second')])
    expect(marked.map(({ status }) => status)).toEqual([200, 200])
    for (const collector of [one, other])
      expect(new Set((await client(collector).marks()).marks.map(({ name }) => name))).toEqual(
        new Set(['first', 'second']),
      )
  })
})

describe('a data folder', () => {
  it('has either a record of its own or a mirror: the other start is refused', async ({ skip }) => {
    const url = await createDatabase(server(skip).url())
    const mirror = await sharing(url)
    await postEnvelope(mirror, errorEnvelope(mirror.dsn).body)
    expect(await seqsAt(mirror)).toHaveLength(1)
    expect(await mirror.stop()).toBe(0)
    await expect(startCollector({}, mirror.folder)).rejects.toThrow(
      /spool\.db is a mirror of a shared record: set WAYSTATION_STORE/,
    )

    const own = await startCollector()
    await postEnvelope(own, errorEnvelope(own.dsn).body)
    await own.stop()
    await expect(startCollector({ WAYSTATION_STORE: url }, own.folder)).rejects.toThrow(/has a record of its own/)
  })
})

describe('a shared record whose server is away', () => {
  it('refuses envelopes with 503, says why, and goes on when the server is back', async ({ skip }) => {
    const own = await createCluster()
    if ('why' in own) return skip(own.why)
    onTestFinished(() => own.remove())
    await own.start()
    const collector = await sharing(own.url())
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await own.stop('SIGQUIT')
    const refused = await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.text()).toMatch(/PostgreSQL at 127\.0\.0\.1:\d+\/\S+ is away: .*nothing is stored/)
    const ready = await fetch(`${collector.url}/health/ready`)
    expect(ready.status).toBe(503)
    expect(await ready.text()).toContain('is away')
    const intake = await fetch(`${collector.url}/health/intake`)
    expect([intake.status, await intake.json()]).toEqual([
      503,
      { status: 'refusing', refusing: [expect.stringContaining('is away')] },
    ])
    expect((await fetch(`${collector.url}/query/losses`)).status).toBe(503)
    expect((await fetch(`${collector.url}/query/status`)).status).toBe(200)
    await own.start()
    await expect.poll(async () => (await postEnvelope(collector, errorEnvelope(collector.dsn).body)).status).toBe(200)
    expect(await seqsAt(collector)).toHaveLength(2)
    expect(collector.output()).toContain('envelopes are refused with 503 until it answers')
    expect(collector.output()).toContain('PostgreSQL answers: envelopes are stored')
  })

  it('is waited for at the start: 503, boards of the mirror, and all of it when the server is there', async ({
    skip,
  }) => {
    const own = await createCluster()
    if ('why' in own) return skip(own.why)
    onTestFinished(() => own.remove())
    await own.start()
    const before = await sharing(own.url())
    await postEnvelope(before, errorEnvelope(before.dsn).body)
    expect(await seqsAt(before)).toHaveLength(1)
    expect(await before.stop()).toBe(0)
    await own.stop()

    const waiting = await before.restart()
    const empty = await sharing(own.url())
    for (const collector of [waiting, empty]) {
      const refused = await postEnvelope(collector, errorEnvelope(collector.dsn).body)
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toBe('1')
      expect(await refused.text()).toMatch(/PostgreSQL at 127\.0\.0\.1:\d+\/\S+ is away: .*nothing is stored/)
      const ready = await fetch(`${collector.url}/health/ready`)
      expect(ready.status).toBe(503)
      expect(await ready.text()).toContain('is away')
      expect((await client(collector).status()).storage.trouble).toContain('is away')
      expect((await fetch(`${collector.url}/query/losses`)).status).toBe(503)
    }
    expect((await client(waiting).overview()).counts.envelopes).toBe(1)
    // Ends at once, although it waits.
    expect(await empty.stop()).toBe(0)

    await own.start()
    await expect.poll(async () => (await postEnvelope(waiting, errorEnvelope(waiting.dsn).body)).status).toBe(200)
    expect(await seqsAt(waiting)).toHaveLength(2)
    await expect.poll(async () => (await fetch(`${waiting.url}/health/ready`)).status).toBe(200)
    expect(waiting.output()).toContain('PostgreSQL answers: envelopes are stored')
    expect(await waiting.stop()).toBe(0)
  })

  it('makes the schema of a record when the server is there at last', async ({ skip }) => {
    const own = await createCluster()
    if ('why' in own) return skip(own.why)
    onTestFinished(() => own.remove())
    const collector = await sharing(own.url())
    expect((await postEnvelope(collector, errorEnvelope(collector.dsn).body)).status).toBe(503)
    await own.start()
    await expect.poll(async () => (await postEnvelope(collector, errorEnvelope(collector.dsn).body)).status).toBe(200)
    expect(await seqsAt(collector)).toHaveLength(1)
    expect(await collector.stop()).toBe(0)
  })

  it('stops the collector when the server that comes does not fit', async ({ skip }) => {
    const own = await createCluster()
    if ('why' in own) return skip(own.why)
    onTestFinished(() => own.remove())
    const collector = await sharing(own.url())
    await own.start({ fsync: 'off' })
    await expect.poll(() => collector.output()).toMatch(/The collector stopped: PostgreSQL at \S+ has fsync=off/)
  })
})

describe('a shared record that waiting does not mend', () => {
  it('is an error at the start, without the password', async ({ skip }) => {
    const { port } = server(skip)
    const url = `postgres://tester:secret-word@127.0.0.1:${port}/missing`
    const start = startCollector({ WAYSTATION_STORE: url })
    await expect(start).rejects.toThrow(
      /PostgreSQL at 127\.0\.0\.1:\d+\/missing refuses the connection: database "missing" does not exist; check WAYSTATION_STORE/,
    )
    await expect(start).rejects.not.toThrow(/secret-word/)
  })
})
