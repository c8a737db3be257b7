import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { stampHeaders } from '../../../../lib/kit/stamp-headers'
import { findBundles } from '../../../../lib/kit/vitest/start-collector'

function packed(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waystation-packed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'collector'))
  mkdirSync(join(folder, 'shared'))
  writeFileSync(join(folder, 'collector', 'main.js'), '')
  return folder
}

it('finds the collector of WAYSTATION_BUILD, or of the package', () => {
  const folder = packed()
  expect(findBundles({ WAYSTATION_BUILD: folder }, '/nowhere')).toBe(join(folder, 'collector'))
  expect(findBundles({}, folder)).toBe(join(folder, 'collector'))
  expect(findBundles({}, join(folder, 'shared'))).toBe(join(folder, 'collector'))
})

it('throws with the searched paths and a fix', () => {
  expect(() => findBundles({}, '/nowhere/dist')).toThrow(
    'no bundled collector at /nowhere/dist/collector/main.js and /nowhere/collector/main.js; reinstall the package, or set WAYSTATION_BUILD to a build',
  )
  expect(() => findBundles({ WAYSTATION_BUILD: '/nowhere' }, packed())).toThrow(
    'no bundled collector at /nowhere/collector/main.js; WAYSTATION_BUILD must be a folder with a build',
  )
})

it('creates stamp headers, and rejects an invalid stamp', () => {
  expect(stampHeaders('checkout-1', 'worker-1')).toEqual({
    'x-waystation-stamp': 'checkout-1',
    'x-waystation-page': 'worker-1',
  })
  const [one, other] = [stampHeaders('a'), stampHeaders('a')]
  expect(one['x-waystation-page']).not.toBe(other['x-waystation-page'])
  expect(() => stampHeaders('a b')).toThrow('"a b" is not a stamp of 1 to 64 letters')
})
