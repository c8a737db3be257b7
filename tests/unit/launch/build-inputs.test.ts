import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { buildEnvironment, nameBuild } from '../../../collector/launch/build-inputs.js'

let root = ''
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waystation-inputs-'))
  write('app/page.tsx', 'one')
  write('lib/a/b.ts', 'two')
  write('package.json', '{}')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('the name of a build', () => {
  test.each([
    'app/page.tsx',
    'lib/a/b.ts',
    'package.json',
    'instrumentation-client.ts',
    'next.config.js',
    'dashboards/x.css',
  ])('changes with %s', (path) => {
    const before = nameBuild(root)
    write(path, 'changed')
    expect(nameBuild(root)).not.toBe(before)
  })

  test.each(['README.md', 'tests/unit/x.test.ts', '.env', 'app/.page.tsx.swp', 'docs/adr/1.md', 'biome.json'])(
    'does not change with %s',
    (path) => {
      const before = nameBuild(root)
      write(path, 'changed')
      expect(nameBuild(root)).toBe(before)
    },
  )

  test('changes when a file is moved', () => {
    const before = nameBuild(root)
    renameSync(join(root, 'app/page.tsx'), join(root, 'app/layout.tsx'))
    expect(nameBuild(root)).not.toBe(before)
  })

  test('does not change when a file is only touched', () => {
    const before = nameBuild(root)
    utimesSync(join(root, 'app/page.tsx'), 1, 1)
    expect(nameBuild(root)).toBe(before)
  })
})

describe("a build's environment", () => {
  test('has no settings in it, and no telemetry', () => {
    const env = buildEnvironment({
      NODE_ENV: 'development',
      PATH: '/bin',
      WAYSTATION_TOKEN: 'secret',
      SENTRY_RELEASE: '1',
      NEXT_PUBLIC_X: '1',
      PORT: '1',
    })
    expect(env).toEqual({
      NODE_ENV: 'production',
      PATH: '/bin',
      NEXT_TELEMETRY_DISABLED: '1',
      __NEXT_PROCESSED_ENV: 'true',
    })
  })
})
