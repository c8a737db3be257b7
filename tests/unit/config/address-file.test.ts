import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nearestAddress, removeAddress, writeAddress } from '../../../lib/config/address-file'

let project = ''
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'waystation-address-'))
  mkdirSync(join(project, '.waystation'))
  mkdirSync(join(project, 'packages/shop'), { recursive: true })
})
afterEach(() => rmSync(project, { recursive: true }))

const URL = 'http://127.0.0.1:4711'
const data = (): string => join(project, '.waystation')

describe('the address of a running collector', () => {
  it('is found from the folders below, readable by its owner only', () => {
    writeAddress(data(), { url: URL, pid: process.pid })
    expect(nearestAddress(join(project, 'packages/shop'))).toBe(URL)
    expect(statSync(join(data(), 'address.json')).mode & 0o777).toBe(0o600)
  })

  it('is that of the nearest folder whose collector runs', () => {
    const shop = join(project, 'packages/shop')
    mkdirSync(join(shop, '.waystation'))
    writeAddress(data(), { url: URL, pid: 1 })
    writeAddress(join(shop, '.waystation'), { url: 'http://127.0.0.1:4712', pid: 2 })
    const running = (...pids: readonly number[]) => nearestAddress(shop, (pid) => pids.includes(pid))
    expect([running(1, 2), running(1), running()]).toEqual(['http://127.0.0.1:4712', URL, null])
  })

  it('is stale after the end of its process', () => {
    // No system has so high a process id.
    writeAddress(data(), { url: URL, pid: 2 ** 31 - 1 })
    expect(nearestAddress(project)).toBeNull()
  })

  it.each([['{"url"'], ['{"url":"no address","pid":1}'], ['[]']])('is missing in a damaged file: %s', (text) => {
    writeFileSync(join(data(), 'address.json'), text)
    expect(nearestAddress(project, () => true)).toBeNull()
  })

  it('is removed by its own process alone', () => {
    writeAddress(data(), { url: URL, pid: 7 })
    removeAddress(data(), 8)
    expect(readdirSync(data())).toEqual(['address.json'])
    removeAddress(data(), 7)
    expect(readdirSync(data())).toEqual([])
  })
})
