import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isRunning } from '../../../collector/launch/processes.js'
import { runSuite } from '../../mutants/run-suite'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waystation-suite-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const TEST = { annotations: [], results: [{ errors: [] }] }
const REPORT = { verdict: 'incomplete', reasons: ['no pageload'], gaps: [], judged: [] }

/** Creates an app whose command `waystation` is this program, and a folder for runs. */
function appWith(program: string): { readonly app: string; readonly folder: string; readonly data: string } {
  const [app, runs] = [join(folder, 'app'), join(folder, 'runs')]
  mkdirSync(join(app, 'node_modules/.bin'), { recursive: true })
  mkdirSync(runs)
  const command = join(app, 'node_modules/.bin/waystation')
  writeFileSync(command, `#!${process.execPath}\n${program}`)
  chmodSync(command, 0o755)
  return { app, folder: runs, data: join(folder, 'data') }
}

const plan = {
  keeps: false,
  mutant: 'wrong-key',
  flags: ['--learn'],
  chromium: '/chromium',
  appPort: 1,
  thirdPartyPort: 2,
  deadPort: 3,
}

it('reads both reports, and removes what the command left behind', async () => {
  const app = appWith(`
    const { spawn } = require('node:child_process')
    const { mkdirSync, writeFileSync } = require('node:fs')
    const { MUTANT, PORT, THIRD_PARTY_PORT, DEAD_PORT, SUITE_REPORT } = process.env
    const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    console.log(left.pid, MUTANT, PORT, THIRD_PARTY_PORT, DEAD_PORT, process.argv.slice(4).join(' '))
    mkdirSync(process.env.WAYSTATION_DATA + '/runs/new', { recursive: true })
    writeFileSync(process.argv[4], ${JSON.stringify(JSON.stringify(REPORT))})
    writeFileSync(SUITE_REPORT, ${JSON.stringify(JSON.stringify({ suites: [{ specs: [{ tests: [TEST] }] }] }))})
    process.exit(3)`)
  mkdirSync(join(app.data, 'runs/old'), { recursive: true })
  const ended = await runSuite({ ...plan, ...app, stop: new AbortController().signal })
  expect(ended).toMatchObject({ exitCode: 3, failures: ['no pageload'], warnings: [] })
  const [pid, ...rest] = ended.output.trim().split(' ')
  expect(rest.join(' ')).toMatch(/^wrong-key 1 2 3 \S+report\.json --learn -- playwright test$/)
  await expect.poll(() => isRunning(Number(pid))).toBe(false)
  expect(readdirSync(app.folder)).toEqual([])
  expect(readdirSync(join(app.data, 'runs'))).toEqual(['old'])
})

it('ends at a request to stop', async () => {
  const started = join(folder, 'pid')
  const app = appWith(`
    require('node:fs').writeFileSync(${JSON.stringify(started)}, String(process.pid))
    setInterval(() => {}, 1000)`)
  const stop = new AbortController()
  const running = runSuite({ ...plan, ...app, stop: stop.signal })
  await expect.poll(() => readdirSync(folder)).toContain('pid')
  stop.abort()
  expect((await running).exitCode).toBeNull()
  expect(isRunning(Number(readFileSync(started, 'utf8')))).toBe(false)
})
