import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { type CollectorClient, collectorClient } from '../../wire/collector-client'
import { checkNames } from '../check-options'
import { openRecording, type Recording } from '../recording'
import { unseenFetch } from './unseen-fetch'

/** What a wait lasts where it does not say: less than the 5 s that Vitest gives a test, so that its own words are read. */
const WAIT_MS = 4_000
/** So much of what it printed is told when it fails. */
const MOST_OUTPUT = 4_000

export interface CollectorOptions {
  /**
   * `stand-in` plays upstream, so that `recording.upstream` can limit and refuse; a DSN is relayed to. Nothing leaves the
   * machine when left out.
   */
  readonly upstream?: string
  /** Variables of the collector (`WAYSTATION_…`). It inherits none: what a shell has set is not what a test means. */
  readonly env?: Readonly<Record<string, string>>
  /** Where boards are served, for links in failures. */
  readonly appUrl?: string
  /** ms that a wait of its recordings lasts where it does not say; 4,000 when left out. */
  readonly waitMs?: number
}

/** A collector of a test's own: a process, a port and a temporary folder. */
export interface TestCollector {
  readonly url: string
  /** For an SDK's `dsn`. */
  readonly dsn: string
  readonly client: CollectorClient
  readonly pid: number
  /**
   * Opens a recording of what is sent with a stamp from now on; of a new stamp when left out. Each has a request open
   * until it is closed, and a collector takes 256 of them: close it at the end of its test.
   * @example Sentry.init({ dsn: collector.dsn, transportOptions: { headers: stampHeaders(recording.stamp) } })
   */
  readonly recording: (stamp?: string) => Promise<Recording>
  /**
   * Closes the recordings that are still open, ends it and removes its folder. It also ends when the test's process does.
   * @throws Error with the words of waits in those that came to nothing, and that nobody awaited
   */
  readonly stop: () => Promise<void>
}

const NOT_FLUSHED =
  'an SDK keeps spans and logs for some seconds: `await Sentry.flush()` once they are made; and `Sentry.init` has to have the collector’s dsn, and `transportOptions: { headers: stampHeaders(recording.stamp) }`'

const newsSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), url: z.string(), localDsn: z.string() }),
  z.object({ type: z.literal('failed'), message: z.string() }),
])

/** Starts a collector. @throws Error with the sentence that it failed with; TypeError where an option is none */
export async function startCollector(options: CollectorOptions = {}): Promise<TestCollector> {
  checkNames('startCollector', options, ['upstream', 'env', 'appUrl', 'waitMs'])
  const folder = mkdtempSync(join(tmpdir(), 'waystation-test-'))
  const collector = spawnCollector(findBundles(process.env), folder, options)
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  const removeAtExit = (): void => {
    collector.kill()
    remove()
  }
  process.once('exit', removeAtExit)
  const clearAway = async (): Promise<void> => {
    await collector.stop()
    process.off('exit', removeAtExit)
    await rm(folder, { recursive: true, force: true })
  }
  const ready = await collector.ready.catch(async (error: unknown) => {
    await clearAway()
    throw error
  })
  const token = options.env?.WAYSTATION_TOKEN
  const client = collectorClient(ready.url, unseenFetch, token ? { authorization: `Bearer ${token}` } : {})
  const recordings = new Set<Recording>()
  return {
    url: ready.url,
    dsn: ready.localDsn,
    client,
    pid: collector.pid,
    recording: async (stamp = freshStamp()) => {
      const recording = await openRecording({
        client,
        stamp,
        collectorUrl: ready.url,
        appUrl: options.appUrl ?? null,
        waitMs: options.waitMs ?? WAIT_MS,
        ifNothingCame: NOT_FLUSHED,
        gone: collector.gone,
      })
      recordings.add(recording)
      const close = (): Promise<readonly string[]> => {
        recordings.delete(recording)
        return recording.close()
      }
      return {
        ...recording,
        get headers() {
          return recording.headers
        },
        close,
      }
    },
    stop: async () => {
      const unawaited = await Promise.all([...recordings].map((recording) => recording.close()))
      recordings.clear()
      await clearAway()
      const words = unawaited.flat().map((one) => `a wait that nobody awaited came to nothing: ${one}`)
      if (words.length > 0) throw new Error(words.join('\n\n'))
    },
  }
}

interface Spawned {
  readonly pid: number
  readonly ready: Promise<{ readonly url: string; readonly localDsn: string }>
  /** Aborts when it has ended, by itself or not. */
  readonly gone: AbortSignal
  readonly kill: () => void
  /** Resolves when it is gone. */
  readonly stop: () => Promise<void>
}

function spawnCollector(bundles: string, folder: string, { upstream, env }: CollectorOptions): Spawned {
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(process.execPath, [join(bundles, 'main.js')], {
    env: {
      ...{ PATH, HOME, TMPDIR, NODE_ENV: 'production' },
      ...(upstream !== undefined && { WAYSTATION_UPSTREAM: upstream }),
      ...env,
      WAYSTATION_PORT: '0',
      WAYSTATION_DATA: folder,
    },
    // A terminal's Ctrl-C is for whoever runs the tests. It stops by itself when this end of its channel is gone.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-MOST_OUTPUT)
    })
  const gone = new AbortController()
  // Each recording listens until it is closed.
  setMaxListeners(0, gone.signal)
  const exited = new Promise<void>((resolve) => {
    const end = (how: string): void => {
      gone.abort(new Error(`the collector ended (${how})${output === '' ? '' : `: ${output.trim()}`}`))
      resolve()
    }
    child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`))
    child.once('error', (error) => end(error.message))
  })
  const ready = new Promise<{ readonly url: string; readonly localDsn: string }>((resolve, reject) => {
    child.on('message', (message) => {
      const news = newsSchema.safeParse(message)
      if (!news.success) return
      if (news.data.type === 'ready') resolve(news.data)
      else reject(new Error(news.data.message))
    })
    gone.signal.addEventListener('abort', () => reject(gone.signal.reason), { once: true })
  })
  const kill = (): void => {
    child.kill('SIGKILL')
  }
  // Until then, and while it ends, somebody waits for it: that keeps a program running.
  ready.then(
    () => letGo(child),
    () => undefined,
  )
  return {
    pid: child.pid ?? 0,
    ready,
    gone: gone.signal,
    kill,
    stop: async () => {
      child.ref()
      // Its folder goes with it: nothing in it is worth an orderly end.
      kill()
      await exited
    },
  }
}

/** It must not keep a program running that has done its work. */
function letGo(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref()
}

/**
 * The folder of the bundled collector: that of `WAYSTATION_BUILD`, else the one beside this module, as a package has it.
 * @throws Error where there is none
 */
export function findBundles(
  env: Readonly<Record<string, string | undefined>>,
  here = dirname(fileURLToPath(import.meta.url)),
): string {
  const build = env.WAYSTATION_BUILD
  // What is shared by several entries of the package lies one folder deeper.
  const folders = build ? [join(build, 'collector')] : [join(here, 'collector'), join(here, '..', 'collector')]
  const found = folders.find((folder) => existsSync(join(folder, 'main.js')))
  if (found !== undefined) return found
  const looked = folders.map((folder) => join(folder, 'main.js')).join(' and ')
  throw new Error(
    `there is no bundled collector at ${looked}: ${build ? 'WAYSTATION_BUILD names a folder without one' : 'install the package anew, or name a build by WAYSTATION_BUILD'}`,
  )
}

/** A stamp that nobody else has. */
const freshStamp = (): string => `test-${randomBytes(8).toString('hex')}`
