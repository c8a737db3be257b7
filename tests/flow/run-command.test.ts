import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { collectorClient } from '../../lib/wire/collector-client'
import { endCollectors, startCollector, temporaryFolder } from './collector-process'
import { startCommand } from './run-process'

const standIns = new Set<StandIn>()
afterEach(async () => {
  endCollectors()
  for (const one of standIns) await one.close()
  standIns.clear()
})

/** A program with the real Node SDK, whose DSN is what its environment says. */
const withSdk = (work: string) => `
  const Sentry = require(${JSON.stringify(createRequire(import.meta.url).resolve('@sentry/node'))})
  Sentry.init({ tracesSampleRate: 1 })
  const main = async () => { ${work} }
  main()`
const node = (program: string): readonly string[] => ['--', process.execPath, '-e', program]
const run = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  startCommand(['run', ...words], { WAYSTATION_DATA: temporaryFolder(), ...env })

/** A collector that answers whoever asks as it is told to. */
const standingIn = (does: string): string => `
  const server = require('node:http').createServer((_, answer) => { ${does} })
  server.listen(0, '127.0.0.1', () => {
    const url = 'http://127.0.0.1:' + server.address().port
    const told = { dataFolder: '', localDsn: url.replace('//', '//local@') + '/1', upstreams: [], script: null }
    process.send({ type: 'ready', url, ...told })
  })
  process.on('message', () => process.exit(0))`

const recordingsIn = (data: string): readonly string[] =>
  existsSync(join(data, 'runs')) ? readdirSync(join(data, 'runs')).map((name) => join(data, 'runs', name)) : []

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
  it('records what the program sends, leaves it its streams and its exit code, and says what arrived', async () => {
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
    expect(err.startsWith('err\u001b[31m\n  Waystation recorded 2 envelopes\n')).toBe(true)
    expect(err).toContain('\n  Arrived    1 error, 1 span\n')
    expect(err).toContain('\n  In sum     made 2, kept 2, lost 0\n')
    expect(err).toContain('\n  Relay      off: local only, what came here stays on this machine\n')
    const [folder = ''] = recordingsIn(data)
    expect(err).toContain(`\n  Recording  ${folder}\n             WAYSTATION_DATA=${folder} npm --prefix `)
    const again = await startCollector({}, folder)
    const { events } = await collectorClient(again.url, fetch).events()
    expect(events.map(({ title }) => title)).toEqual(['Error: from the program'])
  })

  it.skipIf(!canRun(['-c', 'import sentry_sdk']))(
    'puts a program in Python on the path (skipped where Debian’s python3-sentry-sdk is not installed)',
    async () => {
      const program = `import sentry_sdk\nsentry_sdk.init()\nsentry_sdk.capture_message('from python')\nsentry_sdk.flush(5)`
      const { code, err } = await run(['--', PYTHON, '-c', program]).ended
      expect(code).toBe(0)
      expect(err).toContain('Waystation recorded 1 envelope\n')
    },
  )

  it('says what the SDK dropped, and why', async () => {
    const program = withSdk(`
      Sentry.addEventProcessor((event) => event.message === 'dropped' ? null : event)
      for (const message of ['kept', 'dropped', 'dropped']) Sentry.captureMessage(message)
      await Sentry.flush(5000)`)
    const { err } = await run(node(program)).ended
    expect(err).toMatch(/Arrived .*1 error.*\n {2}In sum {5}made \d, kept \d, lost 2: 2 event_processor of error\n/)
  })

  it('relays where it is asked to, and says what upstream took and what waits', async () => {
    const upstream = await startStandIn()
    standIns.add(upstream)
    const env = { WAYSTATION_UPSTREAM: formatDsn(upstream.dsn) }
    const program = withSdk(`Sentry.captureMessage('hello'); await Sentry.flush(5000)`)
    expect((await run(node(program), env).ended).err).toContain('stays on this machine')
    expect(upstream.received()).toEqual([])
    const { err } = await run(['--relay', ...node(program)], env).ended
    expect(err).toContain(`Relay      to ${upstream.dsn.host}/1: nothing waits\n`)
    expect(err).toContain('made 1, accepted 1')
    expect(upstream.received()).toHaveLength(1)
    const away = { WAYSTATION_UPSTREAM: 'http://k@127.0.0.1:9/1' }
    const late = await run(['--relay', '--settle', '0.5', ...node(program)], away).ended
    expect(late.err).toMatch(/Relay {6}to 127\.0\.0\.1:9\/1: 1 envelope still owed, because .*ECONNREFUSED/)
  })

  it('says what to check when nothing arrived, and keeps the exit code', async () => {
    const { code, err } = await run(node('process.exit(0)')).ended
    expect(code).toBe(0)
    expect(err).toContain('Waystation recorded nothing\n')
    expect(err).toMatch(/Check {6}Does the program start an SDK\?/)
    expect(err).toMatch(/SENTRY_DSN was http:\/\/local@127\.0\.0\.1:\d+\/1,/)
  })

  it('shows what comes from telemetry without what a terminal obeys', async () => {
    const type = 'evil\\u001b]0;owned\\u0007'
    const program = `
      const dsn = process.env.SENTRY_DSN
      const body = JSON.stringify({ dsn }) + '\\n' + JSON.stringify({ type: '${type}' }) + '\\n{}\\n'
      fetch(new URL('/api/1/envelope/', dsn.replace('local@', '')), { method: 'POST', body, headers: { 'x-sentry-auth': 'Sentry sentry_key=local' } })`
    const { err } = await run(node(program)).ended
    expect(err).toContain('1 evil\\u001b]0;owned\\u0007\n')
    expect(err).not.toContain('\u001b')
  })

  it.each([
    ['SIGTERM', 143],
    ['SIGKILL', 137],
  ])('ends like a shell where %s ended the program', async (signal, expected) => {
    const { code } = await run(node(`process.kill(process.pid, '${signal}')`)).ended
    expect(code).toBe(expected)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'hands %s on to the program first, which decides what it means',
    async (signal) => {
      const running = run(
        node(
          `process.once('${signal}', () => { console.log('got it'); process.exit(7) }); setInterval(() => {}, 1000); console.log('up')`,
        ),
      )
      await running.said('up')
      running.child.kill(signal)
      const { code, out, err } = await running.ended
      expect([code, out]).toEqual([7, 'up\ngot it\n'])
      expect(err).toContain('Waystation recorded')
    },
  )

  it.skipIf(!canRun(['-c', 'import pty']))(
    'does not tell the program of a Ctrl-C that its terminal told it of (skipped without Python)',
    async () => {
      const counting = `let told = 0; process.on('SIGINT', () => { told += 1; setTimeout(() => process.exit(40 + told), 200) }); setInterval(() => {}, 1000); console.log('up')`
      const terminal = `
import os, pty, sys
pid, tty = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
seen, typed = b'', False
while True:
    try: more = os.read(tty, 4096)
    except OSError: break
    if not more: break
    seen += more
    if b'up' in seen and not typed:
        typed = True
        os.write(tty, b'\\x03')
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`
      const { child, ended } = run(['--', PYTHON, '--version'])
      await ended
      const [command = '', ...args] = child.spawnargs
      const words = [...args.slice(0, -2), process.execPath, '-e', counting]
      const env = { ...OWN, WAYSTATION_DATA: temporaryFolder() }
      await expect(promisify(execFile)(PYTHON, ['-c', terminal, command, ...words], { env })).rejects.toMatchObject({
        code: 41,
      })
    },
  )

  it('says 127 of a program that is not there and 126 of one that cannot be run, and leaves no recording', async () => {
    const data = temporaryFolder()
    const missing = await run(['--', 'no-such-program'], { WAYSTATION_DATA: data }).ended
    expect(missing).toEqual({
      code: 127,
      out: '',
      err: '"no-such-program" cannot be run: it is in no folder of PATH.\n',
    })
    const folder = await run(['--', data], { WAYSTATION_DATA: data }).ended
    expect(folder).toMatchObject({ code: 126, err: expect.stringContaining('this user may not execute it') })
    const within = await run(['--', `${process.execPath}/in-a-file`], { WAYSTATION_DATA: data }).ended
    expect(within).toMatchObject({ code: 126, err: expect.stringMatching(/cannot be run: .*ENOTDIR/) })
    expect(recordingsIn(data)).toEqual([])
  })

  it('leaves a named folder for the next run where the program could not be begun', async () => {
    const folder = join(temporaryFolder(), 'new')
    expect(await run(['--data', folder, '--', 'no-such-program']).ended).toMatchObject({ code: 127 })
    expect(existsSync(folder)).toBe(false)
    expect(await run(['--data', folder, ...node('process.exit(5)')]).ended).toMatchObject({ code: 5 })
  })

  it.each([
    ['500', 'the collector answered 500', `answer.writeHead(500).end()`],
    [
      'an answer that is torn',
      '.*',
      `answer.writeHead(200, { 'content-length': 9 }).write('{'); setImmediate(() => answer.destroy())`,
    ],
    ['an answer that is no overview', '.*', `answer.end('{}')`],
  ])('keeps the exit code of the program where the collector tells it by %s what arrived', async (_name, why, does) => {
    const data = temporaryFolder()
    const collectors = temporaryFolder()
    writeFileSync(join(collectors, 'main.js'), standingIn(does))
    const words = ['run', ...node('process.exit(7)')]
    const { code, err } = await startCommand(words, { WAYSTATION_DATA: data }, collectors).ended
    expect(err).toMatch(new RegExp(`^What arrived cannot be told: ${why}; .* has what it had acknowledged\\.\\n$`))
    expect(code).toBe(7)
    const [folder = ''] = recordingsIn(data)
    expect(readdirSync(folder)).toEqual([])
  })

  it('says 2 of what was mistyped or is set wrongly, and 3 where nothing can be recorded, without running anything', async () => {
    const program = node(`console.log('ran')`)
    expect(await run(['--rely', ...program]).ended).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('--relay'),
    })
    expect(await run(['--relay', ...program]).ended).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('WAYSTATION_UPSTREAM'),
    })
    expect(await run(program, { WAYSTATION_LIMITS: 'none' }).ended).toMatchObject({ code: 2, out: '' })
    expect(await run(program, { WAYSTATION_HOST: '0.0.0.0' }).ended).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('WAYSTATION_TOKEN'),
    })
    expect(await run(['--data', '/dev/null/x', ...program]).ended).toMatchObject({
      code: 3,
      out: '',
      err: expect.stringContaining('--data'),
    })
    const used = await startCollector()
    await used.stop()
    expect(await run(['--data', used.folder, ...program]).ended).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('holds a recording already'),
    })
  })

  it('says 3 where the collector ended before a program that went well', async () => {
    const program = `const { execFileSync } = require('node:child_process'); const pids = execFileSync('pgrep', ['-P', String(process.ppid), '-f', 'main[.]js$'], { encoding: 'utf8' }); process.kill(Number(pids), 'SIGKILL'); console.log('killed')`
    const { code, err } = await run(node(program)).ended
    expect(err).toMatch(/^The collector ended before the program did \(SIGKILL\); .* has what it had acknowledged\.\n$/)
    expect(code).toBe(3)
  })
})

describe('the command waystation', () => {
  const COMMAND = fileURLToPath(new URL('../../collector/cli/waystation.js', import.meta.url))
  const typed = (...words: string[]) =>
    promisify(execFile)(COMMAND, words, { env: { ...OWN, WAYSTATION_DATA: temporaryFolder() } })

  it('has help for itself and for run', async () => {
    expect((await typed('--help')).stdout).toContain('run -- CMD')
    expect((await typed('run', '--help')).stdout).toContain('--settle SECONDS')
  })

  it('bundles what it needs by itself, and writes nothing to standard output', async () => {
    expect(await typed('run', '--', process.execPath, '-e', 'process.stdout.write("mine")')).toMatchObject({
      stdout: 'mine',
      stderr: expect.stringContaining('Waystation recorded nothing'),
    })
  })
})
