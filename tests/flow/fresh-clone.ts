import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT, type Started, start, temporaryFolder } from './npm-start'

/** How the fake npm and the fake Next of a clone behave; the real ones take minutes. */
interface Played {
  /** `install` installs; `wait` installs after `letGo`; `hang` starts a compiler that never ends; any other text is an error message. */
  readonly npm?: 'install' | 'wait' | 'hang' | (string & {})
  readonly next?: 'build' | 'hang' | (string & {})
}

export interface Clone {
  readonly root: string
  /** `npm start`, with a shell in place of npm: it starts us and waits, as npm does. */
  readonly start: (played?: Played) => Started
  readonly write: (path: string, text: string) => void
  /** Lets a waiting npm continue. */
  readonly letGo: () => void
  /** The actions of the fake programs, one word each. */
  readonly done: () => readonly string[]
  readonly builds: () => readonly string[]
}

const HANG = `
  require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  console.log('hanging')
  require('node:fs').appendFileSync(process.env.PLAYED_DONE, 'hang ')
  setInterval(() => {}, 1000)`

const NPM = `
  const fs = require('node:fs')
  const play = process.env.PLAYED_NPM
  if (play === 'hang') {${HANG}
  } else if (play === 'wait') {
    const timer = setInterval(() => {
      if (!fs.existsSync('played/let-go')) return
      clearInterval(timer)
      install()
    }, 20)
  } else if (play !== 'install') { console.error(play); process.exitCode = 1 }
  else install()
  function install() {
    fs.appendFileSync(process.env.PLAYED_DONE, 'install ')
    fs.mkdirSync('node_modules/better-sqlite3', { recursive: true })
    fs.writeFileSync('node_modules/better-sqlite3/index.js', 'module.exports = class {}')
    fs.cpSync('played/next.cjs', 'node_modules/next/dist/bin/next', { recursive: true })
    fs.copyFileSync('package-lock.json', 'node_modules/.package-lock.json')
  }`

const NEXT = `
  const fs = require('node:fs')
  const play = process.env.PLAYED_NEXT
  if (play === 'hang') {${HANG}
  } else if (play !== 'build') { console.error(play); process.exitCode = 1 }
  else {
    fs.appendFileSync(process.env.PLAYED_DONE, 'build ')
    fs.mkdirSync(process.env.WAYSTATION_DIST, { recursive: true })
    fs.writeFileSync(process.env.WAYSTATION_DIST + '/BUILD_ID', '1')
  }`

const LISTENING_NEXT = `
  const port = Number(process.argv[process.argv.indexOf('-p') + 1])
  require('node:http').createServer((_, response) => response.end()).listen(port, '127.0.0.1')`

/** A fake collector. It prints a word from another file, which tests change, and loads it late, as the real one does parts of itself. */
const COLLECTOR = `
  const { word } = await import('./word')
  console.log(word)
  require('node:http').createServer().listen(Number(process.env.WAYSTATION_PORT), '127.0.0.1')
  const ready = { type: 'ready', url: 'http://127.0.0.1:' + process.env.WAYSTATION_PORT, dataFolder: '/', localDsn: '', upstreams: [], otlp: { url: '', taken: null, upstream: null, staysLocal: false }, stranded: [] }
  process.send?.(ready)
  process.on('message', () => process.exit(0))`

/** A clone for `npm run dev`: the supervisor is real, app and collector are fake. */
export function developmentClone(): {
  readonly start: () => Started
  readonly write: (path: string, text: string) => void
} {
  const root = temporaryFolder()
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const path of ['collector/cli', 'collector/launch', 'collector/config.ts', 'lib'])
    cpSync(join(ROOT, path), join(root, path), { recursive: true })
  // They import the real collector.
  for (const name of [
    'run/run',
    'salvage',
    'show',
    'runs',
    'diff',
    'merge',
    'report',
    'export/export',
    'ask/ask',
    'ask/mcp',
  ])
    rmSync(join(root, `collector/cli/${name}.ts`))
  write('collector/main.ts', COLLECTOR)
  write('dashboards/site/boards.tsx', 'export const boards = null')
  write('dashboards/traces/analysis-thread.ts', '')
  write('collector/word.ts', "export const word = 'one'")
  write('package.json', '{ "type": "module", "version": "0.0.0" }')
  write('package-lock.json', '{}')
  write('node_modules/.package-lock.json', '{}')
  write('node_modules/better-sqlite3/index.js', 'module.exports = class {}')
  write('node_modules/next/package.json', '{}')
  write('node_modules/next/dist/bin/next', LISTENING_NEXT)
  for (const name of ['esbuild', 'zod', 'protobufjs', 'long'])
    symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name))
  return {
    write,
    start: () =>
      start(process.execPath, ['collector/launch/start.js', 'dev'], {
        cwd: root,
        env: { PORT: '0', WAYSTATION_PORT: '0', WAYSTATION_OTLP_PORT: 'off', WAYSTATION_DATA: join(root, 'data') },
      }),
  }
}

/** Fake runners of `npm test`: each records that it ran, and reports what `PLAYED_TESTS` contains under its name. */
const RUNNER = (name: string) => `
  const fs = require('node:fs')
  const args = process.argv.slice(2)
  const name = ${JSON.stringify(name)} || args[args.indexOf('--project') + 1]
  fs.appendFileSync(process.env.PLAYED_DONE, name + ' ')
  const { code, report } = JSON.parse(process.env.PLAYED_TESTS)[name] ?? {}
  const file = process.env.WAYSTATION_E2E_REPORT ?? args.find((arg) => arg.startsWith('--outputFile.json='))?.slice(18)
  if (report) fs.writeFileSync(file, JSON.stringify(report))
  process.exitCode = code ?? 0`

export interface TestClone extends Pick<Clone, 'done'> {
  /** `npm test`; `tests` contains the report and exit code of each runner. */
  readonly test: (tests: Readonly<Record<string, { readonly code?: number; readonly report?: object }>>) => Started
}

/** A clone for `npm test` with installed packages and fake runners. */
export function testClone(): TestClone {
  const { root, write, done } = freshClone()
  write('node_modules/.package-lock.json', '{ "packages": { "node_modules/zod": { "version": "1.0.0" } } }')
  write('node_modules/better-sqlite3/index.js', 'module.exports = class {}')
  write('node_modules/next/dist/bin/next', NEXT)
  write('node_modules/@biomejs/biome/bin/biome', RUNNER('lint'))
  write('node_modules/typescript/bin/tsc', RUNNER('types'))
  write('node_modules/@playwright/test/cli.js', RUNNER('e2e'))
  write(
    'node_modules/@playwright/test/index.js',
    'exports.chromium = { executablePath: () => process.env.PLAYED_BROWSER }',
  )
  write(
    'node_modules/vitest/vitest.mjs',
    `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);${RUNNER('')}`,
  )
  return {
    done,
    test: (tests) =>
      start(process.execPath, ['collector/launch/start.js', 'test'], {
        cwd: root,
        env: {
          PLAYED_TESTS: JSON.stringify(tests),
          PLAYED_NEXT: 'build',
          PLAYED_DONE: join(root, 'played/done'),
          PLAYED_BROWSER: process.execPath,
        },
      }),
  }
}

/** A fresh clone with the real set-up and a supervisor that only prints a line. */
export function freshClone(): Clone {
  const root = temporaryFolder()
  const done = join(root, 'played/done')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  for (const path of ['collector/cli', 'collector/launch'])
    cpSync(join(ROOT, path), join(root, path), { recursive: true, filter: (name) => !name.endsWith('.ts') })
  write('collector/launch/run-build.ts', "export const supervise = async () => (console.log('started'), 0)")
  write('package.json', '{ "type": "module" }')
  write('tsconfig.json', '{}')
  write('package-lock.json', '{ "packages": { "node_modules/zod": { "version": "1.0.0" } } }')
  write('app/page.tsx', '1')
  write('lib/tunnel/local-tunnel.ts', '')
  write('dashboards/site/boards.tsx', '')
  write('dashboards/traces/analysis-thread.ts', '')
  write(
    'played/npm-cli.js',
    `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);${NPM}`,
  )
  write('played/next.cjs', NEXT)
  write('played/done', '')
  // esbuild is real, because it is fast.
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(join(ROOT, 'node_modules/esbuild'), join(root, 'node_modules/esbuild'))
  return {
    root,
    write,
    letGo: () => write('played/let-go', ''),
    start: ({ npm = 'install', next = 'build' } = {}) =>
      start('sh', ['-c', 'node collector/launch/start.js up; exit $?'], {
        cwd: root,
        env: {
          npm_lifecycle_event: 'start',
          npm_execpath: join(root, 'played/npm-cli.js'),
          PLAYED_NPM: npm,
          PLAYED_NEXT: next,
          PLAYED_DONE: done,
        },
      }),
    done: () => readFileSync(done, 'utf8').trim().split(' '),
    builds: () => readdirSync(join(root, '.build')).filter((name) => /^[0-9a-f]{16}$/.test(name)),
  }
}
