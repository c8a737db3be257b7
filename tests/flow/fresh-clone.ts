import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT, type Started, start, temporaryFolder } from './npm-start'

/** How the npm and the Next of a clone behave; both are played, because the real ones take minutes. */
export interface Played {
  /** `install` does; `hang` starts a compiler that never ends; anything else is written to the log, and fails. */
  readonly npm?: 'install' | 'hang' | (string & {})
  readonly next?: 'build' | 'hang' | (string & {})
}

export interface Clone {
  readonly root: string
  /** `npm start`, with npm played: a shell that started us and waits, as npm does. */
  readonly start: (played?: Played) => Started
  readonly write: (path: string, text: string) => void
  /** What the played programs did, one word each. */
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
  } else if (play !== 'install') { console.error(play); process.exitCode = 1 }
  else {
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

/** A fresh clone with this repository's set-up, whose supervisor only says that it was reached. */
export function freshClone(): Clone {
  const root = temporaryFolder()
  const done = join(root, 'played/done')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  cpSync(join(ROOT, 'collector/cli'), join(root, 'collector/cli'), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts'),
  })
  write('collector/cli/up.ts', "export const supervise = async () => (console.log('handed over'), 0)")
  write('package.json', '{ "type": "module" }')
  write('tsconfig.json', '{}')
  write('package-lock.json', '{ "packages": { "node_modules/zod": { "version": "1.0.0" } } }')
  write('app/page.tsx', '1')
  write(
    'played/npm-cli.js',
    `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);${NPM}`,
  )
  write('played/next.cjs', NEXT)
  write('played/done', '')
  // esbuild is the real one: it takes no time.
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(join(ROOT, 'node_modules/esbuild'), join(root, 'node_modules/esbuild'))
  return {
    root,
    write,
    start: ({ npm = 'install', next = 'build' } = {}) =>
      start('sh', ['-c', 'node collector/cli/start.js up; exit $?'], {
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
