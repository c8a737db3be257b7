import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { checkSources } from '../../../collector/cli/doctor/doctor-sources'

const root = mkdtempSync(join(tmpdir(), 'waystation-sources-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let made = 0
/** A folder with these files. */
function app(files: Readonly<Record<string, string>>): string {
  made += 1
  const folder = join(root, String(made))
  mkdirSync(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

const SDK_11 = { 'package.json': '{"dependencies":{"@sentry/nextjs":"^11.8.0"}}' }
const HOOK = 'Sentry.init({ beforeSendTransaction: (event) => scrub(event) })'

describe('options that streamed spans ignore', () => {
  it('are named with their files, also in folders', () => {
    const checked = checkSources(app({ ...SDK_11, 'src/a/sentry.ts': HOOK, 'client.mjs': 'ignoreTransactions: [/x/]' }))
    expect(checked?.state).toBe('broken')
    expect(checked?.found).toContain('beforeSendTransaction in src/a/sentry.ts')
    expect(checked?.found).toContain('ignoreTransactions in client.mjs')
    expect(checked?.fix).toContain('beforeSendSpan')
  })

  it('are no problem in comments, packages, builds and other files', () => {
    const files = {
      'sentry.ts': `// ${HOOK}\n/* ${HOOK} */ const url = 'https://a.test'`,
      'node_modules/a/index.js': HOOK,
      '.next/server.js': HOOK,
      'dist/index.js': HOOK,
      'tests/sentry.test.ts': HOOK,
      'README.md': HOOK,
      'other.ts': 'const beforeSendTransactions = 1',
    }
    expect(checkSources(app({ ...SDK_11, ...files }))?.state).toBe('ok')
  })
})

it('are called where a file of the app sets static spans', () => {
  const checked = checkSources(app({ ...SDK_11, 'sentry.ts': HOOK, 'shared.ts': "traceLifecycle: 'static'," }))
  expect(checked).toMatchObject({ state: 'ok', found: expect.stringContaining('static') })
})

it.each([
  ['without a package.json', {}],
  ['with a broken package.json', { 'package.json': '{' }],
  ['with an older SDK', { 'package.json': '{"dependencies":{"@sentry/node":"10.9.0"}}' }],
  ['without an SDK', { 'package.json': '{"dependencies":{"vite":"12"}}' }],
])('nothing is checked %s', (_what, files) => {
  expect(checkSources(app({ ...files, 'sentry.ts': HOOK }))).toBeNull()
})
