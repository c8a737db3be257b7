import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleOf, VERB_COMMANDS } from '../../collector/cli/commands.js'
import { openInEditor } from './editor'
import { installInto, lend, packOnce, ROOT } from './packed'
import { TYPED_USE } from './typed-use'

let folder = ''
let tarball = ''
let project = ''

/** The fields of package.json that the tests read. */
interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, unknown>>
}

const manifest = (): Manifest => JSON.parse(readFileSync(join(project, 'node_modules/waystation/package.json'), 'utf8'))

/** A project with only the package and its dependencies installed: no Next, no React. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waystation-package-'))
  tarball = packOnce(folder)
  project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "name": "somebody", "private": true, "type": "module" }\n')
  installInto(project, tarball)
  lend(project, Object.keys(manifest().dependencies))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const inProject = (words: readonly string[], cwd = project) =>
  spawnSync(words[0] ?? '', words.slice(1), {
    cwd,
    encoding: 'utf8',
    env: { PATH: `${join(cwd, 'node_modules/.bin')}:${process.env.PATH}`, NODE_ENV: 'test' },
  })

describe('the package', () => {
  it('depends on neither Next nor React', () => {
    expect(Object.keys(manifest().dependencies)).toEqual(['better-sqlite3', 'esbuild', 'zod'])
  })

  it('contains the bundles, the types, the command and the documents, but no sources', () => {
    const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n').sort()
    const kinds = files.map((path) =>
      path
        .replace(/^package\/dist\/types\/.+\.d\.ts$/, 'declarations')
        .replace(/^package\/dist\/shared\/.+\.js$/, 'shared')
        .replace(/^package\/dist\/browser\/sdk-envelope-[A-Z0-9]{8}\.js$/, 'scrubber')
        .replace(/^package\/dist\/collector\/boards\/.+-[A-Z0-9]{8}\.(?:css|js)$/, 'boards')
        .replace(/^package\/dist\/collector\/.+-[A-Z0-9]{8}\.js$/, 'chunks')
        .replace(/^package\/dist\/collector\/.+-thread\.js$/, 'threads')
        .replace(/^package\//, ''),
    )
    const bundles = new Set(Object.keys(COMMANDS).map((name) => bundleOf(name).replace('.js', '')))
    const commands = [...bundles, 'close-streams', 'follow-parent', 'main']
    expect([...new Set(kinds)].sort()).toEqual(
      [
        ...[
          'LICENSE',
          'README.md',
          'package.json',
          'boards',
          'declarations',
          'shared',
          'scrubber',
          'chunks',
          'threads',
          'dist/THIRD-PARTY.txt',
        ],
        'skills/waystation/SKILL.md',
        ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
        ...commands.map((name) => `dist/collector/${name}.js`),
        ...['boards.json', 'tunnel.mjs'].map((name) => `dist/collector/${name}`),
        ...['browser', 'config', 'diagnostics', 'playwright', 'server', 'tunnel', 'vitest'].map(
          (name) => `dist/${name}.js`,
        ),
        ...['commands', 'flags', 'waystation', 'waystation-command'].map((name) => `collector/cli/${name}.js`),
        ...['command-output', 'stop-requests'].map((name) => `collector/launch/${name}.js`),
      ].sort(),
    )
  })

  it('has threads of the spool without schemas, which would cost memory and time at every start', () => {
    for (const thread of ['writer', 'spool-reader']) {
      const path = join(project, `node_modules/waystation/dist/collector/${thread}-thread.js`)
      expect(readFileSync(path, 'utf8')).not.toContain('ZodError')
    }
  })

  it('has an entry for pages that loads the scrubber later, and neither has anything of Node or zod', () => {
    const dist = join(project, 'node_modules/waystation/dist')
    const entry = readFileSync(join(dist, 'browser.js'), 'utf8')
    const [scrubber, ...others] = readdirSync(join(dist, 'browser'))
    expect(others).toEqual([])
    expect(entry).toContain(`import("./browser/${scrubber}")`)
    expect(entry).not.toMatch(/^\s*import\b/m)
    const later = readFileSync(join(dist, 'browser', scrubber ?? ''), 'utf8')
    expect(later).toContain('github_pat_')
    expect(entry).not.toContain('github_pat_')
    for (const text of [entry, later]) expect(text).not.toMatch(/\bBuffer\b|\bnode:|\b[zZ]od\b|\brequire\(|\bprocess\./)
  })

  it('contains the licence of each bundled package, and of bundled data', () => {
    const notice = readFileSync(join(project, 'node_modules/waystation/dist/THIRD-PARTY.txt'), 'utf8')
    const parts = notice.split('-'.repeat(80)).slice(1)
    expect(
      parts.map((part) =>
        part
          .trim()
          .split('\n')[0]
          ?.replace(/ [\d.]+,/, ''),
      ),
    ).toEqual([
      '@base-ui/react licence MIT',
      '@base-ui/utils licence MIT',
      '@floating-ui/core licence MIT',
      '@floating-ui/dom licence MIT',
      '@floating-ui/react-dom licence MIT',
      '@floating-ui/utils licence MIT',
      '@hono/node-server licence MIT',
      '@jridgewell/resolve-uri licence MIT',
      '@jridgewell/sourcemap-codec licence MIT',
      '@jridgewell/trace-mapping licence MIT',
      '@modelcontextprotocol/core licence Apache-2.0',
      '@modelcontextprotocol/server licence Apache-2.0',
      'content-type licence MIT',
      'fzstd licence MIT',
      'hono licence MIT',
      'long licence Apache-2.0',
      'modern-tar licence MIT',
      'pg licence MIT',
      'pg-cloudflare licence MIT',
      'pg-connection-string licence MIT',
      'pg-int8 licence ISC',
      'pg-pool licence MIT',
      'pg-protocol licence MIT',
      'pg-types licence MIT',
      'pgpass licence MIT',
      'postgres-array licence MIT',
      'postgres-bytea licence MIT',
      'postgres-date licence MIT',
      'postgres-interval licence MIT',
      'protobufjs licence BSD-3-Clause',
      'react licence MIT',
      'react-dom licence MIT',
      'reselect licence MIT',
      'scheduler licence MIT',
      'split2 licence ISC',
      'undici licence MIT',
      'use-sync-external-store licence MIT',
      'xtend licence MIT',
      'zod licence MIT',
      'lib/otlp/schema.json, licence below',
      'lib/otlp/attribute-registry.json, licence below',
      'lib/unminify/react-codes.json, licence below',
    ])
    expect(parts.filter((part) => !/Copyright/.test(part))).toEqual([])
  })

  it('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: join(project, 'node_modules/waystation'), strict: true })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  it('has correct types for every supported module resolution', async () => {
    const checked = await checkPackage(createPackageFromTarballData(readFileSync(tarball)))
    if (checked.types === false) throw new Error('there are no types')
    // The package has only ES modules, and TypeScript's resolution `node10` does not support `exports`.
    const knownOnes = checked.problems.filter(
      (problem) =>
        (problem.kind === 'NoResolution' && problem.resolutionKind === 'node10') ||
        (problem.kind === 'CJSResolvesToESM' && problem.resolutionKind === 'node16-cjs'),
    )
    expect(checked.problems.filter((problem) => !knownOnes.includes(problem))).toEqual([])
    expect(Object.keys(checked.entrypoints)).toEqual(Object.keys(manifest().exports))
  })
})

/** Commands, and the first words of their help. */
const COMMANDS = {
  check: 'waystation check',
  diff: 'waystation diff',
  doctor: 'waystation doctor',
  expect: "waystation expect 'PATTERN'",
  export: 'waystation export',
  init: 'waystation init',
  mcp: 'waystation mcp',
  merge: 'waystation merge',
  report: 'waystation report',
  run: 'waystation run',
  runs: 'waystation runs',
  salvage: 'waystation salvage',
  show: 'waystation show',
  start: 'waystation start',
  tail: 'waystation tail',
  wait: 'waystation wait',
} as const

describe('the command of the package', () => {
  const verbs = Object.keys(VERB_COMMANDS).map((name) => [name, `waystation ${name} `] as const)
  it.each([...Object.entries(COMMANDS), ...verbs])('%s has help', (name, first) => {
    const { status, stdout } = inProject(['waystation', name, '--help'])
    expect(stdout.slice(0, first.length)).toBe(first)
    expect(status).toBe(0)
  })

  it('prints the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(inProject(['waystation', '--version'])).toMatchObject({ status: 0, stdout: `${version}\n` })
  })

  it('records and judges a program in the project of the current folder', () => {
    const program = `
      const { host, username } = new URL(process.env.SENTRY_DSN)
      const event = { event_id: 'a'.repeat(32), level: 'error', message: 'from a package', environment: 'test' }
      const lines = [{ dsn: process.env.SENTRY_DSN }, { type: 'event' }, event]
      const answer = await fetch('http://' + host + '/api/1/envelope/?sentry_key=' + username, {
        method: 'POST', body: lines.map((line) => JSON.stringify(line)).join('\\n') })
      console.log(answer.status)`
    const { status, stdout, stderr } = inProject([
      ...['waystation', 'run', '--', process.execPath, '--input-type=module', '-e', program],
    ])
    expect(stdout, stderr).toBe('200\n')
    expect(stderr).toContain('Waystation recorded 1 envelope')
    expect(stderr).toMatch(/npx waystation show \S+\/runs\//)
    expect(readdirSync(join(project, '.waystation/runs'))).toHaveLength(1)
    // `show` has the same address; port 3000 may belong to an app of the project.
    expect(stderr).toMatch(/open {6}http:\/\/127\.0\.0\.1:\d+\/events\/a{32}\n/)
    expect(stderr).not.toContain('localhost:3000')
    expect(status).toBe(1)
  })

  it('sets up coding agents after showing what it writes, and a second time changes nothing', () => {
    const init = (...flags: readonly string[]) => inProject(['waystation', 'init', '--agents', ...flags])
    const installed = 'node_modules/waystation/collector/cli/waystation.js'
    mkdirSync(join(project, '.vscode'))
    writeFileSync(join(project, '.vscode/mcp.json'), '{ // mine\n}')
    const unanswered = init()
    expect(unanswered.status).toBe(2)
    expect(unanswered.stderr).toContain(
      'nothing was written, because nobody can be asked here: pass --yes, or --dry-run',
    )
    const shown = init('--dry-run')
    expect(shown.stdout).toContain(
      `new  .mcp.json\n  + mcpServers.waystation: {"command":"node","args":["${installed}","mcp"]}\n`,
    )
    expect(shown.stdout).toContain('a copy of node_modules/waystation/skills/waystation/SKILL.md')
    expect(shown.stdout).toMatch(
      /^to do {4}\.vscode\/mcp\.json is no JSON: .*Add this to its servers:\n {4}"waystation": \{/m,
    )
    expect(shown.status).toBe(1)
    expect(existsSync(join(project, '.mcp.json'))).toBe(false)

    rmSync(join(project, '.vscode'), { recursive: true })
    expect(init('--yes')).toMatchObject({ status: 0, stdout: expect.stringContaining('\n2 files written. ') })
    const entry = JSON.parse(readFileSync(join(project, '.mcp.json'), 'utf8')).mcpServers.waystation
    expect(entry.args[0]).toBe(installed)
    expect(existsSync(join(project, installed))).toBe(true)
    expect(readFileSync(join(project, '.claude/skills/waystation/SKILL.md'), 'utf8')).toContain('name: waystation')
    expect(init()).toMatchObject({
      status: 0,
      stdout: 'as it is  .mcp.json\nas it is  .claude/skills/waystation/SKILL.md\n',
    })
  })

  it('refuses to start the app', () => {
    const { status, stderr } = inProject(['waystation', 'up'])
    expect(stderr).toBe(
      'The package contains no app: waystation start starts the collector with its boards, and a clone of Waystation has npm start.\n',
    )
    expect(status).toBe(2)
  })
})

describe('the package where npm has run no install scripts', () => {
  let blocked = ''
  beforeAll(() => {
    blocked = join(folder, 'blocked')
    mkdirSync(blocked)
    writeFileSync(join(blocked, 'package.json'), '{ "name": "blocked", "private": true }\n')
    installInto(blocked, tarball)
    lend(blocked, ['esbuild', 'zod', 'bindings', 'file-uri-to-path'])
    const driver = 'node_modules/better-sqlite3'
    // Without `build/`: the state after `npm install --ignore-scripts`.
    for (const name of ['package.json', 'lib'])
      cpSync(join(ROOT, driver, name), join(blocked, driver, name), { recursive: true })
    mkdirSync(join(blocked, 'damaged'))
    writeFileSync(join(blocked, 'damaged/spool.db'), '')
  })

  it.each([
    ['start', '--port', '0'],
    ['run', '--', process.execPath, '-e', '0'],
    ['salvage', 'damaged', '--to', 'copy'],
  ])('%s names the command that makes the native binding', (...words) => {
    const { status, stderr } = inProject(['waystation', ...words], blocked)
    expect(stderr).toContain(`better-sqlite3 has no native binding for Node ${process.version}`)
    expect(stderr).toContain('run it with `npm rebuild better-sqlite3 --ignore-scripts=false`')
    expect(stderr).not.toMatch(/bindings file|^\s+at /m)
    expect(status).toBeGreaterThan(0)
  })

  it.each(['check', 'tail', 'doctor', 'status'])('%s needs no native binding', (name) => {
    const { stderr, stdout } = inProject(['waystation', name, '--url', 'http://127.0.0.1:9'], blocked)
    expect(stderr + stdout).not.toMatch(/native binding|^\s+at /m)
    expect(stderr + stdout).toMatch(/http:\/\/127\.0\.0\.1:9\b|does not answer/)
  })
})

describe('the entries of the package', () => {
  beforeAll(() => {
    lend(project, ['@sentry/node', '@playwright/test', 'playwright', 'playwright-core', 'vitest', '@types/node'])
    writeFileSync(join(project, 'use.ts'), TYPED_USE)
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: { module: 'nodenext', target: 'es2022', strict: true, noEmit: true, types: ['node'] },
        files: ['use.ts'],
      }),
    )
  })

  it('export a tunnel, stamps and configurations', () => {
    const program = `
      import { localTunnel, nodeTunnel } from 'waystation/tunnel'
      import { stampServer } from 'waystation/server'
      import { defineConfig } from 'waystation/config'
      import { visitorTransport } from 'waystation/browser'
      import { nodeDiagnostics } from 'waystation/diagnostics'
      console.log(typeof localTunnel().handle, typeof nodeTunnel(), typeof stampServer, typeof visitorTransport, typeof nodeDiagnostics, defineConfig({ errors: 'warn' }))`
    const { stdout, stderr } = inProject([process.execPath, '--input-type=module', '-e', program])
    expect(stdout, stderr).toBe("function function function function function { errors: 'warn' }\n")
  })

  it('are typed', () => {
    const { stdout } = inProject([process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.'])
    expect(
      stdout.split('\n').filter((line) => !/^(?:node_modules\/(?!waystation)|\.\.\/)/.test(line) && line !== ''),
    ).toEqual([])
  })

  it.each([
    ['telemetry.waitFor.transaction', 'Call it before the action, await it afterwards.'],
    ['expect(trace).toHaveSpan', 'The trace, or any trace of the recording, has a matching span.'],
    ['expect(trace).not.toHaveSpanTree', 'The spans form a path as in the pattern'],
    [
      'expect(failure).toHaveBreadcrumbs',
      'The breadcrumbs of the error, or of all errors of the recording, contain these in this order.',
    ],
    ['expect(telemetry).not.toHaveNoLoss', 'No telemetry with the stamp was lost'],
    ["expect.soft(telemetry, 'in words').toBackOff", 'A page with a rate limit sent nothing of that category'],
    ['more(trace).toHaveSpan', 'The trace, or any trace of the recording, has a matching span.'],
    ['served(recording).toKeepTheContract', 'No rule of the contract fails.'],
  ])('have documentation for editors: %s', async (piece, words) => {
    const editor = await openInEditor(join(project, 'use.ts'))
    expect(await editor.hover(piece).finally(editor.close)).toContain(words)
  })
})
