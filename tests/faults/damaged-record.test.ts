import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../unit/tunnel/recording-collector'
import { type Bundle, bundleWithFaults } from './bundle-collector'
import { drawFrom } from './draw'
import { A_STACK, type End, newStation, type Station, tidy } from './station'
import { startUpstream } from './upstream'

let bundle: Bundle
beforeAll(async () => {
  bundle = await bundleWithFaults()
})
afterEach(tidy)
afterAll(() => bundle.remove())

describe('a record that is damaged', () => {
  it.each([
    ['cut in half', (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096)],
    ['no database', (path: string) => writeFileSync(path, 'these are other bytes. '.repeat(4000))],
    ['without its first page', (path: string) => overwrite(path, 0, 4096)],
    [
      'with a damaged page of what is pending',
      (path: string) => overwrite(path, pageOf(path, 'pending_deliveries'), 4096),
    ],
    ['with a damaged page of the books', (path: string) => overwrite(path, pageOf(path, 'ledger_totals'), 4096)],
  ])('stops the start when it is %s', async (_name, damage) => {
    const station = await filledStation()
    damage(station.path('spool.db'))
    const before = readFileSync(station.path('spool.db'))
    expectSentence(await station.refuse(), /spool\.db is damaged: put back a copy, or move it/)
    expect(readFileSync(station.path('spool.db')).equals(before)).toBe(true)
  })

  it('stops the collector when a damaged page is read later', async () => {
    const station = await filledStation()
    overwrite(station.path('spool.db'), pageOf(station.path('spool.db'), 'submissions'), 4096)
    const life = await station.begin()
    for (let seq = 1; seq <= 40; seq += 1) {
      const response = await fetch(life.client.rawUrl(seq)).catch(() => null)
      if (response === null || response.status >= 500) break
    }
    expectSentence(await life.endsByItself(), /a database in .* is damaged/)
  })

  it('whose bodies are damaged is relayed but for those, which are told as what they are', async () => {
    const station = newStation(bundle.program)
    const port = await freePort()
    const env = { WAYSTATION_UPSTREAM: `http://oracle@127.0.0.1:${port}/1` }
    const first = await station.begin(env)
    await first.fill(20, 20_000)
    await first.stop()
    // Not whole pages: the chain of pages stays, only what it carries is other bytes.
    overwrite(station.path('spool.db'), pageOf(station.path('spool.db'), 'submissions', 'overflow') + 100, 2000)
    const upstream = await startUpstream(drawFrom(1), 0, port)
    const life = await station.begin(env)
    await expect.poll(async () => (await life.client.overview()).items.pending, { timeout: 20_000 }).toBe(0)
    await life.digested()
    const { outcomes } = (await life.client.overview()).items
    expect(outcomes).toMatchObject({ accepted: 19, invalid: 1 })
    expect(upstream.arrivals.size).toBe(19)
    const damaged = (await life.client.envelopes()).envelopes.filter(
      ({ deliveryStatus }) => deliveryStatus.reason === 'damaged_record',
    )
    expect(damaged).toHaveLength(1)
    const raw = await fetch(life.client.rawUrl(damaged[0]?.seq ?? 0))
    expect(raw.status).toBe(503)
    expect(await raw.text()).toContain('the body on record is damaged')
    expect((await life.stop()).code).toBe(0)
    await upstream.close()
  })

  it.each([
    ['is empty', (station: Station) => truncateSync(station.path('spool.db'), 0)],
    ['is gone', (station: Station) => rmSync(station.path('spool.db'))],
  ])('stops the start when it %s and rows are there, and goes on without them', async (_name, damage) => {
    const station = await filledStation()
    damage(station)
    expectSentence(await station.refuse(), /the end of the record is missing: .* 40 envelopes, but spool\.db has 0/)
    rmSync(station.path('telemetry.db'))
    const life = await station.begin()
    expect((await life.client.overview()).counts.envelopes).toBe(0)
    await life.fill(1)
    expect((await life.stop()).code).toBe(0)
  })

  it('may have a lock file that is none: that is told as what it is', async () => {
    const station = newStation(bundle.program)
    writeFileSync(station.path('lock.db'), 'these are other bytes. '.repeat(400))
    expectSentence(await station.refuse(), /lock\.db is not a lock file of Waystation: delete it, and start again/)
  })

  it('of a newer Waystation is left alone', async () => {
    const station = await filledStation()
    change(station.path('spool.db'), 'PRAGMA user_version = 99')
    expectSentence(await station.refuse(), /spool\.db has version 99, .*: use the newer one, or another data folder/)
  })

  it.each(['spool.db', 'telemetry.db'])('stops the start when %s is a folder', async (name) => {
    const station = newStation(bundle.program)
    mkdirSync(station.path(name))
    expectSentence(
      await station.refuse(),
      new RegExp(`${name} is a folder where a file belongs: move it to another place`),
    )
  })
})

describe('the log of a collector that was killed', () => {
  it.each([
    ['is deleted', (path: string) => rmSync(path)],
    ['is empty', (path: string) => truncateSync(path, 0)],
    ['is damaged from its middle on', (path: string) => overwrite(path, Math.floor(statSync(path).size / 2), 100_000)],
  ])('is missed when it %s; what was folded before is there', async (_name, damage) => {
    const station = await filledStation()
    const life = await station.begin()
    await life.fill(20, 2000)
    await life.digested()
    await life.kill()
    damage(station.path('spool.db-wal'))
    expectSentence(await station.refuse(), /the end of the record is missing: .* 60 envelopes, but spool\.db has \d+;/)
    rmSync(station.path('telemetry.db'))
    for (const suffix of ['-wal', '-shm']) rmSync(station.path(`telemetry.db${suffix}`), { force: true })
    const next = await station.begin()
    await next.digested()
    expect((await next.client.overview()).counts.envelopes).toBeGreaterThanOrEqual(40)
    expect((await next.stop()).code).toBe(0)
  })
})

describe('a record that somebody deletes while the collector runs', () => {
  it('is written again, and the next start has all of it', async () => {
    const station = await filledStation()
    const life = await station.begin()
    await life.fill(3)
    for (const suffix of ['', '-wal', '-shm']) rmSync(station.path(`spool.db${suffix}`))
    expectSentence(await life.endsByItself(), /spool\.db was deleted while .* it was written again and nothing is lost/)
    const next = await station.begin()
    await next.digested()
    expect((await next.client.overview()).counts.envelopes).toBe(43)
  })

  it('is kept beside one that was put in its place', async () => {
    const station = await filledStation()
    const life = await station.begin()
    rmSync(station.path('spool.db'))
    writeFileSync(station.path('spool.db'), '')
    expectSentence(await life.endsByItself(), /spool\.db was replaced while .* is in spool\.rescued\.db/)
    const db = new Database(station.path('spool.rescued.db'))
    expect(db.prepare('SELECT count(*) FROM submissions').pluck().get()).toBe(40)
    db.close()
  })
})

/** Forty envelopes of some pages each, digested, and a collector that has stopped. */
async function filledStation(): Promise<Station> {
  const station = newStation(bundle.program)
  const life = await station.begin()
  await life.fill(40, 6000)
  await life.digested()
  const { code, output } = await life.stop()
  if (code !== 0) throw new Error(`the collector stopped with code ${code}: ${output}`)
  return station
}

function expectSentence({ code, output }: End, sentence: RegExp): void {
  expect(output).toMatch(sentence)
  expect(output).not.toMatch(A_STACK)
  expect(code).toBe(1)
}

function overwrite(path: string, offset: number, length: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(length, 0xa5), 0, length, offset)
  closeSync(file)
}

/** Where a page of a table begins: one from the middle of those that hold its rows, or the rest of a long one. */
function pageOf(path: string, table: string, kind: 'leaf' | 'overflow' = 'leaf'): number {
  const db = new Database(path)
  const pages = db
    // Of a page that is the rest of another, `pgoffset` is that of the other.
    .prepare('SELECT (pageno - 1) * pgsize FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY path')
    .pluck()
    .all(table, kind) as number[]
  db.close()
  const page = pages[Math.floor(pages.length / 2)]
  if (page === undefined) throw new Error(`${table} has no page`)
  return page
}

function change(path: string, statement: string): void {
  const db = new Database(path)
  db.exec(statement)
  db.close()
}
