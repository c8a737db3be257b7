import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { bundleWithFaults } from './bundle-collector'
import { A_STACK, cleanUp, lockDatabase, mayMount, newTestFolder, temporaryFolder } from './test-folder'

const program = inject('faultsProgram')
afterEach(cleanUp)

describe('a spool.db that another program locks', () => {
  it('stops the start with advice', async () => {
    const testFolder = newTestFolder(program)
    await (await testFolder.start()).stop()
    const unlock = await lockDatabase(testFolder.path('spool.db'), [
      'PRAGMA locking_mode = EXCLUSIVE',
      'BEGIN EXCLUSIVE',
      'CREATE TABLE of_another_program (n)',
    ])
    const { code, output } = await testFolder.refuse()
    expect(output).toMatch(/another program holds a database in .* locked: close it/)
    expect(output).not.toMatch(A_STACK)
    expect(code).toBe(1)
    await unlock()
    expect((await (await testFolder.start()).stop()).code).toBe(0)
  })

  it('while the collector runs, causes a 503 within 8 s and a reason in /health/ready, until it is unlocked', async () => {
    const testFolder = newTestFolder(program)
    const collector = await testFolder.start()
    await collector.fill(2)
    const { localDsn } = await collector.client.overview()
    const unlock = await lockDatabase(testFolder.path('spool.db'), ['BEGIN IMMEDIATE'])
    const began = Date.now()
    const answer = fetch(`${collector.url}/tunnel`, { method: 'POST', body: `${JSON.stringify({ dsn: localDsn })}\n` })
    const ready = await fetch(`${collector.url}/health/ready`)
    const sentence = await ready.text()
    const { status } = await answer
    expect(ready.status).toBe(503)
    expect(sentence).toMatch(/spool\.db could not be written within 900 ms: another program may hold a lock on it/)
    expect(status).toBe(503)
    expect((await answer).headers.get('x-sentry-error')).toMatch(/another program holds a lock on spool.db/)
    expect(Date.now() - began).toBeLessThan(8000)
    await unlock()
    await collector.fill(2)
    await expect.poll(async () => (await fetch(`${collector.url}/health/ready`)).status, { timeout: 30_000 }).toBe(200)
    await collector.digested()
    expect((await collector.client.overview()).counts.envelopes).toBe(4)
    const { code, output } = await collector.stop()
    expect(output).not.toMatch(A_STACK)
    expect(code).toBe(0)
  })

  it('for a short time, delays the answer', async () => {
    const signalling = await bundleWithFaults([
      {
        file: 'collector/spool/commit-batch.ts',
        from: 'let hasFailedCall = false',
        to: "if (batch.some(({ method }) => method === 'append')) require('node:fs').writeFileSync(process.env.FAULT_MARKER, ''); let hasFailedCall = false",
      },
    ])
    onTestFinished(signalling.remove)
    const testFolder = newTestFolder(signalling.program)
    const marker = `${temporaryFolder()}/marker`
    const collector = await testFolder.start({ FAULT_MARKER: marker })
    const other = new Database(testFolder.path('spool.db'))
    other.exec('BEGIN IMMEDIATE')
    const answer = collector.post()
    await expect.poll(() => existsSync(marker), { timeout: 20_000, interval: 10 }).toBe(true)
    // The writer waits 2 s. This process unlocks at once; another process could take longer.
    other.exec('ROLLBACK')
    other.close()
    expect((await answer).status).toBe(200)
  })
})

describe('a damaged telemetry.db', () => {
  it.each([
    ['empty', (path: string) => truncateSync(path, 0)],
    ['cut in half', (path: string) => truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096)],
    ['no database', (path: string) => writeFileSync(path, 'these are other bytes. '.repeat(4000))],
    ['gone', (path: string) => rmSync(path)],
  ])('is rebuilt from spool.db when it is %s', async (_name, damage) => {
    const testFolder = newTestFolder(program)
    const first = await testFolder.start()
    await first.fill(20, 3000)
    await first.digested()
    await first.stop()
    damage(testFolder.path('telemetry.db'))
    const collector = await testFolder.start()
    await collector.digested()
    expect((await collector.client.overview()).counts).toMatchObject({ envelopes: 20, errors: 20 })
    const { code, output } = await collector.stop()
    expect(output).not.toMatch(A_STACK)
    expect(code).toBe(0)
  })
})

describe('a folder that cannot be written', () => {
  // Root may write despite the file mode, so the folder is on a file system that is mounted read-only.
  it.skipIf(!mayMount())('stops the start with advice (skipped where mount is not allowed)', async () => {
    const folder = temporaryFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder])
    try {
      const testFolder = newTestFolder(program, folder)
      const collector = await testFolder.start()
      await collector.fill(2)
      await collector.stop()
      execFileSync('mount', ['-o', 'remount,ro', folder])
      const { code, output } = await testFolder.refuse()
      expect(output).toMatch(/cannot be written: fix its permissions, or set WAYSTATION_DATA to another folder/)
      expect(output).not.toMatch(A_STACK)
      expect(code).toBe(1)
      execFileSync('mount', ['-o', 'remount,rw', folder])
      const again = await testFolder.start()
      await again.digested()
      expect((await again.client.overview()).counts.envelopes).toBe(2)
      await again.stop()
    } finally {
      execFileSync('umount', [folder])
    }
  })
})
