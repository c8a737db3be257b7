import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { takeLock } from '../../../collector/launch/build/lock.js'
import { isRunning } from '../../../collector/launch/processes.js'

const folder = mkdtempSync(join(tmpdir(), 'waystation-lock-'))
const file = join(folder, 'lock')
const never = new AbortController().signal
const own = String(process.pid)

let other: ChildProcess
beforeEach(() => {
  other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
})
afterEach(() => {
  other.kill('SIGKILL')
  rmSync(file, { force: true })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const take = (stop = never, onWait: (holder: number) => void = () => undefined) => takeLock({ file, stop, onWait })

describe('the lock of the set-up', () => {
  test('names its holder, and is gone after its release', async () => {
    const lock = await take()
    expect(readFileSync(file, 'utf8')).toBe(own)
    lock?.release()
    expect(existsSync(file)).toBe(false)
  })

  test('goes to the process that waits, once the holder has released it', async () => {
    writeFileSync(file, String(other.pid))
    const onWait = vi.fn()
    const waiting = take(never, onWait)
    await vi.waitFor(() => expect(onWait).toHaveBeenCalledExactlyOnceWith(other.pid), { timeout: 5000 })
    rmSync(file)
    const lock = await waiting
    expect(readFileSync(file, 'utf8')).toBe(own)
    lock?.release()
  })

  test.each([
    ['a dead process', () => String(spawnSync(process.execPath, ['-e', '']).pid)],
    ['an earlier process with our pid', () => own],
    ['nobody', () => 'no pid'],
  ])('is taken over from %s', async (_who, holder) => {
    writeFileSync(file, holder())
    const lock = await take()
    expect(readFileSync(file, 'utf8')).toBe(own)
    lock?.release()
  })

  test('is not taken after a request to stop', async () => {
    writeFileSync(file, String(other.pid))
    const stop = new AbortController()
    expect(await take(stop.signal, () => stop.abort())).toBeNull()
    expect(readFileSync(file, 'utf8')).toBe(String(other.pid))
  })
})

test('a process runs until it ends', () => {
  expect([process.pid, 999_999_999, 0, Number.NaN].map(isRunning)).toEqual([true, false, false, false])
})
