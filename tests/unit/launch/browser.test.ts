import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { findInstalledBrowser } from '../../../collector/launch/test/browser.js'
import { folderOfEachTest } from '../folder-of-each-test'

const folder = folderOfEachTest()
beforeEach(() => {
  mkdirSync(join(folder.path, 'one'))
  mkdirSync(join(folder.path, 'two'))
})

function install(name: string, mode = 0o755): string {
  writeFileSync(join(folder.path, name), '')
  chmodSync(join(folder.path, name), mode)
  return join(folder.path, name)
}
const find = () =>
  findInstalledBrowser({ NODE_ENV: 'test', PATH: `${folder.path}/one:${folder.path}/two:${folder.path}/none` })

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
    mkdirSync(join(folder.path, 'one/chromium'))
    install('one/google-chrome', 0o644)
    expect(find() ?? '').not.toContain(folder.path)
  })
})
