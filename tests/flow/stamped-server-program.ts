import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { temporaryFolder } from './collector-process'

/** A server with Sentry's Node SDK. Each request creates an error and a segment. */
export interface StampedServer {
  readonly url: string
  /** Sends everything that the SDK has buffered. */
  readonly flush: () => Promise<void>
  /** Logs `buffered`, which the SDK sends seconds later. */
  readonly log: () => Promise<void>
  readonly end: (signal?: 'SIGKILL' | 'SIGTERM') => void
  /** Resolves with exit code and signal. */
  readonly ended: Promise<unknown>
}

export interface ServerPlan {
  readonly dsn: string
  readonly lifecycle?: 'static' | 'stream'
  /** True if the server calls `stampServer`. */
  readonly stamps: boolean
  /** The server answers once this many requests wait; 1 by default. */
  readonly atOnce?: number
  /** The collector that the server follows, to flush on its request; none by default. */
  readonly follows?: string
}

const SOURCE = `
  import { createServer } from 'node:http'
  import * as Sentry from '@sentry/node'
  const { dsn, lifecycle, stamps, atOnce, entry } = JSON.parse(process.argv[1])
  Sentry.init({ dsn, tracesSampler: ({ parentSampled }) => parentSampled ?? 1, traceLifecycle: lifecycle, enableLogs: true })
  if (stamps) (await import(entry)).stampServer(Sentry)
  const waiting = []
  const server = createServer(async (request, response) => {
    await new Promise((resolve) => {
      waiting.push(resolve)
      if (waiting.length >= atOnce) for (const go of waiting.splice(0)) go()
    })
    Sentry.updateSpanName(Sentry.getRootSpan(Sentry.getActiveSpan()), 'GET ' + request.url)
    Sentry.captureException(new Error('request for ' + request.url))
    response.end()
  })
  process.on('message', async (message) => {
    if (message === 'log') process.send(Sentry.logger.info('buffered') ?? true)
    else process.send(await Sentry.flush(5000))
  })
  server.listen(0, '127.0.0.1', () => process.send(server.address().port))`

export async function startStampedServer({
  dsn,
  lifecycle = 'static',
  stamps,
  atOnce = 1,
  follows,
}: ServerPlan): Promise<StampedServer> {
  const entry = pathToFileURL(await bundledEntry()).href
  const given = JSON.stringify({ dsn, lifecycle, stamps, atOnce, entry })
  const child = spawn(process.execPath, ['--input-type=module', '-e', SOURCE, given], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...(follows !== undefined && { WAYSTATION_COLLECTOR_URL: follows }) },
  })
  const port = await answerOf(child)
  return {
    url: `http://127.0.0.1:${port}`,
    flush: async () => {
      const flushed = answerOf(child)
      child.send('flush')
      if (!(await flushed)) throw new Error('the SDK could not flush within 5 s')
    },
    log: async () => {
      const logged = answerOf(child)
      child.send('log')
      await logged
    },
    end: (signal = 'SIGKILL') => child.kill(signal),
    ended: once(child, 'exit'),
  }
}

async function bundledEntry(): Promise<string> {
  const outfile = join(temporaryFolder(), 'server.mjs')
  const entryPoints = ['lib/kit/stamp-server.ts']
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' })
  return outfile
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController()
  const answer = once(child, 'message', { signal: ended.signal })
  const onExit = (code: number | null): void => ended.abort(new Error(`the program ended with code ${code}`))
  child.once('exit', onExit)
  return answer.then(([message]) => message).finally(() => child.off('exit', onExit))
}
