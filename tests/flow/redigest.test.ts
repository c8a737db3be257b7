import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { type Redigest, redigestSchema } from '../../lib/wire/storage'
import { dump } from '../unit/index/rows-in-memory'
import { type CollectorProcess, digested, endCollectors, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope, spanEnvelope, transactionEnvelope } from './envelopes'

afterEach(endCollectors)

const clientOf = (collector: CollectorProcess) => collectorClient(collector.url, fetch)

async function requestRedigest(collector: CollectorProcess, method: 'GET' | 'POST'): Promise<Redigest> {
  const answer = await fetch(`${collector.url}/control/redigest`, { method })
  expect(answer.status).toBe(method === 'POST' ? 202 : 200)
  return redigestSchema.parse(await answer.json())
}

/** Polls until no rebuild runs, and passes each state in between to `meanwhile`. */
async function untilRebuilt(
  collector: CollectorProcess,
  meanwhile: (state: Redigest) => Promise<unknown> = async () => undefined,
): Promise<Redigest> {
  const until = Date.now() + 120_000
  for (let state = await requestRedigest(collector, 'GET'); ; state = await requestRedigest(collector, 'GET')) {
    if (state.rebuild === null) return state
    if (Date.now() > until)
      throw new Error(`the rebuild is at ${state.rebuild.done} of ${state.rebuild.of} after 120 s`)
    await meanwhile(state)
  }
}

/** Resolves when a rebuild that the collector started itself has ended. */
async function untilAutomaticRebuild(collector: CollectorProcess): Promise<void> {
  const until = Date.now() + 120_000
  while ((await untilRebuilt(collector)).last === null)
    if (Date.now() > until) throw new Error('no rebuild has ended within 120 s')
}

async function post(collector: CollectorProcess, count: number): Promise<void> {
  const made = [errorEnvelope, transactionEnvelope, spanEnvelope]
  for (let at = 0; at < count; at += 20) {
    const bodies = Array.from({ length: Math.min(20, count - at) }, (_, index) => {
      const make = made[index % made.length] ?? errorEnvelope
      return make(collector.dsn).body
    })
    const answers = await Promise.all(bodies.map((body) => postEnvelope(collector, body)))
    expect(answers.every(({ ok }) => ok)).toBe(true)
  }
}

/** The contents of both databases of a stopped collector: rows, ledger totals and records. */
function storedIn(folder: string) {
  const rows = new Database(join(folder, 'telemetry.db'), { readonly: true })
  const spool = new Database(join(folder, 'spool.db'), { readonly: true })
  try {
    return {
      rows: dump(rows),
      totals: spool.prepare('SELECT * FROM ledger_totals ORDER BY category, entry').all(),
      records: spool.prepare('SELECT seq, receipt FROM submissions ORDER BY seq').all(),
    }
  } finally {
    rows.close()
    spool.close()
  }
}

/** Starts a collector, and posts envelopes until it has digested this many. */
async function collectorWith(count: number, env: Record<string, string> = {}): Promise<CollectorProcess> {
  const collector = await startCollector(env)
  await post(collector, count)
  await digested(collector, count)
  return collector
}

/** Stops a collector and returns what it stored. */
async function stopAndRead(collector: CollectorProcess): Promise<ReturnType<typeof storedIn>> {
  await collector.stop()
  return storedIn(collector.folder)
}

/** Rebuilds the index on request in a new collector, and returns what that stored. */
async function redigestAndRead(
  collector: CollectorProcess,
  env: Record<string, string> = {},
): Promise<ReturnType<typeof storedIn>> {
  const again = await collector.restart(env)
  await requestRedigest(again, 'POST')
  await untilRebuilt(again)
  return stopAndRead(again)
}

/** Tables whose rows are counts, which later records increase. */
const COUNTS = new Set(['row_counts', 'error_groups', 'error_group_values'])

/** Expects all old rows in the new index, which may contain more. */
function expectAll(old: ReturnType<typeof dump>, made: ReturnType<typeof dump>): void {
  const tables = Object.entries(old).filter(([table]) => !COUNTS.has(table))
  for (const [table, rows] of tables) {
    const present = new Set(made[table]?.map((row) => JSON.stringify(row)))
    expect(rows.filter((row) => !present.has(JSON.stringify(row)))).toEqual([])
  }
}

/** Random text, which compresses badly. */
const incompressible = (length: number): string => randomBytes(length).toString('base64').slice(0, length)

describe('POST /control/redigest', () => {
  it('rebuilds the same rows while the collector accepts envelopes and answers queries', async () => {
    let collector = await collectorWith(600)
    const before = await clientOf(collector).overview()
    const old = await stopAndRead(collector)
    collector = await collector.restart()

    const begun = await requestRedigest(collector, 'POST')
    expect(begun.rebuild).toMatchObject({ done: 0, of: 600 })
    const counted: number[] = []
    const shares: number[] = []
    const intake = post(collector, 60)
    const end = await untilRebuilt(collector, async ({ rebuild }) => {
      counted.push((await clientOf(collector).overview()).counts.traces)
      shares.push(rebuild?.done ?? 0)
      expect((await clientOf(collector).storage()).rebuild?.of ?? 660).toBeGreaterThanOrEqual(600)
    })
    await intake
    // Never fewer than before: queries use the old index until the new one is complete.
    expect(Math.min(...counted)).toBeGreaterThanOrEqual(before.counts.traces)
    expect(shares).toEqual([...shares].sort((a, b) => a - b))
    expect(end.last?.done).toBeGreaterThanOrEqual(600)
    await digested(collector, 660)
    expect((await clientOf(collector).overview()).counts.envelopes).toBe(660)
    const made = await stopAndRead(collector)
    expectAll(old.rows, made.rows)
    expect(made.rows.envelopes).toHaveLength(660)
    expect(made.records.slice(0, 600)).toEqual(old.records)
    expect(existsSync(join(collector.folder, 'telemetry.next.db'))).toBe(false)
  })

  it('does not change the ledger totals', async () => {
    const collector = await collectorWith(90, { WAYSTATION_UPSTREAM: 'stand-in' })
    const before = await stopAndRead(collector)
    expect(await redigestAndRead(collector, { WAYSTATION_UPSTREAM: '' })).toEqual(before)
  })

  it('rebuilds the rows of the remaining records after evictions', async () => {
    let collector = await startCollector({ WAYSTATION_MAX_DISK: '16MiB' })
    for (let sent = 0; (await clientOf(collector).storage()).evicted.records < 100; sent += 20) {
      if (sent > 2000) throw new Error('2000 envelopes of 40 kB did not fill 16 MiB')
      const large = () => errorEnvelope(collector.dsn, { message: incompressible(40_000) }).body
      await Promise.all(Array.from({ length: 20 }, () => postEnvelope(collector, large())))
    }
    const newest = async () => (await clientOf(collector).envelopes({ limit: 1 })).envelopes[0]?.digest
    await expect.poll(newest).toBe('digested')
    await collector.stop()
    collector = await collector.restart()
    await untilRebuilt(collector)
    let before = await stopAndRead(collector)
    expect(before.rows.envelopes).toHaveLength(before.records.length)
    // The new index may be a page larger, which evicts a few records. Compare after a rebuild that evicted none.
    for (;;) {
      const made = await redigestAndRead(collector)
      if (made.records.length === before.records.length) return expect(made).toEqual(before)
      before = made
    }
  })

  it('is continued by the next collector after a SIGKILL', async () => {
    const collector = await collectorWith(900)
    const { rebuild } = await requestRedigest(collector, 'POST')
    expect(rebuild).not.toBe(null)
    await collector.kill()
    expect(existsSync(join(collector.folder, 'telemetry.next.db'))).toBe(true)
    const again = await collector.restart()
    expect((await clientOf(again).overview()).counts.envelopes).toBe(900)
    expect((await untilRebuilt(again)).last).toMatchObject({ done: 900 })
    expect((await clientOf(again).overview()).counts.envelopes).toBe(900)
    const first = await stopAndRead(again)
    expect((await redigestAndRead(again)).rows).toEqual(first.rows)
  })
})

it('a stop during a rebuild is clean, and the next collector continues the rebuild', async () => {
  const collector = await collectorWith(600)
  await requestRedigest(collector, 'POST')
  expect(await collector.stop()).toBe(0)
  expect(collector.output()).not.toMatch(/\n\s+at /)
  const again = await collector.restart()
  await untilRebuilt(again)
  expect((await clientOf(again).overview()).counts.envelopes).toBe(600)
  expect(await again.stop()).toBe(0)
  expect(existsSync(join(collector.folder, 'telemetry.next.db'))).toBe(false)
})

describe('a start', () => {
  it('the collector is ready at once with another schema version of the index, and rebuilds the same rows', async () => {
    const collector = await collectorWith(600)
    const before = await stopAndRead(collector)
    const rows = new Database(join(collector.folder, 'telemetry.db'))
    rows.pragma('user_version = 1')
    rows.exec('DROP TABLE segments')
    rows.close()
    const again = await collector.restart()
    // A busy machine may answer the first probe too late to be called ready.
    await expect.poll(async () => (await fetch(`${again.url}/health/ready`)).status).toBe(200)
    await untilRebuilt(again)
    expect(await stopAndRead(again)).toEqual(before)
  })

  it('renames a damaged telemetry.db, logs it, and rebuilds the index', async () => {
    const collector = await collectorWith(40)
    const before = await stopAndRead(collector)
    writeFileSync(join(collector.folder, 'telemetry.db'), 'this is no database, but long enough to be taken for one')
    const again = await collector.restart()
    await untilRebuilt(again)
    await again.stop()
    expect(again.output()).toMatch(
      /telemetry\.db could not be used \(.+\)\. It was renamed to .+telemetry\.db\.damaged-1/,
    )
    expect(storedIn(collector.folder)).toEqual(before)
  })
})

it('a damaged page of telemetry.db is named to queries, does not stop the collector, and causes a rebuild', async () => {
  const collector = await collectorWith(300)
  const before = await stopAndRead(collector)
  const path = join(collector.folder, 'telemetry.db')
  const bytes = readFileSync(path)
  bytes.fill(0xa5, 48 * 4096, bytes.length - 4096)
  writeFileSync(path, bytes)
  const again = await collector.restart()
  const answers = await Promise.all(
    ['traces', 'events', 'envelopes', 'overview'].map((what) => fetch(`${again.url}/query/${what}`)),
  )
  // The rebuild may end before a query that arrives late.
  for (const refused of answers.filter(({ ok }) => !ok))
    expect(await refused.text()).toContain('rebuilt from the record')
  expect((await postEnvelope(again, errorEnvelope(again.dsn).body)).status).toBe(200)
  await untilAutomaticRebuild(again)
  expect((await fetch(`${again.url}/query/traces`)).status).toBe(200)
  await again.stop()
  expect(again.output()).toMatch(/the index telemetry\.db is damaged/)
  expectAll(before.rows, storedIn(collector.folder).rows)
})
