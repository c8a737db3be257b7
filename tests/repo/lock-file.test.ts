import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './sources.js'

interface Entry {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly libc?: readonly string[]
}

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Entry>
}
const entries = Object.entries(packages).filter(([path]) => path !== '')

it('the lock file has a checksum for each package, except optional builds for other platforms', () => {
  const without = entries.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ''))
  expect(without.filter(([, { optional, os, libc }]) => !(optional && (os ?? libc) !== undefined))).toEqual([])
  // The platform on which the check runs is not among them.
  const usable = without.filter(([, { os, libc }]) => os?.includes('linux') && !libc?.includes('musl'))
  expect(usable.filter(([path]) => /linux-x64-gnu$/.test(path))).toEqual([])
})

it('the lock file has no download addresses', () => {
  expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
})
