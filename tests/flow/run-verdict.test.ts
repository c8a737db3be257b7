import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { endCollectors, temporaryFolder } from './collector-process'
import { node, startCommand } from './run-process'

afterEach(endCollectors)

/** A project: a folder with a package.json. */
function project(config?: string): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'package.json'), '{}')
  if (config !== undefined) writeFileSync(join(folder, 'waystation.config.ts'), config)
  return folder
}

describe('the verdict of waystation run', () => {
  const program = (work: string) => `
    const Sentry = require(${JSON.stringify(createRequire(import.meta.url).resolve('@sentry/node'))})
    Sentry.init({ tracesSampleRate: 1, release: 'shop@1' })
    const main = async () => { ${work}; await Sentry.flush(5000) }
    main()`
  const run = (args: readonly string[], work: string, cwd = project(), env = {}) =>
    startCommand(
      ['run', ...args, ...node(program(work))],
      { WAYSTATION_DATA: temporaryFolder(), ...env },
      undefined,
      cwd,
    ).ended
  const GOOD = `Sentry.startSpan({ name: 'work', op: 'task' }, () => undefined)`
  const BAD = `Sentry.captureException(new Error('unforeseen'))`

  it('is the exit code for a program that succeeds', async () => {
    const good = await run([], GOOD)
    expect(good).toMatchObject({ code: 0, out: '' })
    expect(good.err).toMatch(/Recording .*\n.* show .*\n.*again\n\n {2}✓ Telemetry check passed: \d+ of \d+ checks/)
    const bad = await run([], BAD)
    expect(bad).toMatchObject({
      code: 1,
      err: expect.stringContaining('✗ No unexpected errors (errors)\n    Error: unforeseen\n'),
    })
    expect((await run(['--no-check'], BAD)).code).toBe(0)
    expect(await run(['--quiet'], GOOD)).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^\n✓ Telemetry check passed: .*\n$/),
    })
  })

  it('does not change the exit code of a program that fails', async () => {
    const ended = await run([], `${BAD}; process.exitCode = 7`)
    expect(ended).toMatchObject({ code: 7, err: expect.stringContaining('✗ Telemetry check failed') })
    expect(ended.err).toMatch(
      /Program {4}ended with code 7\n[\s\S]*\n✗ The program ended with code 7\. Telemetry check failed: Error: unforeseen: .*\n$/,
    )
  })

  it('mentions a killed program in every report, and writes no baseline', async () => {
    const cwd = project()
    const args = ['--junit', 'out.xml', '--write-baseline', 'known.json']
    const summary = join(cwd, 'summary.md')
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary }
    const work = `${GOOD}; await Sentry.flush(5000); process.kill(process.pid, 'SIGKILL')`
    const ended = await run(args, work, cwd, env)
    const end = 'The program was ended by signal SIGKILL'
    expect(ended).toMatchObject({ code: 137, err: expect.stringContaining(`${end}, so known.json is not written.\n`) })
    expect(ended.err).toContain('✓ Telemetry check passed')
    expect(existsSync(join(cwd, 'known.json'))).toBe(false)
    expect(readFileSync(summary, 'utf8')).toMatch(/^## The program was ended by signal SIGKILL\n\nIts telemetry: /)
    expect(readFileSync(join(cwd, 'out.xml'), 'utf8')).toContain(`<failure type="program" message="${end}">`)
  })

  it('does not pass when the SDK discarded an error, unless the configuration allows it', async () => {
    const cwd = project()
    const hooked = `Sentry.getClient().getOptions().beforeSend = () => null; ${GOOD}; ${BAD}`
    const ended = await run([], hooked, cwd)
    expect(ended).toMatchObject({
      code: 3,
      err: expect.stringContaining('1 error was discarded by the SDK (before_send)'),
    })
    const accepting = project(`export default { losses: { allow: ['before_send'] } }`)
    expect((await run([], hooked, accepting)).code).toBe(0)
  })

  it('judges the expectations of the configuration, and names likely causes', async () => {
    const good = project(`export default {
      expect: { environment: 'production', release: '/^shop@\\\\d+$/', services: ['server'], transactions: ['task work'] },
      sampling: { server: 1 },
    }`)
    expect(await run([], GOOD, good)).toMatchObject({ code: 0, err: expect.stringContaining('check passed') })
    const wrong = project(`export default {
      expect: { environment: ['prodution'], release: 'store@*', services: ['browser'], transactions: ['wrok'], pageloads: { min: 1 } },
      sampling: { server: 0.5 },
    }`)
    const { code, err } = await run([], GOOD, wrong)
    expect(code).toBe(1)
    const findings = [
      'production in 1 item: is it misspelt? did you mean prodution?',
      'shop@1 in 1 item',
      'nothing arrived: is the browser SDK enabled, Sentry.init called in the page',
      'none of 1 transaction; did you mean work?',
      '0 arrived: is browserTracingIntegration enabled, and tracesSampleRate above 0?',
      'sampled with rate 1',
    ]
    expect(findings.filter((finding) => !err.replaceAll(/\s+/g, ' ').includes(finding))).toEqual([])
  })

  it('is incomplete when a browser ran of which nothing arrived, unless the configuration says that it sends nothing', async () => {
    // It runs until the command ends it.
    const browser = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { argv0: '/opt/chrome-headless-shell', stdio: 'ignore' }).unref()`
    const ended = await run([], `${browser}; ${GOOD}`)
    expect(ended.code, ended.err).toBe(3)
    expect(ended.err.replaceAll(/\s+/g, ' ')).toContain(
      'a browser ran (chrome-headless-shell), its pages were not observed',
    )
    const without = project(`export default { expect: { pages: 'none' } }`)
    expect((await run([], `${browser}; ${GOOD}`, without)).code).toBe(0)
  })

  it('proves by client reports that a sample rate is too low', async () => {
    const work = `for (let at = 0; at < 40; at += 1) Sentry.startSpan({ name: 'work', op: 'task' }, () => undefined)`
    const config = project('export default { sampling: { server: 1 }, losses: { allow: ["sample_rate"] } }')
    const rarely = `Sentry.getClient().getOptions().tracesSampleRate = 0.01; ${work}`
    const { code, err } = await run([], rarely, config)
    expect(code).toBe(1)
    expect(err.replaceAll(/\s+/g, ' ')).toMatch(/sampled out by client reports: is tracesSampleRate below 1\?/)
  })

  it('reads the configuration before the program runs', async () => {
    const cwd = project('export default { errors: 7 }')
    const ended = await run([], `console.log('was run')`, cwd)
    expect(ended).toMatchObject({ code: 2, out: '' })
    expect((await run(['--rules', 'no-such'], GOOD)).code).toBe(2)
    const lenient = project(`export default { errors: 'warn', rules: { 'unhandled-errors': 'off' } }`)
    expect((await run([], BAD, lenient)).code).toBe(0)
  })

  it('checks before the program runs that reports can be written, and removes old ones', async () => {
    const cwd = project()
    const refused = await run(['--junit', 'no/such/folder.xml'], `console.log('was run')`, cwd)
    expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--junit no/such/folder.xml') })
    writeFileSync(join(cwd, 'junit.xml'), 'of another run')
    const args = ['run', '--junit', 'junit.xml', '--', 'no-such-program']
    const ended = startCommand(args, { WAYSTATION_DATA: temporaryFolder() }, undefined, cwd).ended
    expect((await ended).code).toBe(127)
    expect(existsSync(join(cwd, 'junit.xml'))).toBe(false)
  })

  it('writes its reports to the current folder, even when nothing arrived', async () => {
    const cwd = project()
    const ended = await startCommand(
      ['run', '--junit', 'out.xml', ...node('process.exit(0)')],
      { WAYSTATION_DATA: temporaryFolder(), GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') },
      undefined,
      cwd,
    ).ended
    expect(ended.code).toBe(3)
    expect(readFileSync(join(cwd, 'summary.md'), 'utf8')).toContain('- Does the program start an SDK?')
    expect(readFileSync(join(cwd, 'out.xml'), 'utf8')).toContain('errors="1"')
  })
})
