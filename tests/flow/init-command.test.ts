import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sharedCollector } from './collector-process'
import { installInto, packOnce } from './packed'

const shared = sharedCollector()
let folder = ''
let home = ''
let app = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waystation-init-'))
  // Installed outside of the app, as npx does.
  home = join(folder, 'npx')
  mkdirSync(home)
  installInto(home, packOnce(folder))
  writeFileSync(join(home, 'package.json'), JSON.stringify({ _npx: { packages: ['../waystation.tgz'] } }))
  writeFileSync(join(folder, 'waystation.tgz'), '')
  writeIn(folder, 'bin/npm', NPM)
  chmodSync(join(folder, 'bin/npm'), 0o755)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(() => {
  app = mkdtempSync(join(folder, 'app-'))
})

/** A fake npm: it adds packages to package.json. `PLAYED_NPM` is the log of a failure; an override prevents it. */
const NPM = `#!/usr/bin/env node
const fs = require('node:fs')
const [, , ...words] = process.argv
fs.appendFileSync('npm.log', words.join(' ') + '\\n')
const manifest = JSON.parse(fs.readFileSync('package.json', 'utf8'))
if (words[0] === 'pkg') manifest.overrides = { '@sentry/cloudflare': '11.0.0' }
else if (process.env.PLAYED_NPM && !manifest.overrides) {
  console.error(process.env.PLAYED_NPM)
  process.exit(1)
} else for (const word of words.slice(1)) manifest.dependencies[word.replace(/@[^@]*$/, '')] = '^11.8.0'
fs.writeFileSync('package.json', JSON.stringify(manifest, null, 2) + '\\n')
`

function writeIn(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
const read = (path: string): string => readFileSync(join(app, path), 'utf8')

const init = (flags: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawnSync(process.execPath, [join(home, 'node_modules/waystation/collector/cli/waystation.js'), 'init', ...flags], {
    cwd: app,
    encoding: 'utf8',
    env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, NODE_ENV: 'test', ...env },
  })

/** A plain Express app. */
function writeExpress(): void {
  const manifest = { scripts: { start: 'node index.js' }, dependencies: { express: '5' } }
  writeIn(app, 'package.json', `${JSON.stringify(manifest, null, 2)}\n`)
  writeIn(app, 'index.js', "const express = require('express')\nconst app = express()\napp.listen(0)\n")
  writeIn(app, '.gitignore', 'node_modules\n')
}

describe('waystation init', () => {
  it('shows everything and writes nothing with --dry-run, and without an answer', () => {
    writeExpress()
    const { status, stdout } = init(['--dry-run', '--dsn', shared().dsn])
    expect(stdout).toContain(`found    Express; DSN ${shared().dsn}\ninstall  npm install @sentry/node@11\n`)
    expect(stdout).toMatch(/new {2}waystation-tunnel\.mjs\n {2}\+ [\d,]+ lines, a copy of \S+tunnel\.mjs\n/)
    expect(stdout).toContain(
      '-     "start": "node index.js"\n  +     "start": "node --import ./instrument.mjs index.js"\n',
    )
    expect(stdout.endsWith('Nothing was written.\n')).toBe(true)
    expect(status).toBe(0)
    expect(init([], { WAYSTATION_COLLECTOR_URL: shared().url })).toMatchObject({
      status: 2,
      stderr: 'nothing was written, because nobody can be asked here: pass --yes, or --dry-run\n',
    })
    expect(existsSync(join(app, 'instrument.mjs')) || existsSync(join(app, 'npm.log'))).toBe(false)
  })

  it('installs, writes, probes, and changes nothing a second time', () => {
    writeExpress()
    const { status, stdout, stderr } = init(['--yes'], { WAYSTATION_COLLECTOR_URL: shared().url })
    expect(stderr).toBe('')
    const { url, dsn } = shared()
    expect(stdout).toContain(`5 files written.
✓ ${url}/api/1/envelope/ accepts an envelope of the page.
Restart your app and open it. Its traces are at ${url}/traces
`)
    expect(status).toBe(0)
    expect(read('npm.log')).toBe('install @sentry/node@11\n')
    // The edit of the script and the new dependency.
    expect(JSON.parse(read('package.json'))).toEqual({
      scripts: { start: 'node --import ./instrument.mjs index.js' },
      dependencies: { express: '5', '@sentry/node': '^11.8.0' },
    })
    expect(read('instrument.mjs')).toContain(`dsn: process.env.WAYSTATION_DSN ?? '${dsn}'`)
    expect(read('.gitignore')).toBe('node_modules\n.lifeboat/\n')

    // The DSN is that of the files, not the default one.
    const again = init([])
    expect(again.stdout.match(/^(?:new|changed|install|to do).*/gm)).toBeNull()
    expect(again.stdout).toContain(`found    Express; DSN ${dsn}\n`)
    expect(again).toMatchObject({ status: 0, stderr: '' })
  })

  it('serves a tunnel in the app that it set up', async () => {
    writeExpress()
    init(['--yes', '--dsn', shared().dsn])
    const program = `
      import { createServer } from 'node:http'
      import { nodeTunnel } from './waystation-tunnel.mjs'
      const server = createServer(nodeTunnel({ dsn: '${shared().dsn}' })).listen(0, '127.0.0.1', async () => {
        const url = 'http://127.0.0.1:' + server.address().port + '/tunnel'
        const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ dsn: '${shared().dsn}' }) + '\\n' })
        console.log(answer.status)
        process.exit()
      })`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: app,
      encoding: 'utf8',
    })
    expect(stdout, stderr).toBe('200\n')
  })

  it('sets the override where the registry lacks a package, and says how to start a collector', () => {
    writeIn(app, 'package.json', JSON.stringify({ dependencies: { next: '16.4.3' } }))
    writeIn(app, 'app/page.js', '')
    const log = 'npm error code ETARGET\nnpm error notarget No matching version found for @sentry/cloudflare@11.8.0.'
    const { status, stdout } = init(['--yes', '--dsn', 'http://local@127.0.0.1:9/1'], { PLAYED_NPM: log })
    expect(read('npm.log')).toBe(
      'install @sentry/nextjs@11\npkg set overrides.@sentry/cloudflare=11.0.0\ninstall @sentry/nextjs@11\n',
    )
    expect(stdout).toContain(
      'if the registry lacks its @sentry/cloudflare: npm pkg set overrides.@sentry/cloudflare=11.0.0',
    )
    expect(stdout).toContain(
      '✗ No collector answers at http://127.0.0.1:9.\n  Start one from this folder: npx ../waystation.tgz start\n',
    )
    expect(read('instrumentation-client.js')).toContain("dsn: 'http://local@127.0.0.1:9/1'")
    expect(status).toBe(0)
  })

  it('writes no file when the installation fails, and says why', () => {
    writeExpress()
    const { status, stderr } = init(['--yes', '--dsn', shared().dsn], { PLAYED_NPM: 'npm error code E401' })
    expect(stderr).toMatch(
      /^npm install @sentry\/node@11 failed, and no file was written: the package registry answered 401; .* The whole log is (\S+)\.\n$/,
    )
    const logFile = /The whole log is (\S+)\.\n/.exec(stderr)?.[1] ?? ''
    expect(readFileSync(logFile, 'utf8')).toContain('E401')
    rmSync(dirname(logFile), { recursive: true })
    expect(existsSync(join(app, 'instrument.mjs'))).toBe(false)
    expect(status).toBe(1)
  })

  it('prints what is left, and exits with 1', () => {
    writeIn(app, 'requirements.txt', 'flask\n')
    const { status, stdout } = init(['--yes', '--dsn', shared().dsn])
    expect(stdout).toContain(`    sentry_sdk.init(dsn="${shared().dsn}", traces_sample_rate=1.0)\n`)
    expect(stdout.endsWith('1 step is left for you: see "to do" above.\n')).toBe(true)
    expect(status).toBe(1)
  })

  it('sets up app and agents in one go', () => {
    writeExpress()
    const { stdout } = init(['--app', '--agents', '--dry-run', '--dsn', shared().dsn])
    expect(stdout).toContain('new  instrument.mjs\n')
    expect(stdout).toContain('new  .mcp.json\n')
    expect(init(['--agents', '--dry-run']).stdout).not.toContain('instrument.mjs')
  })

  it.each([
    [[], /has no framework that init sets up: it looked for next, vite, express and hono in package\.json/],
    [['--agents'], / has no package\.json: run init in the folder of your project$/m],
    [['--dsn', 'nonsense'], /^--dsn: "nonsense" is not a URL; a DSN looks like /],
    [['next'], /^init takes flags only, got "next"$/m],
  ])('refuses %j in an empty folder', (flags, message) => {
    const { status, stderr } = init(flags)
    expect(stderr).toMatch(message)
    expect(status).toBe(2)
  })

  it('refuses a package.json that is no JSON', () => {
    writeIn(app, 'package.json', '{')
    expect(init([])).toMatchObject({ status: 2, stderr: expect.stringMatching(/package\.json is no JSON: /) })
  })
})
