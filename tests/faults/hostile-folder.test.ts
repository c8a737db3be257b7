import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Bundle, bundleWithFaults } from './bundle-collector'
import { A_STACK, holdDatabase, newStation, temporaryFolder, tidy } from './station'

let bundle: Bundle
beforeAll(async () => {
  bundle = await bundleWithFaults()
})
afterEach(tidy)
afterAll(() => bundle.remove())

describe('a record that another program holds', () => {
  it('for itself stops the start, which says what to close', async () => {
    const station = newStation(bundle.program)
    await (await station.begin()).stop()
    const letGo = await holdDatabase(station.path('spool.db'), [
      'PRAGMA locking_mode = EXCLUSIVE',
      'BEGIN EXCLUSIVE',
      'CREATE TABLE of_another_program (n)',
    ])
    const { code, output } = await station.refuse()
    expect(output).toMatch(/another program holds a database in .* locked: close it/)
    expect(output).not.toMatch(A_STACK)
    expect(code).toBe(1)
    await letGo()
    expect((await (await station.begin()).stop()).code).toBe(0)
  })

  it('while the collector runs is a 503 within 8 s that readiness names, and then is over', async () => {
    const station = newStation(bundle.program)
    const life = await station.begin()
    await life.fill(2)
    const { localDsn } = await life.client.overview()
    const letGo = await holdDatabase(station.path('spool.db'), ['BEGIN IMMEDIATE'])
    const began = Date.now()
    const answer = fetch(`${life.url}/tunnel`, { method: 'POST', body: `${JSON.stringify({ dsn: localDsn })}\n` })
    const ready = await fetch(`${life.url}/health/ready`)
    const sentence = await ready.text()
    const { status } = await answer
    expect(ready.status).toBe(503)
    expect(sentence).toMatch(/spool\.db could not be written within 900 ms: another program may hold it/)
    expect(status).toBe(503)
    expect((await answer).headers.get('x-sentry-error')).toMatch(/another program holds a lock on spool.db/)
    expect(Date.now() - began).toBeLessThan(8000)
    await letGo()
    await life.fill(2)
    await expect.poll(async () => (await fetch(`${life.url}/health/ready`)).status, { timeout: 30_000 }).toBe(200)
    await life.digested()
    expect((await life.client.overview()).counts.envelopes).toBe(4)
    const { code, output } = await life.stop()
    expect(output).not.toMatch(A_STACK)
    expect(code).toBe(0)
  })

  it('for a moment is waited for', async () => {
    const telling = await bundleWithFaults([
      {
        file: 'collector/spool/commit-batch.ts',
        from: 'let hasFailedCall = false',
        to: "if (batch.some(({ method }) => method === 'append')) require('node:fs').writeFileSync(process.env.FAULT_ASKED, ''); let hasFailedCall = false",
      },
    ])
    onTestFinished(telling.remove)
    const station = newStation(telling.program)
    const asked = `${temporaryFolder()}/asked`
    const life = await station.begin({ FAULT_ASKED: asked })
    const other = new Database(station.path('spool.db'))
    other.exec('BEGIN IMMEDIATE')
    const answer = life.post()
    await expect.poll(() => existsSync(asked), { timeout: 20_000, interval: 10 }).toBe(true)
    // The writer waits 2 s; another process that is to let go takes its time.
    other.exec('ROLLBACK')
    other.close()
    expect((await answer).status).toBe(200)
  })
})

describe('rows that are damaged', () => {
  it.each([
    ['empty', (path: string) => truncateSync(path, 0)],
    ['cut in half', (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096)],
    ['no database', (path: string) => writeFileSync(path, 'these are other bytes. '.repeat(4000))],
    ['gone', (path: string) => rmSync(path)],
  ])('are made again from the record when their file is %s', async (_name, damage) => {
    const station = newStation(bundle.program)
    const first = await station.begin()
    await first.fill(20, 3000)
    await first.digested()
    await first.stop()
    damage(station.path('telemetry.db'))
    const life = await station.begin()
    await life.digested()
    expect((await life.client.overview()).counts).toMatchObject({ envelopes: 20, errors: 20 })
    const { code, output } = await life.stop()
    expect(output).not.toMatch(A_STACK)
    expect(code).toBe(0)
  })
})

describe('a folder that cannot be written', () => {
  // Root may write whatever its mode forbids, so the folder has to lie on a file system that is mounted for reading.
  it.skipIf(!mayMount())('stops the start, which says what to do (skipped where nothing can be mounted)', async () => {
    const folder = temporaryFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder])
    try {
      const station = newStation(bundle.program, folder)
      const life = await station.begin()
      await life.fill(2)
      await life.stop()
      execFileSync('mount', ['-o', 'remount,ro', folder])
      const { code, output } = await station.refuse()
      expect(output).toMatch(/cannot be written: fix its permissions, or set WAYSTATION_DATA to another folder/)
      expect(output).not.toMatch(A_STACK)
      expect(code).toBe(1)
      execFileSync('mount', ['-o', 'remount,rw', folder])
      const again = await station.begin()
      await again.digested()
      expect((await again.client.overview()).counts.envelopes).toBe(2)
      await again.stop()
    } finally {
      execFileSync('umount', [folder])
    }
  })
})

function mayMount(): boolean {
  const folder = temporaryFolder()
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status === 0
  if (isMounted) execFileSync('umount', [folder])
  return isMounted
}
