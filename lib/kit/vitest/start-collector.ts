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
import { appendToRunFile } from '../run-file'
import { socketFetch } from './socket-fetch'

/** Default time-out of a wait: below Vitest's test time-out of 5 s, so that the wait's message is shown. */
const WAIT_MS = 4_000
/** Characters of its output that are shown if it fails. */
const MOST_OUTPUT = 4_000

export interface CollectorOptions {
  /** `stand-in` (`recording.upstream` scripts it) or a DSN to relay to. Without it nothing leaves the machine. */
  readonly upstream?: string
  /**
   * Variables of the collector (`WAYSTATION_…`). It inherits none, so that tests do not depend on the shell. With them it
   * has a collector of its own, also within `waystation run`.
   */
  readonly env?: Readonly<Record<string, string>>
  /** Address of the boards, for links in failures. */
  readonly appUrl?: string
  /** Default time-out of waits in ms; 4,000 by default. */
  readonly waitMs?: number
}

/**
 * A collector for tests: that of `waystation run` within a run, else a process with a free port and a temporary folder.
 */
export interface TestCollector {
  readonly url: string
  /** For an SDK's `dsn`. */
  readonly dsn: string
  readonly client: CollectorClient
  /** `null` for the collector of `waystation run`. */
  readonly pid: number | null
  /**
   * Opens a recording of a stamp, by default a new one. Each keeps a request open, and a collector accepts 256 of them, so
   * close it at the end of its test.
   * @example Sentry.init({ dsn: collector.dsn, transportOptions: { headers: stampHeaders(recording.stamp) } })
   */
  readonly recording: (stamp?: string) => Promise<Recording>
  /**
   * Closes open recordings. Stops a collector of its own and removes its folder, which also happens when the test process
   * ends.
   * @throws Error with the messages of failed waits that were never awaited
   */
  readonly stop: () => Promise<void>
}

const FLUSH_HINT =
  'SDKs buffer spans and logs: call `await Sentry.flush()`; and `Sentry.init` needs the collector’s dsn and `transportOptions: { headers: stampHeaders(recording.stamp) }`'

const newsSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), url: z.string(), localDsn: z.string() }),
  z.object({ type: z.literal('failed'), message: z.string() }),
])

/**
 * Starts a collector, or joins that of `waystation run`.
 * @param testStart when the running test began, in ms since the epoch; `null` outside a test
 * @throws Error with the message of a failed start; TypeError for unknown options
 */
export async function startCollector(
  options: CollectorOptions = {},
  testStart: () => number | null = () => null,
): Promise<TestCollector> {
  checkNames('startCollector', options, ['upstream', 'env', 'appUrl', 'waitMs'])
  const { collectorUrl, dsn, token, isJoined, collector, stop } = (await joinRun(options)) ?? (await startOwn(options))
  const client = clientOf(collectorUrl, token)
  const recordings = new Set<Recording>()
  return {
    url: collectorUrl,
    dsn,
    client,
    pid: collector?.pid ?? null,
    recording: async (stamp = randomStamp()) => {
      const recording = await openRecording({
        client,
        stamp,
        collectorUrl,
        appUrl: options.appUrl ?? null,
        waitMs: options.waitMs ?? WAIT_MS,
        startedAt: testStart,
        emptyHint: FLUSH_HINT,
        ...(collector !== null && { gone: collector.gone }),
        // A run judges only its own collector.
        ...(isJoined && { report: (entry) => appendToRunFile(entry, process.env) }),
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
      await stop()
      const words = unawaited.flat().map((one) => `a wait without await failed: ${one}`)
      if (words.length > 0) throw new Error(words.join('\n\n'))
    },
  }
}

interface Connection {
  readonly collectorUrl: string
  readonly dsn: string
  readonly token: string | undefined
  readonly isJoined: boolean
  /** `null` for the collector of `waystation run`, which ends with the run. */
  readonly collector: Spawned | null
  readonly stop: () => Promise<void>
}

const clientOf = (url: string, token: string | undefined): CollectorClient =>
  collectorClient(url, socketFetch, token ? { authorization: `Bearer ${token}` } : {})

/**
 * The collector of `waystation run`, so that the run judges the telemetry of these tests. `null` outside of a run, and for
 * options that this collector does not have: variables of its own, or an upstream other than a stand-in that it has.
 * @throws CollectorError if the collector does not answer
 */
async function joinRun({ upstream, env }: CollectorOptions): Promise<Connection | null> {
  const { WAYSTATION_RUN_FOLDER, WAYSTATION_COLLECTOR_URL: url, WAYSTATION_DSN: dsn, WAYSTATION_TOKEN } = process.env
  if (!WAYSTATION_RUN_FOLDER || !url || !dsn || env !== undefined) return null
  const token = WAYSTATION_TOKEN
  if (upstream !== undefined && (upstream !== 'stand-in' || (await clientOf(url, token).standIn()) === null))
    return null
  return { collectorUrl: url, dsn, token, isJoined: true, collector: null, stop: async () => undefined }
}

/** Starts a collector with a temporary folder. */
async function startOwn(options: CollectorOptions): Promise<Connection> {
  const folder = mkdtempSync(join(tmpdir(), 'waystation-test-'))
  const collector = spawnCollector(findBundles(process.env), folder, options)
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  const removeAtExit = (): void => {
    collector.kill()
    remove()
  }
  process.once('exit', removeAtExit)
  const stop = async (): Promise<void> => {
    await collector.stop()
    process.off('exit', removeAtExit)
    await rm(folder, { recursive: true, force: true })
  }
  const ready = await collector.ready.catch(async (error: unknown) => {
    await stop()
    throw error
  })
  const token = options.env?.WAYSTATION_TOKEN
  return { collectorUrl: ready.url, dsn: ready.localDsn, token, isJoined: false, collector, stop }
}

interface Spawned {
  readonly pid: number
  readonly ready: Promise<{ readonly url: string; readonly localDsn: string }>
  readonly gone: AbortSignal
  readonly kill: () => void
  readonly stop: () => Promise<void>
}

function spawnCollector(bundles: string, folder: string, { upstream, env }: CollectorOptions): Spawned {
  const { PATH, HOME, TMPDIR, npm_config_user_agent } = process.env
  const child = spawn(process.execPath, [join(bundles, 'main.js')], {
    env: {
      ...{ PATH, HOME, TMPDIR, npm_config_user_agent, NODE_ENV: 'production' },
      ...(upstream !== undefined && { WAYSTATION_UPSTREAM: upstream }),
      // Test processes run next to each other; `env` may set a port.
      WAYSTATION_OTLP_PORT: 'off',
      ...env,
      WAYSTATION_PORT: '0',
      WAYSTATION_DATA: folder,
    },
    // Detached, so that Ctrl-C only reaches the test runner. It stops when its IPC channel closes.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-MOST_OUTPUT)
    })
  const gone = new AbortController()
  // Each open recording adds a listener.
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
  // While it starts and stops, it must keep the program running.
  ready.then(
    () => releaseProcess(child),
    () => undefined,
  )
  return {
    pid: child.pid ?? 0,
    ready,
    gone: gone.signal,
    kill,
    stop: async () => {
      child.ref()
      // Killed, because its folder is removed anyway.
      kill()
      await exited
    },
  }
}

/** Lets the program end while the collector is running. */
function releaseProcess(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref()
}

/** Below `WAYSTATION_BUILD`, or next to this module in the package. @throws Error if there is none */
export function findBundles(
  env: Readonly<Record<string, string | undefined>>,
  here = dirname(fileURLToPath(import.meta.url)),
): string {
  const build = env.WAYSTATION_BUILD
  // Modules shared by several entries of the package are one folder deeper.
  const folders = build ? [join(build, 'collector')] : [join(here, 'collector'), join(here, '..', 'collector')]
  const found = folders.find((folder) => existsSync(join(folder, 'main.js')))
  if (found !== undefined) return found
  const looked = folders.map((folder) => join(folder, 'main.js')).join(' and ')
  throw new Error(
    `no bundled collector at ${looked}; ${build ? 'WAYSTATION_BUILD must be a folder with a build' : 'reinstall the package, or set WAYSTATION_BUILD to a build'}`,
  )
}

const randomStamp = (): string => `test-${randomBytes(8).toString('hex')}`
