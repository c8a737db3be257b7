import { existsSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  buildEnvironment,
  completeBuild,
  hashSources,
  pruneBuilds,
  runningFrom,
  useBuild,
} from '../../../collector/launch/build/build.js'
import { folderOfEachTest } from '../folder-of-each-test'

const root = folderOfEachTest()
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root.path, path)), { recursive: true })
  writeFileSync(join(root.path, path), text)
}

describe('the hash of the sources', () => {
  beforeEach(() => {
    write('app/page.tsx', 'one')
    write('lib/a/b.ts', 'two')
    write('package.json', '{}')
  })

  test.each([
    'app/page.tsx',
    'lib/a/b.ts',
    'package.json',
    'instrumentation-client.ts',
    'next.config.js',
    'dashboards/x.css',
  ])('changes with %s', (path) => {
    const before = hashSources(root.path)
    write(path, 'changed')
    expect(hashSources(root.path)).not.toBe(before)
  })

  test.each([
    'README.md',
    'tests/unit/x.test.ts',
    '.env',
    'app/.page.tsx.swp',
    'docs/adr/1.md',
    'biome.json',
    'next-env.d.ts',
  ])('does not change with %s', (path) => {
    const before = hashSources(root.path)
    write(path, 'changed')
    expect(hashSources(root.path)).toBe(before)
  })

  test('changes when a file is moved', () => {
    const before = hashSources(root.path)
    renameSync(join(root.path, 'app/page.tsx'), join(root.path, 'app/layout.tsx'))
    expect(hashSources(root.path)).not.toBe(before)
  })

  test('does not change with the time of a file', () => {
    const before = hashSources(root.path)
    utimesSync(join(root.path, 'app/page.tsx'), 1, 1)
    expect(hashSources(root.path)).toBe(before)
  })
})

test('a build runs without settings and without telemetry', () => {
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

describe('old builds', () => {
  const folderOf = (digit: string, prefix = '') => join(root.path, '.build', `${prefix}${digit.repeat(16)}`)
  /** A complete build, made at that second. */
  function made(digit: string, second: number, prefix = ''): string {
    const folder = folderOf(digit, prefix)
    mkdirSync(join(folder, 'pids'), { recursive: true })
    completeBuild(folder)
    utimesSync(join(folder, 'complete'), second, second)
    return folder
  }
  const remaining = () => readdirSync(join(root.path, '.build')).map((name) => name.replace(/(.)\1+$/, '$1'))

  test('are removed, except the newest two', () => {
    made('a', 1)
    made('b', 4)
    made('c', 2)
    made('d', 3)
    pruneBuilds(root.path)
    expect(remaining()).toEqual(['b', 'd'])
  })

  test('counts builds of the collector alone separately', () => {
    made('a', 1)
    for (const [second, digit] of ['b', 'c', 'd'].entries()) made(digit, second + 2, 'collector-')
    pruneBuilds(root.path)
    expect(remaining()).toEqual(['a', 'collector-c', 'collector-d'])
  })

  test('stay while a process uses them', () => {
    const used = made('a', 1)
    made('b', 2)
    made('c', 3)
    made('d', 4)
    expect(useBuild(used)).toBe(true)
    pruneBuilds(root.path)
    expect(remaining()).toEqual(['a', 'c', 'd'])
  })

  test('are removed after the process that used them has died', () => {
    writeFileSync(join(made('a', 1), 'pids', '4194305'), '')
    made('b', 2)
    made('c', 3)
    pruneBuilds(root.path)
    expect(remaining()).toEqual(['b', 'c'])
  })

  test('are removed first when they are unfinished', () => {
    mkdirSync(folderOf('a'), { recursive: true })
    made('b', 1)
    made('c', 2)
    pruneBuilds(root.path)
    expect(remaining()).toEqual(['b', 'c'])
  })

  test('do not include other folders in .build', () => {
    mkdirSync(join(root.path, '.build/tests'), { recursive: true })
    for (const digit of ['a', 'b', 'c']) made(digit, 1)
    pruneBuilds(root.path)
    expect(existsSync(join(root.path, '.build/tests'))).toBe(true)
  })
})

describe('a build', () => {
  test('is not used while it is unfinished', () => {
    const folder = join(root.path, '.build', 'a'.repeat(16))
    expect(useBuild(folder)).toBe(false)
    expect(existsSync(folder)).toBe(false)
    mkdirSync(folder, { recursive: true })
    expect(useBuild(folder)).toBe(false)
  })

  test('names the other processes that use it', () => {
    const pids = join(root.path, '.build', 'a'.repeat(16), 'pids')
    mkdirSync(pids, { recursive: true })
    for (const pid of [process.pid, process.ppid]) writeFileSync(join(pids, String(pid)), '')
    expect(runningFrom(root.path)).toEqual([process.ppid])
  })
})
