import { describe, expect, it } from 'vitest'
import { dsnInUse } from '../../../collector/cli/init/own-files'
import { goSdk, pythonSdk } from '../../../collector/cli/init/plan'
import { serverInstrument } from '../../../collector/cli/init/plan-server'
import { viteBrowser, viteServer } from '../../../collector/cli/init/plan-vite'
import { plannedCopy, plannedFile } from '../../../collector/cli/init/planned-file'
import {
  detectFrameworks,
  nothingDetected,
  packageVersion,
  parseManifest,
  versionOf,
} from '../../../collector/cli/init/project'
import { tunnelLines } from '../../../collector/cli/init/server-entry'
import { sourceOf } from '../../repo/sources.js'
import { DSN, planned, projectOf } from './init-project'

const manifestOf = (dependencies: object, more: object = {}): string => JSON.stringify({ dependencies, ...more })

describe('a planned file', () => {
  it('shows a new file whole, and a changed one with two unchanged lines around each change', () => {
    expect(plannedFile('a', null, 'one\n\ntwo\n').shown).toEqual(['+ one', '+', '+ two'])
    const before = Array.from({ length: 12 }, (_, index) => `${index}`)
    const after = before.map((line) => (line === '1' ? 'one' : line)).toSpliced(9, 0, 'new')
    expect(plannedFile('a', `${before.join('\n')}\n`, `${after.join('\n')}\n`).shown).toEqual([
      ...['  0', '- 1', '+ one', '  2', '  3'],
      '…',
      ...['  7', '  8', '+ new', '  9', '  10'],
    ])
  })

  it('shows removed lines, and nothing for equal texts', () => {
    expect(plannedFile('a', 'x\ny\n', 'y\n').shown).toEqual(['- x', '  y'])
    expect(plannedFile('a', 'x\n', 'x\n').shown).toEqual([])
  })

  it('shows a copy by its size', () => {
    expect(plannedCopy('t', null, 'a\nb\n', 'x').shown).toEqual(['+ 2 lines, a copy of x'])
  })
})

describe('the frameworks of a project', () => {
  it.each([
    [{ next: '16', express: '5', vite: '8' }, ['next']],
    [{ vite: '8', express: '5' }, ['vite', 'express']],
    [{ hono: '4' }, ['hono']],
    [{ vitest: '4' }, []],
  ])('of dependencies %j are %j', (dependencies, frameworks) => {
    expect(detectFrameworks(projectOf({ 'package.json': manifestOf(dependencies) }))).toEqual(frameworks)
  })

  it('are found in development dependencies and in the manifests of Python and Go', () => {
    const text = JSON.stringify({ devDependencies: { vite: '8' } })
    expect(detectFrameworks(projectOf({ 'package.json': text, Pipfile: '', 'go.mod': '' }))).toEqual([
      'vite',
      'python',
      'go',
    ])
  })

  it('are named with everything that was looked for when there are none', () => {
    expect(nothingDetected('/x', projectOf({}))).toContain(
      '/x has no framework that init sets up: it looked for next, vite, express and hono in package.json, pyproject.toml, requirements.txt, Pipfile and go.mod. Run init in the folder of your app.',
    )
    const workspaces = projectOf({ 'package.json': manifestOf({}, { workspaces: ['apps/*'] }) })
    expect(nothingDetected('/x', workspaces)).toContain('Run init in the folder of one of its workspaces (apps/*).')
  })
})

describe('a manifest', () => {
  it.each([
    ['{', /^no JSON: /],
    ['[]', /^no JSON object$/],
  ])('is refused when it is %j', (text, message) => {
    expect(parseManifest(text)).toEqual({ ok: false, error: expect.stringMatching(message) })
  })

  it.each([
    ['^10.2.0', [10, 2]],
    ['~8', [8, 0]],
    ['9.x', [9, 0]],
    ['npm:@sentry/nextjs@7.1', [7, 1]],
    ['latest', null],
  ])('declares with %j the version %j', (range, version) => {
    expect(versionOf(range)).toEqual(version)
  })

  it('has the installed version before the declared one', () => {
    const files = {
      'package.json': manifestOf({ next: '>=13' }),
      'node_modules/next/package.json': '{"version":"15.3.1"}',
    }
    expect(packageVersion(projectOf(files), 'next')).toEqual([15, 3])
    expect(packageVersion(projectOf({ 'package.json': manifestOf({ next: '>=13' }) }), 'next')).toEqual([13, 0])
    expect(packageVersion(projectOf(files), 'vite')).toBeNull()
  })
})

it('the DSN of a project that is set up is found', () => {
  expect(dsnInUse(projectOf({ 'src/sentry.ts': "dsn: 'http://k@localhost:1234/7'" }))).toBe('http://k@localhost:1234/7')
  expect(dsnInUse(projectOf({ 'instrument.mjs': "dsn: 'https://k@o1.ingest.sentry.io/7'" }))).toBeNull()
})

it('Python and Go get the text to paste, and no file', () => {
  const { steps, changes } = planned({ 'requirements.txt': '', 'go.mod': '' })
  expect(changes).toEqual({})
  expect(steps.map(({ paste }) => paste)).toEqual([
    'sentry_sdk.init(dsn="http://local@127.0.0.1:8969/1", traces_sample_rate=1.0)\n',
    'sentry.Init(sentry.ClientOptions{Dsn: "http://local@127.0.0.1:8969/1", EnableTracing: true, TracesSampleRate: 1})\n',
  ])
})

it('docs/own-apps.md shows the texts that init writes', () => {
  const page = sourceOf('docs/own-apps.md')
  for (const text of [
    viteBrowser(DSN, '@sentry/browser', 11),
    serverInstrument(DSN, 11),
    viteServer(DSN, true),
    ...(['express', 'hono'] as const).map((server) => tunnelLines({ server, dsn: DSN }, 'app').join('\n')),
    pythonSdk(DSN),
    goSdk(DSN),
  ])
    expect(page).toContain(text)
})
