import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findInstalledBrowser } from '../../../collector/launch/test/browser.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waystation-path-'))
  mkdirSync(join(folder, 'one'))
  mkdirSync(join(folder, 'two'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function install(name: string, mode = 0o755): string {
  writeFileSync(join(folder, name), '')
  chmodSync(join(folder, name), mode)
  return join(folder, name)
}
const find = () => findInstalledBrowser({ NODE_ENV: 'test', PATH: `${folder}/one:${folder}/two:${folder}/none` })

describe('the browser for the tests', () => {
  test.each(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'])('is %s on the PATH', (name) => {
    const path = install(`two/${name}`)
    expect(find()).toBe(path)
  })

  test('is Chromium if both are installed', () => {
    install('one/google-chrome')
    const path = install('two/chromium')
    expect(find()).toBe(path)
  })

  test('is neither a folder nor a file that is not executable', () => {
    mkdirSync(join(folder, 'one/chromium'))
    install('one/google-chrome', 0o644)
    expect(find() ?? '').not.toContain(folder)
  })
})
