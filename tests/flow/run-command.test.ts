import { execFile, execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { collectorClient } from '../../lib/wire/collector-client'
import { endCollectors, startCollector, temporaryFolder } from './collector-process'
import { node, recordingsIn, run, TERMINAL } from './run-process'

const standIns = new Set<StandIn>()
afterEach(async () => {
  endCollectors()
  for (const one of standIns) await one.close()
  standIns.clear()
})

/** A program with the real Node SDK, which reads its DSN from the environment. */
const withSdk = (work: string) => `
  const Sentry = require(${JSON.stringify(createRequire(import.meta.url).resolve('@sentry/node'))})
  Sentry.init({ tracesSampleRate: 1 })
  const main = async () => { ${work} }
  main()`
const OWN = { NODE_ENV: 'production', PATH: process.env.PATH } as const

const PYTHON = '/usr/bin/python3'
function canRun(args: readonly string[]): boolean {
  try {
    execFileSync(PYTHON, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('waystation run', () => {
  it('records what the program sends, keeps its streams and exit code, and prints what arrived', async () => {
    const data = temporaryFolder()
    const program = withSdk(`
      Sentry.startSpan({ name: 'work', op: 'task' }, () => undefined)
      Sentry.captureException(new Error('from the program'))
      await Sentry.flush(5000)
      process.stdin.once('data', (typed) => {
        process.stdout.write('out ' + typed + process.env.VITE_SENTRY_DSN)
        process.stderr.write('err\\u001b[31m')
        process.exit(3)
      })`)
    const running = run(node(program), { WAYSTATION_DATA: data })
    running.child.stdin?.end('typed')
    const { code, out, err } = await running.ended
    expect(code).toBe(3)
    expect(out).toMatch(/^out typedhttp:\/\/local@127\.0\.0\.1:\d+\/1$/)
    expect(err).toContain('err\u001b[31m\n  Waystation recorded 2 envelopes\n')
    expect(err).toContain('\n  Arrived    1 error, 1 span\n')
    expect(err).toContain('\n  Account    error: made 1, kept 1, lost 0\n             span: made 1, kept 1, lost 0\n')
    expect(err).toContain('\n  Relay      off: local only, nothing leaves this machine\n')
    const [folder = ''] = recordingsIn(data)
    expect(err).toMatch(/Waystation listens at http:\/\/127\.0\.0\.1:\d+ and records in (\S+)\n/)
    expect(err).toContain(` and records in ${folder}\n`)
    expect(err).toMatch(new RegExp(`\\n  Recording  ${folder}\\n             node \\S*waystation.js show ${folder}\\n`))
    const again = await startCollector({}, folder)
    const { events } = await collectorClient(again.url, fetch).events()
    expect(events.map(({ title }) => title)).toEqual(['Error: from the program'])
  })

  it.skipIf(!canRun(['-c', 'import sentry_sdk']))(
    'records a Python program (skipped without the package python3-sentry-sdk)',
    async () => {
      const program = `import sentry_sdk\nsentry_sdk.init()\nsentry_sdk.capture_message('from python')\nsentry_sdk.flush(5)`
      const { code, err } = await run(['--', PYTHON, '-c', program]).ended
      expect(code).toBe(0)
      expect(err).toContain('Waystation recorded 1 envelope\n')
    },
  )

  it('does not use a proxy of the environment, and names it when nothing arrives', async () => {
    const proxy = { HTTP_PROXY: 'http://127.0.0.1:9', http_proxy: 'http://127.0.0.1:9' }
    const sent = await run(node(withSdk(`Sentry.captureMessage('past it'); await Sentry.flush(5000)`)), proxy).ended
    expect(sent.err).toContain('Waystation recorded 1 envelope\n')
    const { err } = await run(node('process.exit(0)'), proxy).ended
    expect(err).toContain('Does it use a proxy? HTTP_PROXY, http_proxy are set.')
  })

  it('prints what the SDK dropped, and why', async () => {
    const program = withSdk(`
      Sentry.addEventProcessor((event) => event.message === 'dropped' ? null : event)
      for (const message of ['kept', 'dropped', 'dropped']) Sentry.captureMessage(message)
      await Sentry.flush(5000)`)
    const { err } = await run(node(program)).ended
    expect(err).toMatch(
      /Arrived .*1 error.*\n {2}Account {4}error: made \d, kept \d, lost 0, not sent by choice 2 \(2 event_processor\)\n/,
    )
  })

  it('relays with --relay, and prints what upstream accepted and what is pending', async () => {
    const upstream = await startStandIn()
    standIns.add(upstream)
    const env = { WAYSTATION_UPSTREAM: formatDsn(upstream.dsn) }
    const program = withSdk(`Sentry.captureMessage('hello'); await Sentry.flush(5000)`)
    expect((await run(node(program), env).ended).err).toContain('nothing leaves this machine')
    expect(upstream.received()).toEqual([])
    const { err } = await run(['--relay', ...node(program)], env).ended
    expect(err).toContain(`Relay      to ${upstream.dsn.host}/1: nothing is pending\n`)
    expect(err).toContain('made 1, accepted 1')
    expect(upstream.received()).toHaveLength(1)
    const away = { WAYSTATION_UPSTREAM: 'http://k@127.0.0.1:9/1' }
    const late = await run(['--relay', '--settle', '0.5', ...node(program)], away).ended
    expect(late.err).toMatch(/Relay {6}to 127\.0\.0\.1:9\/1: 1 envelope still pending, because .*ECONNREFUSED/)
  })

  it('relays to its own stand-in without --relay', async () => {
    const program = withSdk(`Sentry.captureMessage('hello'); await Sentry.flush(5000)`)
    const { err } = await run(node(program), { WAYSTATION_UPSTREAM: 'stand-in' }).ended
    expect(err).toMatch(/Relay {6}to .*: nothing is pending\n/)
    expect(err).toContain('made 1, accepted 1')
  })

  it('prints what to check when nothing arrived, and does not pass', async () => {
    const { code, err } = await run(node('process.exit(0)')).ended
    expect(code).toBe(3)
    expect(err).toContain('\n  ? Nothing arrived that could be judged, so the run does not pass')
    expect(err).toContain('Waystation recorded nothing\n')
    expect(err).toMatch(/Check {6}Does the program start an SDK\?/)
    expect(err).toMatch(/SENTRY_DSN was\s+http:\/\/local@127\.0\.0\.1:\d+\/1,/)
  })

  it('escapes control characters of telemetry', async () => {
    const type = 'evil\\u001b]0;owned\\u0007'
    const program = `
      const dsn = process.env.SENTRY_DSN
      const body = JSON.stringify({ dsn }) + '\\n' + JSON.stringify({ type: '${type}' }) + '\\n{}\\n'
      fetch(new URL('/api/1/envelope/', dsn.replace('local@', '')), { method: 'POST', body, headers: { 'x-sentry-auth': 'Sentry sentry_key=local' } })`
    const { err } = await run(node(program)).ended
    expect(err).toContain('1 evil\\u001b]0;owned\\u0007\n')
    expect(err).not.toContain('\u001b')
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('forwards %s to the program, which may handle it', async (signal) => {
    const running = run(
      node(
        `process.once('${signal}', () => { console.log('got it'); process.exit(7) }); setInterval(() => {}, 1000); console.log('up')`,
      ),
    )
    await running.printed('up')
    running.child.kill(signal)
    const { code, out, err } = await running.ended
    expect([code, out]).toEqual([7, 'up\ngot it\n'])
    expect(err).toContain('Waystation recorded')
  })

  it.skipIf(!canRun(['-c', 'import pty']))(
    'does not forward a Ctrl-C that the terminal sends to the program, too (skipped without Python)',
    async () => {
      const counting = `let count = 0; process.on('SIGINT', () => { count += 1; setTimeout(() => process.exit(40 + count), 200) }); setInterval(() => {}, 1000); console.log('up')`
      const { child, ended } = run(['--', PYTHON, '--version'])
      await ended
      const [command = '', ...args] = child.spawnargs
      const program = [...args.slice(0, -2), process.execPath, '-e', counting]
      const env = { ...OWN, WAYSTATION_DATA: temporaryFolder() }
      await expect(promisify(execFile)(PYTHON, ['-c', TERMINAL, command, ...program], { env })).rejects.toMatchObject({
        code: 41,
      })
    },
  )
})

describe('the command waystation', () => {
  const COMMAND = fileURLToPath(new URL('../../collector/cli/waystation.js', import.meta.url))
  const typed = (...args: string[]) =>
    promisify(execFile)(COMMAND, args, { env: { ...OWN, WAYSTATION_DATA: temporaryFolder() } })

  it('prints help for itself and for each command', async () => {
    expect((await typed('--help')).stdout).toContain('\n  run     Runs a program')
    expect((await typed('run', '--help')).stdout).toContain('--settle SECONDS')
    expect((await typed('help', 'doctor')).stdout).toContain('--dsn DSN')
    for (const name of ['check', 'wait', 'tail'])
      expect((await typed(name, '-h')).stdout.startsWith(`waystation ${name} `)).toBe(true)
  })

  it('bundles the collector, and writes nothing to standard output', async () => {
    expect(
      await typed('run', '--no-check', '--', process.execPath, '-e', 'process.stdout.write("mine")'),
    ).toMatchObject({
      stdout: 'mine',
      stderr: expect.stringContaining('Waystation recorded nothing'),
    })
  })
})
