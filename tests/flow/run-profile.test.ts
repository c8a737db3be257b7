import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { endCollectors, temporaryFolder } from './collector-process'
import { node, recordingsIn, startCommand } from './run-process'

afterEach(endCollectors)

/** A project with its own recordings. */
function project() {
  const folder = temporaryFolder()
  const data = temporaryFolder()
  writeFileSync(join(folder, 'package.json'), '{}')
  writeFileSync(join(folder, 'waystation.config.mjs'), 'export default { errors: "ignore" }')
  const file = join(folder, 'waystation.profile.json')
  /** The program is the same command each time; the environment says what its SDK does. */
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}, suffix = '') =>
    startCommand(['run', ...args, ...node(`${PROGRAM}${suffix}`)], { WAYSTATION_DATA: data, ...env }, undefined, folder)
      .ended
  return { folder, data, file, run, profile: (): string => readFileSync(file, 'utf8') }
}

const SDK = JSON.stringify(createRequire(import.meta.url).resolve('@sentry/node'))
const PROGRAM = `
  const Sentry = require(${SDK})
  const { RATE = '1', ENVIRONMENT = 'test', ERRORS = '1' } = process.env
  Sentry.init({ tracesSampleRate: Number(RATE), environment: ENVIRONMENT, release: 'shop@1.0.' + (process.pid % 10) })
  Sentry.startSpan({ name: 'GET /orders/' + process.pid, op: 'http.server' }, () => undefined)
  if (ERRORS === '1') Sentry.captureException(new Error('declined ' + process.pid))
  Sentry.flush(5000)`

describe('waystation run with a profile', () => {
  it('learns green runs, passes an unchanged program, and fails for what disappeared', async () => {
    const { run, profile } = project()
    for (const learned of ['a green run', '2 green runs', '3 green runs']) {
      const { code, err } = await run(['--learn'])
      expect(err).toContain(`waystation.profile.json has learned ${learned}.`)
      expect(code).toBe(0)
    }
    expect(profile()).toContain('"http.server GET /orders/*": "1-2"')
    const same = await run([])
    expect(same.code, same.err).toBe(0)
    const changed = await run([], { ERRORS: '0', ENVIRONMENT: 'production' })
    expect(changed.code).toBe(1)
    const text = changed.err.replaceAll(/\s+/g, ' ')
    expect(text).toContain('Nothing disappeared that waystation.profile.json contains (profile)')
    expect(text).toContain('server: environment test expected at least one, as in 3 green runs')
    expect(text).toContain('SDK 11 fills in production when none is set')
    expect(text).toContain('server: errors expected at least one')
  })

  it('only warns when another command runs, and names the command of the profile', async () => {
    const { run, profile } = project()
    await run(['--learn'])
    const before = profile()
    const { code, err } = await run([], { ERRORS: '0' }, '; 1')
    expect(err.replaceAll(/\s+/g, ' ')).toContain(
      '! server: errors: nothing arrived any more: does beforeSend discard them, or did no test cause one? (profile)',
    )
    expect(code, err).toBe(0)
    const other = await run(['--learn'], {}, '; 1')
    expect(other).toMatchObject({ code: 2, err: expect.stringContaining('waystation.profile.json is the profile of ') })
    expect(profile()).toBe(before)
  })

  it('learns no run that fails, and refuses --learn with --no-check', async () => {
    const { run, file } = project()
    const failed = await run(
      ['--learn', '--rules', 'missing-release', '--severity', 'error'],
      {},
      '; process.exitCode = 3',
    )
    expect(failed).toMatchObject({
      code: 3,
      err: expect.stringContaining('waystation.profile.json is not written, because the run is not green.'),
    })
    expect(existsSync(file)).toBe(false)
    expect(await run(['--learn', '--no-check'])).toMatchObject({
      code: 2,
      err: '--no-check judges nothing; remove --learn\n',
    })
  })

  it.each([
    ['{"version":', 'it is not valid JSON'],
    ['{"version":9}', 'it has version 9; this Waystation reads version 1: update Waystation'],
  ])('refuses the file %s before the program runs', async (text, message) => {
    const { run, file, data } = project()
    writeFileSync(file, text)
    const { code, err } = await run([])
    expect(err).toContain(`waystation.profile.json: ${message}`)
    expect([code, recordingsIn(data)]).toEqual([2, []])
  })

  it('ends with 3, and no failure, when nothing arrives', async () => {
    const empty = project()
    writeFileSync(
      empty.file,
      JSON.stringify({ version: 1, command: 'x', runs: 1, seen: { all: { items: { error: '1-2' } } } }),
    )
    expect((await empty.run([], { RATE: '0', ERRORS: '0' })).code).toBe(3)
  })
})

describe('waystation run without a profile', () => {
  it('warns about what the last green run of the same command had, and keeps that beside its recording', async () => {
    const { run, data, file } = project()
    const first = await run([])
    expect(first.err).not.toContain('last-green-run')
    const [recording = ''] = recordingsIn(data)
    expect(readFileSync(join(recording, 'green-run.json'), 'utf8')).toContain('"http.server GET /orders/*": "1-2"')
    const { code, err } = await run([], { ERRORS: '0' })
    expect(code, err).toBe(0)
    const text = err.replaceAll(/\s+/g, ' ')
    expect(text).toContain('! server: errors: nothing arrived any more: does beforeSend discard them')
    expect(text).toContain('(last-green-run)')
    // Otherwise the run without errors would be the norm of the next one.
    const again = await run([], { ERRORS: '0' })
    expect(again.err).toContain(
      'Later runs are compared with an earlier green run, because this one differs from it (last-green-run: 1 finding); --learn accepts this run.\n',
    )
    expect(again.err).toContain('(last-green-run)')
    const back = await run([])
    expect(back.err).not.toContain('Later runs are compared')
    expect((await run([], { ERRORS: '0' }, '; 1')).err).not.toContain('last-green-run')
    await run(['--learn'], { ERRORS: '0' })
    rmSync(file)
    expect((await run([], { ERRORS: '0' })).err).not.toContain('last-green-run')
  })
})
