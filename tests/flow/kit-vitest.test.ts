import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as Sentry from '@sentry/node'
import { build } from 'esbuild'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Recording, stampHeaders, startCollector, type TestCollector } from '../../lib/kit/vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { endCollectors, postEnvelope, temporaryFolder } from './collector-process'
import { errorEnvelope } from './envelopes'

let collector: TestCollector
let recording: Recording
beforeAll(async () => {
  collector = await startCollector({ upstream: 'stand-in' })
})
afterAll(async () => {
  await collector.stop()
  endCollectors()
})

/** Initialises the real SDK in this process with a new stamp for each test. */
beforeEach(async () => {
  recording = await collector.recording()
  // The SDK keeps breadcrumbs until the process ends.
  Sentry.getIsolationScope().clearBreadcrumbs()
  Sentry.init({
    dsn: collector.dsn,
    tracesSampleRate: 1,
    traceLifecycle: 'static',
    release: 'kit@1',
    environment: 'test',
    transportOptions: { headers: stampHeaders(recording.stamp) },
  })
  onTestFinished(async () => {
    await Sentry.close(2_000)
    await recording.close()
  })
})

describe('the SDK in the process of the test', () => {
  it('provides errors and traces to waits and matchers', async () => {
    const declined = recording.waitFor.error({ title: /card was declined/, service: 'server' })
    const charged = recording.waitFor.transaction({ name: 'charge', op: 'task' })
    Sentry.startSpan({ name: 'charge', op: 'task' }, () => {
      Sentry.addBreadcrumb({ category: 'cart', message: 'filled' })
      Sentry.addBreadcrumb({ category: 'payment', message: 'begun' })
      Sentry.startSpan({ name: 'SELECT 1', op: 'db' }, () => undefined)
      Sentry.captureException(new Error('card was declined'))
    })
    const error = await declined
    const trace = await recording.trace(await charged)
    expect(trace).toHaveSpan({ op: 'db', name: 'SELECT 1' })
    expect(trace).not.toHaveSpan({ op: 'http.client' })
    expect(trace).toHaveSpanTree('task charge > db')
    expect(error).toHaveBreadcrumbs([{ category: 'cart' }, { category: 'payment' }])
    await expect(recording).toHaveNoLoss()
    await expect(recording).toLeakNothing()
    await expect(recording).toHaveNoUnexpectedErrors({ allow: ['card was declined'] })
    await expect(recording).not.toHaveNoUnexpectedErrors()
  })

  it('does not record the kit’s own requests', async () => {
    const sent = recording.waitFor.error({ title: /^Error: after/ })
    await recording.settle()
    await recording.losses()
    Sentry.captureException(new Error('after'))
    expect((await sent).breadcrumbs).toEqual([])
  })

  it('does not see telemetry of an earlier test', async () => {
    await expect(recording.waitFor.error({}, { timeout: 300 })).rejects.toThrow(/^no error of any kind arrived within /)
  })
})

describe('one recording for all tests of a file', () => {
  let shared: Recording
  beforeAll(async () => {
    shared = await collector.recording()
  })
  const fail = async (message: string): Promise<void> => {
    await Sentry.close()
    Sentry.init({ dsn: collector.dsn, transportOptions: { headers: stampHeaders(shared.stamp) } })
    Sentry.captureException(new Error(message))
    await Sentry.flush()
  }

  it('matches an error of this test that arrived before the wait', async () => {
    await fail('of the first test')
    expect((await shared.waitFor.error({})).title).toBe('Error: of the first test')
  })

  it('does not match the error of the test before', async () => {
    const waited = shared.waitFor.error({}, { timeout: 300 })
    await expect(waited).rejects.toThrow(/a match arrived before this test began: Error: of the first test/)
    expect((await shared.waitFor.error({}, { past: true })).title).toBe('Error: of the first test')
  })

  it('does not match the error of its own failed attempt', { retry: 1 }, async ({ task }) => {
    if (task.result?.retryCount === 0) {
      await fail('of the failed attempt')
      await shared.waitFor.error({ title: /failed attempt/ })
      throw new Error('the first attempt fails')
    }
    await expect(shared.waitFor.error({}, { timeout: 300 })).rejects.toThrow(/before this test began/)
  })
})

it('is incomplete without telemetry, also with .not', async () => {
  const nothing = await collector.recording()
  const why = 'Nothing was recorded, so errors cannot be ruled out.'
  await expect(expect(nothing).toHaveNoUnexpectedErrors()).rejects.toThrow(why)
  await expect(expect(nothing).not.toHaveNoUnexpectedErrors()).rejects.toThrow(why)
})

describe('a rate limit', () => {
  it('applies to the telemetry of its test alone', async () => {
    const other = await collector.recording()
    await recording.upstream.limit({ category: 'error', seconds: 60 })
    await other.upstream.limit({ category: 'span', seconds: 60 })
    const send = async (stamp: string | null): Promise<string | null> => {
      const { body } = errorEnvelope(collector.dsn, { message: `of ${stamp}` })
      const answer = await postEnvelope(collector, body, stamp === null ? {} : { 'x-waystation-stamp': stamp })
      expect(answer.status).toBe(200)
      return answer.headers.get('x-sentry-rate-limits')
    }
    await Promise.all([send(other.stamp), send(null), send(recording.stamp)])
    await expect.poll(async () => (await recording.limits()).limits).toMatchObject([{ category: 'error' }])
    expect(await send(recording.stamp)).toMatch(/^\d+:error:/)
    expect([await send(other.stamp), await send(null)]).toEqual([null, null])
    expect((await other.limits()).limits).toEqual([])
    await expect(other).toHaveNoLoss()
    await expect(expect(recording).toHaveNoLoss()).rejects.toThrow('upstream_429')
    // The limit of the other test is in force still.
    await recording.upstream.reset()
    expect((await collector.client.standIn())?.answers).toMatchObject([{ stamp: other.stamp, categories: ['span'] }])
  })

  const SECONDS = 3
  /** Lets upstream limit errors, waits until this process receives the limit, and captures an error meanwhile. */
  async function limited(): Promise<void> {
    await recording.upstream.limit({ category: 'error', seconds: SECONDS })
    const fail = async (message: string): Promise<void> => {
      Sentry.captureException(new Error(message))
      await Sentry.flush()
    }
    await fail('is refused')
    await expect.poll(async () => (await recording.limits()).limits.length).toBeGreaterThan(0)
    await fail('is answered with the limit')
    let count = 0
    const goesOn = async (): Promise<readonly string[]> => {
      count += 1
      // The SDK deduplicates errors with the same message.
      await fail(`is dropped by the SDK: ${count}`)
      return (await recording.limits()).pages.map(({ verdict }) => verdict)
    }
    await expect.poll(goesOn, { timeout: 60_000, interval: 300 }).not.toContain('waiting')
    await recording.upstream.reset()
    await expect.poll(async () => (await recording.limits()).limits.length).toBe(0)
  }

  it('is obeyed by an SDK with a page header', { timeout: 60_000 }, async () => {
    await limited()
    await expect(recording).toBackOff('error')
  })

  it('is violated by a transport that ignores limits, which is reported', { timeout: 60_000 }, async () => {
    await Sentry.close()
    Sentry.init({
      dsn: collector.dsn,
      transportOptions: { headers: stampHeaders(recording.stamp) },
      transport: (options) =>
        Sentry.createTransport(options, async ({ body }) => {
          await fetch(options.url, {
            method: 'POST',
            headers: options.headers ?? {},
            body: Buffer.from(body),
          })
          return { statusCode: 200 }
        }),
    })
    await limited()
    await expect(expect(recording).toBackOff('error')).rejects.toThrow('1 page sent error while it was limited')
  })
})

it('reports items of a limited category as a loss', async () => {
  await recording.upstream.limit({ category: 'error', seconds: 60 })
  onTestFinished(async () => {
    await recording.upstream.reset()
  })
  const sent = recording.waitFor.error({})
  Sentry.captureException(new Error('limited'))
  await sent
  await expect(expect(recording).toHaveNoLoss()).rejects.toThrow('upstream_429')
  await expect(recording).toHaveNoLoss({ allow: ['upstream_429'] })
})

describe('startCollector', () => {
  it('rejects open waits when the collector dies', async () => {
    const own = await startCollector()
    const waited = (await own.recording('mine')).waitFor.error({})
    const lost = expect(waited).rejects.toThrow(/^reading from the collector failed: the collector ended \(SIGKILL\)/)
    onTestFinished(() => own.stop())
    process.kill(pidOf(own), 'SIGKILL')
    await lost
  })

  it('reports waits without await when it is stopped', async () => {
    const own = await startCollector()
    const forgotten = await own.recording()
    forgotten.waitFor.error({ title: 'never sent' }, { timeout: 20 })
    await forgotten.settle()
    await expect(own.stop()).rejects.toThrow(/^a wait without await failed: no error with title "never sent" arrived/)
    expect(isRunning(pidOf(own))).toBe(false)
  })

  it('sends its token', async () => {
    const token = '0123456789abcdef0123456789abcdef'
    const own = await startCollector({ env: { WAYSTATION_TOKEN: token } })
    onTestFinished(() => own.stop())
    expect((await (await own.recording()).settle()).settled).toBe(true)
    await expect(collectorClient(own.url, fetch).overview()).rejects.toMatchObject({ status: 401 })
  })

  it('times out for a frozen collector', async () => {
    const own = await startCollector()
    const stopped = await own.recording()
    process.kill(pidOf(own), 'SIGSTOP')
    onTestFinished(() => own.stop())
    expect(await stopped.settle({ timeout: 200 })).toMatchObject({
      settled: false,
      message: expect.stringMatching(/^the collector did not answer within \d+ ms$/),
    })
  })

  it('throws the reason of a failed start', async () => {
    await expect(startCollector({ env: { WAYSTATION_MAX_DISK: 'much' } })).rejects.toThrow(/WAYSTATION_MAX_DISK/)
  })

  it('rejects a script without a stand-in upstream', async () => {
    const own = await startCollector()
    onTestFinished(() => own.stop())
    await expect((await own.recording()).upstream.reset()).rejects.toThrow("startCollector({ upstream: 'stand-in' })")
  })

  it.each(['is killed', 'has done its work'])('stops with the program that started it, if that %s', async (how) => {
    const program = await startedByProgram()
    expect(isRunning(program.pid)).toBe(true)
    if (how === 'is killed') program.kill()
    else program.finish()
    await expect.poll(() => isRunning(program.pid)).toBe(false)
    // Nothing can remove the folder after a SIGKILL.
    if (how !== 'is killed') expect(existsSync(program.folder)).toBe(false)
  })
})

function pidOf({ pid }: TestCollector): number {
  if (pid === null) throw new Error('these tests run outside of waystation run')
  return pid
}

/** Starts a program that starts a collector, never stops it, and ends on request. */
async function startedByProgram() {
  const source = fileURLToPath(new URL('../../lib/kit/vitest/start-collector.ts', import.meta.url))
  const folder = temporaryFolder()
  const script = join(folder, 'program.mjs')
  const stdin = {
    contents: `import { startCollector } from ${JSON.stringify(source)}
      const { pid } = await startCollector()
      process.send({ pid })
      process.once('message', () => process.disconnect())`,
    resolveDir: folder,
  }
  await build({ stdin, bundle: true, platform: 'node', format: 'esm', outfile: script, logLevel: 'silent' })
  const data = temporaryFolder()
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, TMPDIR: data },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [{ pid }] = await once(child, 'message')
  const [name] = readdirSync(data)
  return {
    pid: Number(pid),
    folder: join(data, name ?? 'none'),
    kill: () => child.kill('SIGKILL'),
    finish: () => child.send('end'),
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
