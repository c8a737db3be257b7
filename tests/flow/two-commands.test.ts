import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { announced, endStarted, killEach, nothingLeft, npmStart, temporaryFolder } from './npm-start'

/** The first of these may have to wait for a build. */
const TEST_MS = 180_000
/** Longest time from Ctrl-C to the end: the supervisor gives app and collector 9.5 s, and npm takes its own time. */
const STOP_MS = 20_000
/** Less than the 6.5 s that the supervisor gives a hanging collector. */
const AT_ONCE_MS = 5_000

afterEach(endStarted)

/**
 * Sends client reports each half second instead of each minute. The SDK reads the option from a plain object, and nothing
 * else in a built app can reach it.
 */
const FREQUENT_REPORTS = `--import "data:text/javascript,${encodeURIComponent(
  'Object.defineProperty(Object.prototype, "clientReportFlushInterval", { value: 500 })',
)}"`

/** Listens on a port, as another program would. */
async function holdPort(): Promise<number> {
  const server = createServer()
  server.unref().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

describe('npm start', { timeout: TEST_MS }, () => {
  test('prints all addresses and folders', async () => {
    const folder = temporaryFolder()
    const npm = npmStart({ WAYSTATION_DATA: folder, WAYSTATION_UPSTREAM: 'stand-in' })
    const { appUrl, collectorUrl } = await announced(npm)
    const output = npm.output()
    for (const page of ['lab', 'traces', 'envelopes']) expect(output).toContain(`${appUrl}/${page}\n`)
    expect(output).toMatch(new RegExp(`^ {2}Data +${folder}$`, 'm'))
    expect(output).toMatch(new RegExp(`^ {2}Lifeboat +${folder}/lifeboat$`, 'm'))
    expect(output).toMatch(/^ {2}Relay +to 127\.0\.0\.1:\d+\/1, the stand-in$/m)
    expect(output).toContain(`  http://local@${new URL(collectorUrl).host}/1\n`)
    expect(output).not.toContain('\u001b')
    expect((await fetch(appUrl)).status).toBe(200)
    await expect.poll(async () => (await fetch(`${collectorUrl}/health/ready`)).status).toBe(200)
  })

  test('uses the collector’s own port for OpenTelemetry where another program has 4318', async () => {
    const other = createServer().unref().listen(4318, '127.0.0.1')
    // Any other program may have it too.
    await Promise.race([once(other, 'listening'), once(other, 'error')]).catch(() => undefined)
    const npm = npmStart({ WAYSTATION_OTLP_PORT: '' })
    const { collectorUrl } = await announced(npm)
    expect(npm.output()).toContain(`Port 4318 is taken, so OpenTelemetry programs send to ${collectorUrl}.`)
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${collectorUrl}/v1/traces`, { method: 'POST', headers, body: '{}' })
    expect(response.status).toBe(200)
    other.close()
  })

  test('leaves no trace and no loss of its own', async () => {
    const { appUrl, collectorUrl } = await announced(npmStart({ NODE_OPTIONS: FREQUENT_REPORTS }))
    const client = collectorClient(collectorUrl, fetch)
    await fetch(`${appUrl}/lab`)
    // The server SDK sends in the order of recording: a trace of the start would arrive before the lab's.
    const names = async () => (await client.traces()).traces.map(({ name }) => name)
    await expect.poll(names).not.toEqual([])
    expect(await names()).toEqual(['GET /lab'])
    // The SDK counts the trace of a missing page that it drops, so a report arrives, which covers the start as well.
    await fetch(`${appUrl}/nowhere`)
    await expect
      .poll(async () => (await client.losses()).notSent)
      .toContainEqual(expect.objectContaining({ category: 'transaction' }))
    expect((await client.losses()).losses).toEqual([])
  })

  test('prints no control characters that a page sends, and serves no image optimiser', async () => {
    const npm = npmStart()
    const { appUrl } = await announced(npm)
    const forged = encodeURIComponent('/\u001b]52;c;eA==\u0007\u001b[2K\napp | forged')
    const answers = [`/_next/image?url=${forged}&w=64&q=75`, `/${forged}`, `/lab?x=${forged}`].map(async (path) => {
      const answer = await fetch(`${appUrl}${path}`)
      await answer.text()
      return answer.status
    })
    expect((await Promise.all(answers))[0]).toBe(404)
    const printed = npm.output().replaceAll(/\p{Cc}\[[\d;]*m/gu, '')
    expect(printed).not.toMatch(/(?![\n\t])\p{Cc}/u)
    expect(printed).not.toContain('\napp | forged')
  })

  test('prints that nothing leaves this machine, even if SENTRY_DSN is set', async () => {
    const npm = npmStart({ SENTRY_DSN: 'https://secretkey@o1.ingest.sentry.io/42' })
    await announced(npm)
    expect(npm.output()).toMatch(/^ {2}Relay +off: local only, nothing leaves this machine$/m)
    expect(npm.output()).toContain('SENTRY_DSN is set but not used; set WAYSTATION_RELAY=on to relay to it')
    expect(npm.output()).not.toContain('secretkey')
  })

  test('prints the upstream without its key; only the local DSN contains the key', async () => {
    const npm = npmStart({ WAYSTATION_UPSTREAM: 'https://pubkey@o1.ingest.sentry.io/42' })
    const { collectorUrl } = await announced(npm)
    expect(npm.output()).toMatch(/^ {2}Relay +to o1\.ingest\.sentry\.io\/42$/m)
    expect(npm.output().match(/pubkey.*/g)).toEqual([`pubkey@${new URL(collectorUrl).host}/42`])
  })
})

describe('nothing is left of npm start', { timeout: TEST_MS }, () => {
  test('after Ctrl-C with an open page; no process has to be killed', async () => {
    const npm = npmStart()
    const { appUrl, collectorUrl, family } = await announced(npm)
    const live = await fetch(`${appUrl}/collector/query/stream`)
    expect(live.status).toBe(200)
    const pressed = performance.now()
    npm.pressCtrlC()
    expect(await npm.exited).toEqual({ code: 0, signal: null })
    expect(performance.now() - pressed).toBeLessThan(STOP_MS)
    expect(npm.output()).toMatch(/Stopping …\n(?:.*\n)*Stopped\.\n$/)
    expect(npm.output()).not.toContain('killed')
    await nothingLeft(family, [appUrl, collectorUrl])
  })

  test('after SIGTERM to npm', async () => {
    const npm = npmStart()
    const { appUrl, collectorUrl, family } = await announced(npm)
    process.kill(npm.pid, 'SIGTERM')
    await npm.exited
    await nothingLeft(family, [appUrl, collectorUrl])
  })

  test('after SIGKILL to npm', async () => {
    const npm = npmStart()
    const { appUrl, collectorUrl, family } = await announced(npm)
    process.kill(npm.pid, 'SIGKILL')
    await nothingLeft(family, [appUrl, collectorUrl])
  })

  test('after SIGKILL to the supervisor', async () => {
    const npm = npmStart()
    const { appUrl, collectorUrl, family, supervisorPid } = await announced(npm)
    process.kill(supervisorPid, 'SIGKILL')
    expect((await npm.exited).code).not.toBe(0)
    await nothingLeft(family, [appUrl, collectorUrl])
  })

  test('after SIGKILL to everything but the collector at once', async () => {
    const npm = npmStart()
    const { appUrl, collectorUrl, family, supervisorPid, collectorPid } = await announced(npm)
    killEach([npm.pid, supervisorPid, ...family.filter((pid) => pid !== collectorPid)])
    await nothingLeft(family, [appUrl, collectorUrl])
  })

  test('after Ctrl-C to a collector that hangs, which is killed', async () => {
    const npm = npmStart()
    const { appUrl, collectorUrl, family, collectorPid } = await announced(npm)
    process.kill(collectorPid, 'SIGSTOP')
    const pressed = performance.now()
    npm.pressCtrlC()
    expect((await npm.exited).code).toBe(1)
    expect(performance.now() - pressed).toBeLessThan(STOP_MS)
    expect(npm.output()).toContain('did not stop in time and was killed')
    await nothingLeft(family, [appUrl, collectorUrl])
  })

  test('at once after a second Ctrl-C', async () => {
    const npm = npmStart()
    const { appUrl, collectorUrl, family, collectorPid, supervisorPid } = await announced(npm)
    process.kill(collectorPid, 'SIGSTOP')
    npm.pressCtrlC()
    await expect.poll(npm.output).toContain('Stopping …')
    const again = performance.now()
    // Repeated, because a SIGINT shortly after the first one counts as npm's echo. Not to npm, which would die of it in the
    // moment between the end of its script and its own.
    const pressing = setInterval(() => killEach([supervisorPid], 'SIGINT'), 100)
    const ended = await npm.exited
    clearInterval(pressing)
    expect(ended.code).toBe(130)
    expect(performance.now() - again).toBeLessThan(AT_ONCE_MS)
    await nothingLeft(family, [appUrl, collectorUrl])
  })

  test('when the app dies, and the message says so', async () => {
    const npm = npmStart()
    const { appUrl, collectorUrl, family, appPid } = await announced(npm)
    process.kill(appPid, 'SIGKILL')
    expect((await npm.exited).code).toBe(1)
    expect(npm.output()).toContain('The app ended unexpectedly (SIGKILL).')
    await nothingLeft(family, [appUrl, collectorUrl])
  })
})

describe('npm start refuses with one sentence', { timeout: TEST_MS }, () => {
  test('a collector port that is taken', async () => {
    const port = await holdPort()
    const npm = npmStart({ WAYSTATION_PORT: String(port) })
    expect((await npm.exited).code).toBe(1)
    expect(npm.output()).toContain(
      `The collector's port ${port} is taken: another program uses it, perhaps another Waystation or Spotlight. Stop it, or choose another port with WAYSTATION_PORT.\n`,
    )
  })

  test('a collector port that another Waystation uses', async () => {
    const { collectorUrl } = await announced(npmStart())
    const { port } = new URL(collectorUrl)
    const npm = npmStart({ WAYSTATION_PORT: port })
    expect((await npm.exited).code).toBe(1)
    expect(npm.output()).toContain(`The collector's port ${port} is taken: another Waystation uses it.`)
  })

  test('a data folder that another Waystation uses', async () => {
    const folder = temporaryFolder()
    await announced(npmStart({ WAYSTATION_DATA: folder }))
    const npm = npmStart({ WAYSTATION_DATA: folder })
    expect((await npm.exited).code).toBe(1)
    expect(npm.output()).toContain(`another Waystation is using ${folder}`)
  })

  test('a data folder that cannot be created', async () => {
    const npm = npmStart({ WAYSTATION_DATA: '/dev/null/nope' })
    expect((await npm.exited).code).toBe(1)
    expect(npm.output()).toMatch(
      /\nData cannot be kept in \/dev\/null\/nope: ENOTDIR.*\. Choose another folder with WAYSTATION_DATA\.\n/,
    )
  })

  test('a wrong variable, with its value and the valid values', async () => {
    const npm = npmStart({ WAYSTATION_PORT: 'eight\u001b[2J' })
    expect((await npm.exited).code).toBe(2)
    expect(npm.output()).toContain(
      'WAYSTATION_PORT must be a port number from 0 (any free one) to 65535, got "eight\\u001b[2J".\n',
    )
  })
})

test('npm start uses the next free port for the app, and prints it', { timeout: TEST_MS }, async () => {
  const port = await holdPort()
  const npm = npmStart({ PORT: String(port) })
  const { appUrl } = await announced(npm)
  const used = Number(new URL(appUrl).port)
  expect(used).toBeGreaterThan(port)
  expect(npm.output()).toContain(`Port ${port} is taken, so the app uses ${used}; PORT sets another port.`)
})
