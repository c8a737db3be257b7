import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import type { Storage } from '../../lib/wire/storage'
import {
  type CollectorProcess,
  digestedUpTo,
  endCollectors,
  factAfter,
  postEnvelope,
  startCollector,
} from './collector-process'
import { errorEnvelope, noisyEnvelope } from './envelopes'
import { postWhileEvicting } from './retry-while-evicting'

afterAll(endCollectors)

const MiB = 1024 * 1024
const CAP = 16 * MiB
const SMALL = { WAYSTATION_MAX_DISK: '16MiB' }

const clientOf = (collector: Pick<CollectorProcess, 'url'>) => collectorClient(collector.url, fetch)

/** Resolves with the storage state when no eviction runs. */
async function storageAfterEviction(collector: CollectorProcess): Promise<Storage> {
  for (const deadline = Date.now() + 20_000; ; ) {
    const storage = await clientOf(collector).storage()
    if (storage.state !== 'evicting') return storage
    if (Date.now() > deadline) throw new Error(`still evicting: ${JSON.stringify(storage)}`)
  }
}

/** Expects that received items = pending + all outcomes. */
async function expectBalance(collector: CollectorProcess): Promise<void> {
  const { items } = await clientOf(collector).overview()
  const decided = Object.values(items.outcomes).reduce((sum, count) => sum + count, 0)
  expect(items.received).toBe(items.pending + decided)
}

const attachmentOf = (dsn: string, bytes: number): string => {
  const payload = randomBytes((bytes * 3) / 4).toString('base64')
  return `${JSON.stringify({ dsn })}\n${JSON.stringify({ type: 'attachment', length: payload.length })}\n${payload}`
}

/** The DSN of an upstream that refuses connections. */
async function deadUpstream(): Promise<string> {
  const server: Server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://key@127.0.0.1:${port}/1`
}

describe('a local-only collector with a disk budget of 16 MiB', () => {
  it('accepts 100 MB, never exceeds the budget, and keeps the newest envelopes', async () => {
    const collector = await startCollector(SMALL)
    const client = clientOf(collector)
    const ids: string[] = []
    for (let round = 0; round < 100; round += 1) {
      const batch = Array.from({ length: 4 }, () => noisyEnvelope(collector.dsn, 256 * 1024))
      const answers = await Promise.all(batch.map(({ body }) => postWhileEvicting(collector, body)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      ids.push(...batch.map(({ eventId }) => eventId))
      if (round % 5 === 0) expect((await client.storage()).used).toBeLessThanOrEqual(CAP)
    }
    await digestedUpTo(collector, 400)
    const storage = await storageAfterEviction(collector)
    expect(storage.used).toBeLessThanOrEqual(CAP)
    expect(storage.spool.file + storage.rows.file).toBeLessThan(CAP + 2 * MiB)
    expect(storage.records).toBeGreaterThan(30)
    expect(storage.records + storage.evicted.records).toBe(400)
    expect(storage).toMatchObject({ refused: 0, trouble: null })
    const { events } = await client.events({ limit: 200 })
    expect(events).toHaveLength(storage.records)
    const kept = new Set(events.map(({ eventId }) => eventId))
    for (const id of ids.slice(-8)) expect(kept).toContain(id)
    expect(await client.envelope(1)).toBeNull()
    await expectBalance(collector)

    expect(await collector.stop()).toBe(0)
    const again = await collector.restart()
    const after = await clientOf(again).storage()
    expect([after.records, after.evicted, after.pending]).toEqual([storage.records, storage.evicted, storage.pending])
  }, 180_000)
})

it('a stored body that is damaged after its digest is evicted like any other, without a rebuild of the index', async () => {
  const first = await startCollector(SMALL)
  for (let n = 0; n < 10; n += 1) await postEnvelope(first, noisyEnvelope(first.dsn, 256 * 1024).body)
  await digestedUpTo(first, 10)
  expect(await first.stop()).toBe(0)
  const db = new Database(join(first.folder, 'spool.db'))
  db.exec("UPDATE submissions SET body = x'ffffffffffff' WHERE seq = 2")
  db.close()

  const collector = await first.restart()
  const client = clientOf(collector)
  for (let n = 0; n < 90; n += 1) {
    const { status } = await postWhileEvicting(collector, noisyEnvelope(collector.dsn, 256 * 1024).body)
    expect(status).toBe(200)
  }
  await digestedUpTo(collector, 100)
  const storage = await storageAfterEviction(collector)
  expect(storage.rebuild).toBeNull()
  expect(await client.envelope(2)).toBeNull()
  expect((await client.events({ limit: 200 })).events).toHaveLength(storage.records)
  expect(collector.output()).not.toContain('rebuilt')
  await expectBalance(collector)
  expect(await collector.stop()).toBe(0)
}, 180_000)

it('copies evict only older copies, and nothing that was sent by DSN', async () => {
  const collector = await startCollector(SMALL)
  const client = clientOf(collector)
  const sent: string[] = []
  for (let n = 0; n < 20; n += 1) {
    const { body, eventId } = noisyEnvelope(collector.dsn, 256 * 1024)
    expect((await postEnvelope(collector, body)).status).toBe(200)
    sent.push(eventId)
  }
  const headers = { 'content-type': 'application/x-sentry-envelope' }
  const copy = async (body: string) =>
    (await fetch(`${collector.url}/stream`, { method: 'POST', headers, body })).status
  for (let n = 0; n < 80; n += 1) expect(await copy(noisyEnvelope(collector.dsn, 256 * 1024).body)).toBe(200)
  expect(await copy(attachmentOf(collector.dsn, 4 * MiB))).toBe(413)
  await digestedUpTo(collector, 100)
  const { counts } = await client.overview()
  expect(counts.envelopes).toBe(20)
  expect(counts.copies).toBeGreaterThan(4)
  // Two MiB are the eighth of this budget, and base64 is stored deflated.
  expect(counts.copies).toBeLessThanOrEqual(11)
  for (const eventId of sent) expect((await fetch(`${collector.url}/query/events/${eventId}`)).status).toBe(200)
  expect((await client.storage()).evicted.records).toBe(0)
  expect((await client.losses()).losses).toMatchObject([{ by: 'endpoint', reason: 'copies_full', quantity: 1 }])
  await collector.stop()
  const again = await collector.restart()
  expect((await clientOf(again).overview()).counts.copies).toBe(counts.copies)
}, 180_000)

describe('a refused request', () => {
  it('gets 413 with advice when the envelope is larger than the disk budget', async () => {
    const collector = await startCollector(SMALL)
    const payload = randomBytes(17 * MiB)
    const headers = `{"dsn":"${collector.dsn}"}\n{"type":"attachment","length":${payload.length}}\n`
    const refused = await postEnvelope(collector, Buffer.concat([Buffer.from(headers), payload]))
    expect(refused.status).toBe(413)
    expect(await refused.text()).toMatch(/needs 17\.0 MiB on disk, .* 16\.0 MiB: raise WAYSTATION_MAX_DISK/)
    expect(refused.headers.get('x-sentry-rate-limits')).toBeNull()
    expect(await clientOf(collector).storage()).toMatchObject({ state: 'ok', records: 0 })
  })

  it('is answered at once, even while another program locks spool.db', async () => {
    const collector = await startCollector()
    const db = new Database(join(collector.folder, 'spool.db'))
    db.exec('BEGIN IMMEDIATE')
    try {
      const garbage = await postEnvelope(collector, 'this is no envelope')
      expect(garbage.status).toBe(400)
      const foreign = await postEnvelope(collector, '{}', { origin: 'https://elsewhere.example' })
      expect(foreign.status).toBe(403)
      await expect.poll(() => collector.output()).toContain('refusals cannot be counted: database is locked')
    } finally {
      db.exec('ROLLBACK')
      db.close()
    }
  })
})

describe('an unreachable upstream with a disk budget of 16 MiB', () => {
  it('keeps everything that it acknowledged pending, refuses with 503 what exceeds the share, and rebuilds no evicted rows', async () => {
    const upstream = await deadUpstream()
    const collector = await startCollector({ ...SMALL, WAYSTATION_UPSTREAM: upstream })
    const client = clientOf(collector)
    let acknowledged = 0
    for (let n = 0; n < 120; n += 1) {
      const { status } = await postWhileEvicting(collector, noisyEnvelope(upstream, 256 * 1024).body)
      expect([200, 503]).toContain(status)
      if (status === 200) acknowledged += 1
      if (n % 10 === 0) await expectBalance(collector)
    }
    const storage = await client.storage()
    expect(storage.state).toBe('backlog_full')
    expect(storage.used).toBeLessThanOrEqual(CAP)
    expect(storage.pending.cap).toBe(12 * MiB)
    expect(storage.pending.bytes).toBeLessThanOrEqual(storage.pending.cap)
    expect(storage.pending.bytes).toBeGreaterThan(storage.pending.cap - 300 * 1024)
    expect([storage.pending.records, storage.refused]).toEqual([acknowledged, 120 - acknowledged])
    expect(storage.evicted.expired).toBe(0)
    const ready = await fetch(`${collector.url}/health/ready`)
    expect(ready.status).toBe(503)
    expect(await ready.text()).toMatch(/pending envelopes use their share of the disk .* WAYSTATION_MAX_DISK/)

    const refused = await postWhileEvicting(collector, attachmentOf(upstream, 6 * MiB))
    expect(refused.status).toBe(503)
    expect(refused.headers.get('x-sentry-rate-limits')).toBe('10:attachment:organization')
    expect(refused.headers.get('retry-after')).toBeNull()
    expect(await client.storage()).toMatchObject({
      state: 'backlog_full',
      refused: storage.refused + 1,
      pending: storage.pending,
    })
    await expectBalance(collector)
    await client.redigest()
    await expect.poll(async () => (await client.storage()).rebuild).toBeNull()
    // Eviction may continue meanwhile.
    const extraRows = async (): Promise<number> => {
      const [{ counts }, { pending, evicted }] = [await client.overview(), await client.storage()]
      return counts.errors - (pending.records - evicted.rowsOnly)
    }
    await expect.poll(extraRows).toBe(0)

    expect(await collector.stop()).toBe(0)
    const again = await collector.restart()
    const after = await clientOf(again).storage()
    expect([after.pending, after.refused]).toEqual([storage.pending, storage.refused + 1])
    await expectBalance(again)
  }, 180_000)
})

describe('POST /control/clear', () => {
  it('deletes settled records, and pending ones only with pending: true; ledger totals and numbering continue', async () => {
    const upstream = await deadUpstream()
    const collector = await startCollector({ WAYSTATION_UPSTREAM: upstream })
    const client = clientOf(collector)
    for (let n = 0; n < 3; n += 1) await postEnvelope(collector, noisyEnvelope(upstream, 1000).body)
    const copy = noisyEnvelope(upstream, 1000)
    await fetch(`${collector.url}/stream`, { method: 'POST', body: copy.body })
    await digestedUpTo(collector, 4)
    await client.clear({ pending: false })
    expect(await client.storage()).toMatchObject({ records: 3, pending: { records: 3 }, evicted: { records: 0 } })
    expect(await client.event(copy.eventId)).toBeNull()

    await client.clear({ pending: true })
    expect(await client.storage()).toMatchObject({
      records: 0,
      pending: { records: 0, bytes: 0, oldest: null },
      oldest: null,
    })
    const { items, counts, journal } = await client.overview()
    expect(items).toMatchObject({ received: 3, pending: 0, outcomes: { dropped: 3 } })
    expect(counts).toMatchObject({ envelopes: 0, errors: 0 })
    expect(await factAfter(collector, 'cleared')).toBeLessThanOrEqual(journal)
    await postEnvelope(collector, noisyEnvelope(upstream, 1000).body)
    expect((await client.storage()).pending.records).toBe(1)
    expect((await client.envelopes()).envelopes[0]?.seq).toBe(5)
  })

  it('rejects an unknown field with the valid fields', async () => {
    const collector = await startCollector()
    const answer = await fetch(`${collector.url}/control/clear`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"owned":true}',
    })
    expect([answer.status, await answer.json()]).toMatchObject([400, { detail: expect.stringContaining('"pending"') }])
  })
})

it('deletes delivered records that exceed the maximum age, and their rows', async () => {
  const before = await startCollector()
  for (let n = 0; n < 3; n += 1) await postEnvelope(before, errorEnvelope(before.dsn).body)
  await digestedUpTo(before, 3)
  await before.stop()
  const db = new Database(join(before.folder, 'spool.db'))
  db.prepare('UPDATE submissions SET received_at = received_at - 3600001 WHERE seq < 3').run()
  db.close()
  const collector = await before.restart({ WAYSTATION_MAX_AGE: '1h' })
  const client = clientOf(collector)
  await expect.poll(async () => (await client.storage()).evicted.byAge).toBe(2)
  expect(await client.storage()).toMatchObject({ maxAgeMs: 3_600_000, records: 1, evicted: { records: 0, expired: 0 } })
  expect((await client.events({})).events.map(({ seq }) => seq)).toEqual([3])
  await expectBalance(collector)
})
