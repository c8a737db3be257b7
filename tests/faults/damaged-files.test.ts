import { mkdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { errorEnvelope } from '../flow/envelopes'
import { freePort } from '../unit/tunnel/recording-collector'
import { change, copyOf, overwrite, pageOf, salvage } from './damage'
import { randomFrom } from './random'
import {
  A_STACK,
  cleanUp,
  cleanUpExcept,
  type End,
  newTestFolder,
  type RunningCollector,
  type TestFolder,
} from './test-folder'
import { type CountingUpstream, startUpstream } from './upstream'

/** Two to a page of spool.db, so that one damaged page loses some of them and keeps the others. */
const ENVELOPES = 40

const program = inject('faultsProgram')
let template: TestFolder
let port: number
let relaying: Readonly<Record<string, string>>
beforeAll(async () => {
  port = await freePort()
  relaying = { WAYSTATION_UPSTREAM: `http://oracle@127.0.0.1:${port}/1` }
  template = newTestFolder(program)
  const collector = await template.start(relaying)
  await collector.fill(ENVELOPES, 3000)
  await collector.digested()
  await collector.stop()
})
afterEach(() => cleanUpExcept(template.folder))
afterAll(cleanUp)

const damagedCopy = (damage: (path: (name: string) => string) => void): TestFolder => {
  const folder = copyOf(template, program)
  damage(folder.path)
  return folder
}

const half = (path: string): void => truncateSync(path, Math.floor(statSync(path).size / 2 / 8192) * 8192)
const otherBytes = (path: string): void => writeFileSync(path, 'these are other bytes. '.repeat(4000))
const folderInstead = (path: string): void => {
  rmSync(path)
  mkdirSync(path)
}

describe('a damaged telemetry.db', () => {
  it.each([
    ['cut in half', half],
    ['no database', otherBytes],
    ['without its header', (path: string) => overwrite(path, 0, 100)],
    ['without its first page', (path: string) => overwrite(path, 0, 4096, 0)],
    ['with a page of zeros in its cursor', (path: string) => overwrite(path, pageOf(path, 'cursor'), 4096, 0)],
    ['without its cursor', (path: string) => change(path, 'DELETE FROM cursor')],
    ['without the table events', (path: string) => change(path, 'DROP TABLE events')],
    ['without an index', (path: string) => change(path, 'DROP INDEX items_by_journal')],
    ['with another column', (path: string) => change(path, 'ALTER TABLE traces RENAME COLUMN status TO state')],
    ['of another version', (path: string) => change(path, 'PRAGMA user_version = 99')],
    ['a folder', folderInstead],
  ])('the collector starts with a telemetry.db that is %s, and rebuilds it', async (_name, damage) => {
    const folder = damagedCopy((path) => damage(path('telemetry.db')))
    const collector = await folder.start(relaying)
    await collector.digested()
    expect((await collector.client.overview()).counts).toMatchObject({ envelopes: ENVELOPES, errors: ENVELOPES })
    const { code, output } = await collector.stop()
    expect(output).not.toMatch(A_STACK)
    expect(code).toBe(0)
  })

  it.each(['events', 'traces', 'segment_terms', 'items'])(
    'the collector rebuilds telemetry.db when it reads a page of zeros in %s',
    async (table) => {
      const folder = damagedCopy((path) => {
        if (table === 'segment_terms') change(path('telemetry.db'), `DROP TABLE ${table}`)
        else overwrite(path('telemetry.db'), pageOf(path('telemetry.db'), table), 4096, 0)
      })
      const collector = await folder.start(relaying)
      const errors = async (): Promise<number> => {
        await Promise.allSettled([collector.client.traces(), collector.client.envelopes(), collector.client.events()])
        return (await collector.client.overview().catch(() => null))?.counts.errors ?? 0
      }
      await expect.poll(errors, { timeout: 20_000 }).toBe(ENVELOPES)
      expect((await collector.client.envelopes()).envelopes).toHaveLength(ENVELOPES)
      expect((await collector.stop()).code).toBe(0)
    },
  )

  it.each([
    ['is deleted', (path: string) => rmSync(path)],
    ['becomes a folder', folderInstead],
    ['loses a table', (path: string) => change(path, 'DROP TABLE envelopes')],
  ])('that %s while the collector runs is rebuilt', async (_name, damage) => {
    const folder = copyOf(template, program)
    const collector = await folder.start(relaying)
    const { localDsn } = await collector.client.overview()
    damage(folder.path('telemetry.db'))
    await fetch(`${collector.url}/tunnel`, { method: 'POST', body: errorEnvelope(localDsn).body })
    await expect
      .poll(() => collector.output(), { timeout: 20_000 })
      .toMatch(/telemetry\.db is damaged .*; it is rebuilt from spool\.db/)
    const rebuilt = async () => {
      if (!statSync(folder.path('telemetry.db'), { throwIfNoEntry: false })?.isFile()) return 0
      return (await collector.client.overview().catch(() => null))?.counts.errors
    }
    await expect.poll(rebuilt, { timeout: 20_000 }).toBe(ENVELOPES + 1)
    expect((await collector.stop()).code).toBe(0)
  })
})

describe('a damaged spool.db', () => {
  it.each([
    ['cut in half', half, /spool\.db is damaged: put back a copy, or run waystation salvage/],
    ['no database', otherBytes, /spool\.db is damaged: put back a copy, or run waystation salvage/],
    ['without its header', (path: string) => overwrite(path, 0, 100), /spool\.db is damaged: put back a copy/],
    ['without its first page', (path: string) => overwrite(path, 0, 8192), /spool\.db is damaged: put back a copy/],
    [
      'with a page of zeros in pending_deliveries',
      (path: string) => overwrite(path, pageOf(path, 'pending_deliveries'), 8192, 0),
      /spool\.db is damaged: put back a copy, or run waystation salvage/,
    ],
    [
      'with a page of zeros in ledger_totals',
      (path: string) => overwrite(path, pageOf(path, 'ledger_totals'), 8192, 0),
      /spool\.db is damaged: put back a copy, or run waystation salvage/,
    ],
    [
      'of a newer version',
      (path: string) => change(path, 'PRAGMA user_version = 99'),
      /spool\.db has version 99, .*: use the newer one, or another data folder/,
    ],
    [
      'of a version that does not fit its tables',
      (path: string) => change(path, 'PRAGMA user_version = 3'),
      /spool\.db has version 3 \(user_version\), but not the tables .*: put back a copy, or run waystation salvage/,
    ],
    [
      'without the table outcomes',
      (path: string) => change(path, 'DROP TABLE outcomes'),
      /spool\.db has no table outcomes: put back a copy, or run waystation salvage/,
    ],
    [
      'without a column',
      (path: string) => change(path, 'ALTER TABLE deliveries DROP COLUMN answer'),
      /spool\.db has other columns in its table deliveries .*: put back a copy, or run waystation salvage/,
    ],
    ['a folder', folderInstead, /spool\.db is a folder where a file belongs: move it to another place/],
  ])('that is %s stops the start with its name and the remedy', async (_name, damage, sentence) => {
    const folder = damagedCopy((path) => damage(path('spool.db')))
    expectMessage(await folder.refuse(relaying), sentence)
  })

  it('the relay posts the intact records of a damaged spool.db, and /health/ready names the file', async () => {
    const folder = damagedCopy((path) => {
      overwrite(path('spool.db'), pageOf(path('spool.db'), 'submissions'), 8192, 0)
      rmSync(path('telemetry.db'))
    })
    const upstream = await listeningUpstream()
    const collector = await folder.start(relaying)
    await expect.poll(() => collector.client.overview().then(pendingRecords), { timeout: 30_000 }).toBe(0)
    const damaged = endedAsDamaged(folder)
    expect(damaged).toBeGreaterThan(0)
    expect(upstream.arrivals.size + damaged).toBe(ENVELOPES)
    expect(await readiness(collector)).toContain(
      `${folder.path('spool.db')} has damaged pages: records on them are not shown`,
    )
    const statuses = await Promise.all(
      Array.from({ length: ENVELOPES }, async (_, at) => (await fetch(collector.client.rawUrl(at + 1))).status),
    )
    expect(statuses.filter((status) => status === 503)).toHaveLength(damaged)
    expect(statuses.filter((status) => status === 200)).toHaveLength(ENVELOPES - damaged)
    await collector.fill(1)
    await expect.poll(() => upstream.arrivals.size).toBe(ENVELOPES - damaged + 1)
    expect((await collector.stop()).code).toBe(0)
  })

  it('/health/ready names a spool.db that has lost a row of pending_deliveries', async () => {
    const folder = damagedCopy((path) => change(path('spool.db'), 'DELETE FROM pending_deliveries WHERE seq = 7'))
    const collector = await folder.start(relaying)
    expect(await readiness(collector)).toMatch(
      /spool\.db has lost rows of pending_deliveries.*: put back a copy, or run/,
    )
    expect((await collector.stop()).code).toBe(0)
  })

  it.each([
    ['loses a table', 'DROP TABLE page_limits', /spool\.db has no table page_limits: put back a copy, or run/],
    [
      'changes its version',
      'PRAGMA user_version = 4',
      /spool\.db has version 4 instead of \d+ .*: put back a copy, or run/,
    ],
  ])('that %s while the collector runs is named by /health/ready', async (_name, statement, sentence) => {
    const folder = copyOf(template, program)
    const collector = await folder.start(relaying)
    change(folder.path('spool.db'), statement)
    expect(await readiness(collector)).toMatch(sentence)
  })
})

describe('a file that goes away while the collector runs', () => {
  it.each([
    ['deleted', (path: string) => rmSync(path)],
    [
      'replaced',
      (path: string) => {
        rmSync(path)
        writeFileSync(path, '')
      },
    ],
  ])('when the log is %s, writes it to spool.db and stops', async (done, remove) => {
    const folder = copyOf(template, program)
    const collector = await folder.start(relaying)
    await collector.fill(3)
    remove(folder.path('spool.db-wal'))
    const began = performance.now()
    expectMessage(
      await collector.exited(),
      new RegExp(`spool\\.db-wal was ${done} while the collector was running; its content was written to .*spool\\.db`),
    )
    expect(performance.now() - began).toBeLessThan(5000)
    await expectRecords(folder, ENVELOPES + 3)
  })

  it('when the data folder is moved, stops, and the moved folder has everything', async () => {
    const folder = copyOf(template, program)
    const collector = await folder.start(relaying)
    await collector.fill(3)
    const moved = copyOf(template, program)
    rmSync(moved.folder, { recursive: true })
    renameSync(folder.folder, moved.folder)
    expectMessage(
      await collector.exited(),
      /the data folder .* was moved while .* nothing is lost: move it back.*, or set WAYSTATION_DATA/,
    )
    await expectRecords(moved, ENVELOPES + 3)
  })
})

describe('waystation salvage', () => {
  it.each([
    ['a page of pending_deliveries', 'pending_deliveries', 0],
    ['a page of records', 'submissions', 1],
    ['a page of the journal', 'journal', 0],
    ['a page of ledger_totals', 'ledger_totals', 0],
  ])('copies what is readable around %s; the new folder starts and relays it', async (_name, table, lost) => {
    const folder = damagedCopy((path) => overwrite(path('spool.db'), pageOf(path('spool.db'), table), 8192, 0))
    const before = readFileSync(folder.path('spool.db'))
    const { code, output, target } = await salvage(folder, program)
    expect(output).toMatch(/Copied \d+ records from /)
    expect(code).toBe(1)
    expect(readFileSync(folder.path('spool.db')).equals(before)).toBe(true)
    const copied = Number(/Copied (\d+)/.exec(output)?.[1])
    expect(copied).toBeGreaterThan(ENVELOPES / 2)
    expect(copied === ENVELOPES).toBe(lost === 0)
    const upstream = await listeningUpstream()
    const collector = await target.start(relaying)
    await expect.poll(() => collector.client.overview().then(pendingRecords), { timeout: 30_000 }).toBe(0)
    expect(upstream.arrivals.size).toBe(copied)
    await expect.poll(async () => (await fetch(`${collector.url}/health/ready`)).status).toBe(200)
    expect((await collector.stop()).code).toBe(0)
  })

  it('copies an intact folder completely', async () => {
    const { code, output, target } = await salvage(template, program)
    expect(output).toContain(`Copied ${ENVELOPES} records`)
    expect(output).toContain('Every table could be read.')
    expect(code).toBe(0)
    await expectRecords(target, ENVELOPES)
  })

  it('makes a record pending again whose row was lost, also with a wrong version', async () => {
    const folder = damagedCopy((path) =>
      change(path('spool.db'), 'DELETE FROM pending_deliveries WHERE seq = 7; PRAGMA user_version = 3'),
    )
    const { code, output, target } = await salvage(folder, program)
    expect(output).toContain('Pending again, because no outcome was found: 1 record.')
    expect(code).toBe(0)
    await expectRecords(target, ENVELOPES)
  })

  it('refuses a file without readable tables, a running collector, and a folder that is not empty', async () => {
    const unreadable = await salvage(
      damagedCopy((path) => otherBytes(path('spool.db'))),
      program,
    )
    expect(unreadable).toMatchObject({
      code: 3,
      output: expect.stringContaining('spool.db contains no readable table'),
    })
    const folder = copyOf(template, program)
    const collector = await folder.start(relaying)
    expect(await salvage(folder, program)).toMatchObject({
      code: 3,
      output: expect.stringContaining('another Waystation is using'),
    })
    await collector.stop()
    expect(await salvage(folder, program, template.folder)).toMatchObject({
      code: 2,
      output: expect.stringContaining('--to must be a new or empty folder'),
    })
  })
})

async function listeningUpstream(): Promise<CountingUpstream> {
  const upstream = await startUpstream(randomFrom(1), 0, port)
  onTestFinished(upstream.close)
  return upstream
}

const pendingRecords = ({ upstreams }: { readonly upstreams: readonly { readonly pending: number }[] }): number =>
  upstreams.reduce((sum, { pending }) => sum + pending, 0)

function endedAsDamaged(folder: TestFolder): number {
  const db = new Database(folder.path('spool.db'), { readonly: true })
  const found = db.prepare("SELECT count(*) FROM outcomes WHERE outcome = 'invalid' AND reason = 'damaged_record'")
  const damaged = Number(found.pluck().get())
  db.close()
  return damaged
}

async function readiness({ url }: RunningCollector): Promise<string> {
  const response = await fetch(`${url}/health/ready`)
  expect(response.status).toBe(503)
  const { notReady } = (await response.json()) as { readonly notReady: readonly string[] }
  return notReady.join('\n')
}

async function expectRecords(folder: TestFolder, envelopes: number): Promise<void> {
  const collector = await folder.start(relaying)
  await collector.digested()
  const { counts, items } = await collector.client.overview()
  expect([counts.envelopes, items.pending]).toEqual([envelopes, envelopes])
  expect((await collector.stop()).code).toBe(0)
}

function expectMessage({ code, output }: End, sentence: RegExp): void {
  expect(output).toMatch(sentence)
  expect(output).not.toMatch(A_STACK)
  expect(code).toBe(1)
}
