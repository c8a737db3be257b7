import { rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { freePort } from '../unit/tunnel/recording-collector'
import { change, overwrite, pageOf } from './damage'
import { randomFrom } from './random'
import { A_STACK, cleanUp, type End, newTestFolder, type TestFolder } from './test-folder'
import { startUpstream } from './upstream'

const program = inject('faultsProgram')
afterEach(cleanUp)

describe('a damaged spool.db', () => {
  it('the relay posts the other records, and a damaged body gets the outcome invalid', async () => {
    const testFolder = newTestFolder(program)
    const port = await freePort()
    const env = { WAYSTATION_UPSTREAM: `http://oracle@127.0.0.1:${port}/1` }
    const first = await testFolder.start(env)
    await first.fill(20, 20_000)
    await first.stop()
    // Only the content of an overflow page is overwritten; the chain of pages stays intact.
    overwrite(testFolder.path('spool.db'), pageOf(testFolder.path('spool.db'), 'submissions', 'overflow') + 100, 2000)
    const upstream = await startUpstream(randomFrom(1), 0, port)
    const collector = await testFolder.start(env)
    await expect.poll(async () => (await collector.client.overview()).items.pending, { timeout: 20_000 }).toBe(0)
    await collector.digested()
    const { outcomes } = (await collector.client.overview()).items
    expect(outcomes).toMatchObject({ accepted: 19, invalid: 1 })
    expect(upstream.arrivals.size).toBe(19)
    const damaged = (await collector.client.envelopes()).envelopes.filter(
      ({ deliveryStatus }) => deliveryStatus.reason === 'damaged_record',
    )
    expect(damaged).toHaveLength(1)
    const raw = await fetch(collector.client.rawUrl(damaged[0]?.seq ?? 0))
    expect(raw.status).toBe(503)
    expect(await raw.text()).toContain('the record is damaged')
    expect((await collector.stop()).code).toBe(0)
    await upstream.close()
  })

  it.each(['facts', 'quantities'])(
    'with damaged %s of one record relays the others, and ends that one',
    async (column) => {
      const testFolder = newTestFolder(program)
      const port = await freePort()
      const env = { WAYSTATION_UPSTREAM: `http://oracle@127.0.0.1:${port}/1` }
      const first = await testFolder.start(env)
      await first.fill(20)
      await first.stop()
      change(
        testFolder.path('spool.db'),
        `UPDATE submissions SET ${column} = 'z' || substr(${column}, 2) WHERE seq = 7`,
      )
      const upstream = await startUpstream(randomFrom(1), 0, port)
      const collector = await testFolder.start(env)
      await expect.poll(async () => (await collector.client.overview()).items.pending, { timeout: 20_000 }).toBe(0)
      expect((await collector.client.overview()).items.outcomes).toMatchObject({ accepted: 19, invalid: 1 })
      expect(upstream.arrivals.size).toBe(19)
      const { categories } = await collector.client.losses()
      expect(categories.map(({ category, unexplained }) => [category, unexplained])).toEqual([['error', 0]])
      const { envelopes } = await collector.client.envelopes()
      expect(envelopes.filter(({ deliveryStatus }) => deliveryStatus.reason === 'damaged_record')).toMatchObject([
        { seq: 7 },
      ])
      for (const read of [
        collector.client.recorded(),
        collector.client.outcomes({}),
        collector.client.deliveries({}),
        collector.client.contract(),
      ])
        await read
      await expect(collector.client.envelope(7)).rejects.toThrow('the record is damaged: its checksum differs')
      expect((await collector.client.recorded()).damaged).toEqual([7])
      expect((await collector.stop()).code).toBe(0)
      await upstream.close()
    },
  )

  it.each([
    ['is empty', (testFolder: TestFolder) => truncateSync(testFolder.path('spool.db'), 0)],
    ['is gone', (testFolder: TestFolder) => rmSync(testFolder.path('spool.db'))],
  ])('stops the start when it %s and an index exists, and starts without the index', async (_name, damage) => {
    const testFolder = await filledFolder()
    damage(testFolder)
    expectMessage(await testFolder.refuse(), /the end of the record is missing: .* 40 envelopes, but spool\.db has 0/)
    rmSync(testFolder.path('telemetry.db'))
    const collector = await testFolder.start()
    expect((await collector.client.overview()).counts.envelopes).toBe(0)
    await collector.fill(1)
    expect((await collector.stop()).code).toBe(0)
  })

  it('stops the start when lock.db is not a lock file', async () => {
    const testFolder = newTestFolder(program)
    writeFileSync(testFolder.path('lock.db'), 'these are other bytes. '.repeat(400))
    expectMessage(await testFolder.refuse(), /lock\.db is not a lock file of Waystation: delete it, and start again/)
  })
})

it.each([
  ['is deleted', (path: string) => rmSync(path)],
  ['is empty', (path: string) => truncateSync(path, 0)],
  ['is damaged from its middle on', (path: string) => overwrite(path, Math.floor(statSync(path).size / 2), 100_000)],
])(
  'the write-ahead log of a killed collector stops the start when it %s; checkpointed records stay',
  async (_name, damage) => {
    const testFolder = await filledFolder()
    const collector = await testFolder.start()
    await collector.fill(20, 2000)
    await collector.digested()
    await collector.kill()
    damage(testFolder.path('spool.db-wal'))
    expectMessage(
      await testFolder.refuse(),
      /the end of the record is missing: .* 60 envelopes, but spool\.db has \d+;/,
    )
    rmSync(testFolder.path('telemetry.db'))
    for (const suffix of ['-wal', '-shm']) rmSync(testFolder.path(`telemetry.db${suffix}`), { force: true })
    const next = await testFolder.start()
    await next.digested()
    expect((await next.client.overview()).counts.envelopes).toBeGreaterThanOrEqual(40)
    expect((await next.stop()).code).toBe(0)
  },
)

describe('a spool.db that is deleted while the collector runs', () => {
  it('is written again, and the next start has all of it', async () => {
    const testFolder = await filledFolder()
    const collector = await testFolder.start()
    await collector.fill(3)
    for (const suffix of ['', '-wal', '-shm']) rmSync(testFolder.path(`spool.db${suffix}`))
    expectMessage(await collector.exited(), /spool\.db was deleted while .* it was written again and nothing is lost/)
    const next = await testFolder.start()
    await next.digested()
    expect((await next.client.overview()).counts.envelopes).toBe(43)
  })

  it('is written to spool.rescued.db when another file has its name', async () => {
    const testFolder = await filledFolder()
    const collector = await testFolder.start()
    rmSync(testFolder.path('spool.db'))
    writeFileSync(testFolder.path('spool.db'), '')
    expectMessage(await collector.exited(), /spool\.db was replaced while .* is in spool\.rescued\.db/)
    const db = new Database(testFolder.path('spool.rescued.db'))
    expect(db.prepare('SELECT count(*) FROM submissions').pluck().get()).toBe(40)
    db.close()
  })
})

/** A folder with 40 digested envelopes of several pages each, and no running collector. */
async function filledFolder(): Promise<TestFolder> {
  const testFolder = newTestFolder(program)
  const collector = await testFolder.start()
  await collector.fill(40, 6000)
  await collector.digested()
  const { code, output } = await collector.stop()
  if (code !== 0) throw new Error(`the collector stopped with code ${code}: ${output}`)
  return testFolder
}

function expectMessage({ code, output }: End, sentence: RegExp): void {
  expect(output).toMatch(sentence)
  expect(output).not.toMatch(A_STACK)
  expect(code).toBe(1)
}
