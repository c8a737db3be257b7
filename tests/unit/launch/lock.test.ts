import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { takeLock } from '../../../collector/launch/lock.js'
import { livingProcess, ownIdentity } from '../../../collector/launch/process-identity.js'

const folder = mkdtempSync(join(tmpdir(), 'waystation-lock-'))
const file = join(folder, 'lock')
const never = new AbortController().signal

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const take = (stop = never, onWait: (holder: number) => void = () => undefined) => takeLock({ file, stop, onWait })

describe('the lock of the set-up', () => {
  test('is held by one, and goes to the one who waits', async () => {
    const first = await take()
    const onWait = vi.fn()
    const second = take(never, onWait)
    await vi.waitFor(() => expect(onWait).toHaveBeenCalledExactlyOnceWith(process.pid), { timeout: 5000 })
    first?.release()
    const held = await second
    expect(readFileSync(file, 'utf8')).toBe(ownIdentity())
    held?.release()
    expect(existsSync(file)).toBe(false)
  })

  test('of a process that died is taken over', async () => {
    await take().then((lock) => lock?.release())
    const dead = spawnSync(process.execPath, ['-e', '']).pid
    writeFileSync(file, `${dead} started 1`)
    const lock = await take()
    expect(readFileSync(file, 'utf8')).toBe(ownIdentity())
    lock?.release()
  })

  test('of a process whose number somebody else has now is taken over', async () => {
    await take().then((lock) => lock?.release())
    writeFileSync(file, `${process.pid} started long before`)
    const lock = await take()
    expect(lock).not.toBeNull()
    lock?.release()
  })

  test('is given up when asked to stop', async () => {
    const first = await take()
    const stop = new AbortController()
    const waiting = take(stop.signal, () => stop.abort())
    expect(await waiting).toBeNull()
    first?.release()
  })
})

describe('the identity of a process', () => {
  test('names a living one', () => {
    expect(livingProcess(ownIdentity())).toBe(process.pid)
  })

  test('is nobody for a number that is not in use', () => {
    expect(livingProcess('999999999 started 1')).toBeNull()
  })
})
