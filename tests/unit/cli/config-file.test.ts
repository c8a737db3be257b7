import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findConfig, loadConfig } from '../../../collector/cli/judge/config-file'
import { folderOfEachTest } from '../folder-of-each-test'

const folder = folderOfEachTest()

function put(path: string, text: string): string {
  const file = join(folder.path, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

describe('the configuration of a project', () => {
  it('is the nearest one up to the package.json', () => {
    const outer = put('waystation.config.mjs', '')
    put('app/package.json', '{}')
    put('app/src/deep/file', '')
    expect(findConfig(join(folder.path, 'app/src/deep'))).toBeNull()
    const own = put('app/waystation.config.js', '')
    expect(findConfig(join(folder.path, 'app/src/deep'))).toBe(own)
    const typed = put('app/waystation.config.ts', '')
    expect(findConfig(join(folder.path, 'app/src/deep'))).toBe(typed)
    expect(findConfig(folder.path)).toBe(outer)
  })

  it('may import other files, packages and waystation/config', async () => {
    put('package.json', '{}')
    put('known.ts', 'export const known: readonly RegExp[] = [/boom/]')
    put('node_modules/far/package.json', '{ "name": "far", "exports": "./index.mjs", "type": "module" }')
    put('node_modules/far/index.mjs', 'export const far = 4')
    const near = put(
      'near.ts',
      `import { defineConfig } from 'waystation/config'
       import { known } from './known'
       export default defineConfig({ known, here: import.meta.url })`,
    )
    expect(await loadConfig(near)).toEqual({ ok: true, value: { known: [/boom/], here: `file://${near}` } })
    const far = put('far.ts', `import { far } from 'far'\nimport { sep } from 'node:path'\nexport default { far, sep }`)
    expect(await loadConfig(far)).toEqual({ ok: true, value: { far: 4, sep: '/' } })
    expect(readdirSync(folder.path).filter((name) => name.startsWith('.'))).toEqual([])
  })

  it('is ended when it does not end itself', async () => {
    const endless = await loadConfig(put('waystation.config.ts', 'for (;;);\nexport default {}'), 300)
    expect(endless).toEqual({
      ok: false,
      error: expect.stringMatching(/config\.ts does not end: timed out after 0\.3 s$/),
    })
    const busy = put('waystation.config.mjs', 'setInterval(() => undefined, 1000)\nexport default { rules: {} }')
    expect(await loadConfig(busy)).toEqual({ ok: true, value: { rules: {} } })
  })

  it.each(['.cjs', '.cts', '.json'])('is refused with the extension %s', async (ending) => {
    const file = put(`waystation.config${ending}`, '{}')
    expect(findConfig(folder.path)).toBe(file)
    expect(await loadConfig(file)).toEqual({
      ok: false,
      error: expect.stringMatching(/^\S+ is not supported; use one of waystation\.config\.ts, /),
    })
    const read = put('waystation.config.js', '')
    expect(findConfig(folder.path)).toBe(read)
  })

  it.each([
    ['export default {', /cannot be read: line 1: Expected identifier but found end of file/],
    ["import './nowhere'\nexport default {}", /cannot be read: line 1: Could not resolve ".\/nowhere"/],
    ["throw new Error('not today')", /waystation\.config\.ts throws an error: Error: not today$/],
    [
      "import 'no-such-package'\nexport default {}",
      /Error: Cannot find package 'no-such-package' imported from \S+\/waystation\.config\.ts$/,
    ],
    ["throw 'a word'", /waystation\.config\.ts throws an error: a word$/],
    ['process.exit(0)\nexport default {}', /waystation\.config\.ts exits with 0 before it exports/],
    ['await new Promise(() => undefined)\nexport default {}', /does not end: a top-level await never settles/],
    [
      "setTimeout(() => { throw new Error('late') })\nawait new Promise((r) => setTimeout(r, 60000))\nexport default {}",
      /waystation\.config\.ts throws an error: Error: late$/,
    ],
    [
      'export default { allow: () => [] }',
      /waystation\.config\.ts exports a value that is not data: .*could not be cloned/,
    ],
    ['export const plan = {}', /has no default export; write export default defineConfig\(\{ … \}\)/],
  ])('is refused with the reason: %j', async (text, message) => {
    const loaded = await loadConfig(put('waystation.config.ts', text))
    expect(loaded).toEqual({ ok: false, error: expect.stringMatching(message) })
  })
})
