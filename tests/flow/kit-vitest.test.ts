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
import { endCollectors, temporaryFolder } from './collector-process'

let collector: TestCollector
let recording: Recording
beforeAll(async () => {
  collector = await startCollector({ upstream: 'stand-in' })
})
afterAll(async () => {
  await collector.stop()
  endCollectors()
})

/** The real SDK in this process, stamped anew for each test. */
beforeEach(async () => {
  recording = await collector.recording()
  // The SDK keeps breadcrumbs for as long as the process lives.
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

describe('server code in the test’s own process', () => {
  it('is waited for by what it sends', async () => {
    const told = recording.waitFor.error({ title: /card was declined/, service: 'server' })
    const worked = recording.waitFor.transaction({ name: 'charge', op: 'task' })
    Sentry.startSpan({ name: 'charge', op: 'task' }, () => {
      Sentry.addBreadcrumb({ category: 'cart', message: 'filled' })
      Sentry.addBreadcrumb({ category: 'payment', message: 'begun' })
      Sentry.startSpan({ name: 'SELECT 1', op: 'db' }, () => undefined)
      Sentry.captureException(new Error('card was declined'))
    })
    const error = await told
    const trace = await recording.trace(await worked)
    expect(trace).toHaveSpan({ op: 'db', name: 'SELECT 1' })
    expect(trace).not.toHaveSpan({ op: 'http.client' })
    expect(trace).toHaveSpanTree('task charge > db')
    expect(error).toHaveBreadcrumbs([{ category: 'cart' }, { category: 'payment' }])
    await expect(recording).toHaveNoLoss()
    await expect(recording).toLeakNothing()
    await expect(recording).toHaveNoUnexpectedErrors({ allow: ['card was declined'] })
    await expect(recording).not.toHaveNoUnexpectedErrors()
  })

  it('does not see what the kit asks the collector', async () => {
    const told = recording.waitFor.error({ title: /^Error: after/ })
    await recording.settle()
    await recording.losses()
    Sentry.captureException(new Error('after'))
    expect((await told).breadcrumbs).toEqual([])
  })

  it('sees nothing of a test that ran before', async () => {
    await expect(recording.waitFor.error({}, { timeout: 300 })).rejects.toThrow(/^no error of any kind arrived within /)
  })
})

it('is not judged where nothing was recorded, and does not pass with .not either', async () => {
  const nothing = await collector.recording()
  const why = 'Nothing was recorded, so that no error could be seen.'
  await expect(expect(nothing).toHaveNoUnexpectedErrors()).rejects.toThrow(why)
  await expect(expect(nothing).not.toHaveNoUnexpectedErrors()).rejects.toThrow(why)
})

// Before the limit that nobody waits for: one is everybody's until it ends.
describe('a rate limit', () => {
  const SECONDS = 3
  /** Has upstream limit errors, this process told so, and an error captured while it runs. */
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
      // An SDK takes the same words for the same error.
      await fail(`is for the process to keep: ${count}`)
      return (await recording.limits()).pages.map(({ verdict }) => verdict)
    }
    await expect.poll(goesOn, { timeout: 20_000, interval: 300 }).not.toContain('waiting')
    await recording.upstream.reset()
    await expect.poll(async () => (await recording.limits()).limits.length, { timeout: 20_000 }).toBe(0)
  }

  it('is kept by the SDK, whose process is named by its headers', { timeout: 60_000 }, async () => {
    await limited()
    await expect(recording).toBackOff('error')
  })

  it('is broken by a transport that reads no limits, and that is told', { timeout: 60_000 }, async () => {
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

it('has upstream limit a category, which is told as a loss', async () => {
  await recording.upstream.limit({ category: 'error', seconds: 60 })
  onTestFinished(async () => {
    await recording.upstream.reset()
  })
  const told = recording.waitFor.error({})
  Sentry.captureException(new Error('limited'))
  await told
  await expect(expect(recording).toHaveNoLoss()).rejects.toThrow('upstream_429')
  await expect(recording).toHaveNoLoss({ allow: ['upstream_429'] })
})

describe('a collector of a test’s own', () => {
  it('ends its waits with a sentence when it dies', async () => {
    const own = await startCollector()
    const waited = (await own.recording('mine')).waitFor.error({})
    const lost = expect(waited).rejects.toThrow(/^reading from the collector failed: the collector ended \(SIGKILL\)/)
    onTestFinished(() => own.stop())
    process.kill(own.pid, 'SIGKILL')
    await lost
  })

  it('tells when it is stopped of a wait that nobody awaited, in a recording that nobody closed', async () => {
    const own = await startCollector()
    const forgotten = await own.recording()
    forgotten.waitFor.error({ title: 'never sent' }, { timeout: 20 })
    await forgotten.settle()
    await expect(own.stop()).rejects.toThrow(/^a wait without await failed: no error with title "never sent" arrived/)
    expect(isRunning(own.pid)).toBe(false)
  })

  it('is asked with its token where it has one', async () => {
    const token = '0123456789abcdef0123456789abcdef'
    const own = await startCollector({ env: { WAYSTATION_TOKEN: token } })
    onTestFinished(() => own.stop())
    expect((await (await own.recording()).settle()).settled).toBe(true)
    await expect(collectorClient(own.url, fetch).overview()).rejects.toMatchObject({ status: 401 })
  })

  it('is no longer waited for where it takes requests and answers none', async () => {
    const own = await startCollector()
    const stopped = await own.recording()
    process.kill(own.pid, 'SIGSTOP')
    onTestFinished(() => own.stop())
    expect(await stopped.settle({ timeout: 200 })).toMatchObject({
      settled: false,
      sentence: expect.stringMatching(/^the collector did not answer within \d+ ms$/),
    })
  })

  it('says why it cannot start', async () => {
    await expect(startCollector({ env: { WAYSTATION_MAX_DISK: 'much' } })).rejects.toThrow(/WAYSTATION_MAX_DISK/)
  })

  it('refuses to play an upstream that is not its own', async () => {
    const own = await startCollector()
    onTestFinished(() => own.stop())
    await expect((await own.recording()).upstream.reset()).rejects.toThrow("startCollector({ upstream: 'stand-in' })")
  })

  it.each(['is killed', 'has done its work'])('ends with the program that started it, when that %s', async (how) => {
    const program = await startedByProgram()
    expect(isRunning(program.pid)).toBe(true)
    if (how === 'is killed') program.kill()
    else program.finish()
    await expect.poll(() => isRunning(program.pid), { timeout: 20_000 }).toBe(false)
    // Who ends by itself clears away; nobody can after a SIGKILL.
    if (how !== 'is killed') expect(existsSync(program.folder)).toBe(false)
  })
})

/** A program of somebody's that starts a collector, never stops it, and ends when it is told to. */
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
