import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { neutralEnvironment } from '../../collector/launch/build/build.js'
import { describeExit, startChild, stopInOrder } from '../../collector/launch/child-process'
import { NATIVE_MEMORY, startCollector } from '../../collector/launch/start-collector'
import { sleep } from '../../lib/time'
import { type Storage, storageSchema } from '../../lib/wire/storage'

/** A child process of the benchmark that answers each request with one message. */
export interface BenchProcess {
  readonly pid: number
  /** The port in its first message; NaN for a program without a first message. */
  readonly port: number
  /** Only one request may be open at a time. */
  readonly request: (message: object) => Promise<unknown>
  /** Sends a message that has no answer. */
  readonly notify: (message: object) => void
  readonly end: () => Promise<void>
}

/**
 * Starts a program of the bundle.
 * @param hasPort its first message, sent without a request, contains the port on which it listens
 */
export async function startProcess(program: string, hasPort: boolean): Promise<BenchProcess> {
  let onAnswer: (answer: unknown) => void = () => undefined
  let onExit: (error: Error) => void = () => undefined
  const lines: string[] = []
  const nextMessage = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      onAnswer = resolve
      onExit = reject
    })
  const first = nextMessage()
  const child = startChild({
    nodeFlags: ['--enable-source-maps'],
    script: join(BUNDLES, `${program}.js`),
    args: [],
    cwd: process.cwd(),
    env: { ...process.env, ...NATIVE_MEMORY, NODE_ENV: 'production' },
    graceMs: 0,
    onLine: (line) => lines.push(line),
    onMessage: (message) => onAnswer(message),
  })
  void child.exited.then((exit) => onExit(new Error(`${program} exited (${describeExit(exit)}): ${lines.join('\n')}`)))
  const port = hasPort ? ((await first) as { readonly port: number }).port : Number.NaN
  return {
    pid: child.pid,
    port,
    request: (message) => {
      const answer = nextMessage()
      child.send({ ...message })
      return answer
    },
    notify: (message) => child.send({ ...message }),
    end: async () => {
      onExit = () => undefined
      child.kill()
      await child.exited
    },
  }
}

/** Starts a program as `startProcess` does, and ends it after the work. */
export async function withProcess<Value>(
  program: string,
  hasPort: boolean,
  work: (started: BenchProcess) => Promise<Value>,
): Promise<Value> {
  const started = await startProcess(program, hasPort)
  try {
    return await work(started)
  } finally {
    await started.end()
  }
}

const STUCK_MS = 30_000

/**
 * Polls until the work is done.
 * @param progress null when it is done, otherwise its progress as text
 * @throws when the progress has not changed for 30 s
 */
export async function waitForProgress(
  what: string,
  pollMs: number,
  progress: () => Promise<string | null>,
): Promise<void> {
  let last = ''
  let changedAt = performance.now()
  for (let now = await progress(); now !== null; now = await progress()) {
    if (now !== last) changedAt = performance.now()
    last = now
    if (performance.now() - changedAt > STUCK_MS)
      throw new Error(`no progress for ${STUCK_MS / 1000} s while waiting until ${what}: ${now}`)
    await sleep(pollMs)
  }
}

/** The bundled collector as `npm start` starts it, with the settings of the benchmark only. */
export interface BenchedCollector {
  readonly url: string
  readonly pid: number
  readonly folder: string
  /** From the start of the process until it accepts envelopes. */
  readonly readyMs: number
  /** Numbers of the last stored and the last digested record. */
  readonly progress: () => Progress
  readonly storage: () => Promise<Storage>
  /** Kills it after 8 s. @returns the exit code; null after a kill */
  readonly stop: () => Promise<number | null>
}

export interface Progress {
  readonly received: number
  readonly digested: number
}

/** More than any run writes: eviction would falsify the counts. */
const MAX_DISK = '32GiB'
const STOP_MS = 8000
/** With key `bench` and project 1. */
export const INTAKE_PATH = '/api/1/envelope/?sentry_key=bench&sentry_version=7'
/** The bundles of the product and of the programs of the benchmark. */
export const BUNDLES = fileURLToPath(new URL('.', import.meta.url))

/** The settings of a benchmark's collector. @param upstream port of the upstream server; null for a collector that relays nothing */
export const settings = (upstream: number | null): Readonly<Record<string, string>> => ({
  WAYSTATION_OTLP_PORT: 'off',
  WAYSTATION_MAX_DISK: MAX_DISK,
  ...(upstream !== null && { WAYSTATION_UPSTREAM: `http://bench@127.0.0.1:${upstream}/1` }),
})

/**
 * Starts a collector on a data folder and waits until it is ready.
 * @param given.upstream port of the upstream server; null for a collector that relays nothing
 * @param given.profiles a folder for one CPU profile of each thread, written when the thread ends
 * @param given.env further settings
 */
export async function startBenched(given: {
  readonly folder: string
  readonly upstream: number | null
  readonly profiles?: string | undefined
  readonly env?: Readonly<Record<string, string>>
  readonly appUrl?: string
}): Promise<BenchedCollector> {
  const lines: string[] = []
  const began = performance.now()
  const running = startCollector({
    root: process.cwd(),
    bundles: BUNDLES,
    env: {
      ...neutralEnvironment(process.env, 'production'),
      NODE_OPTIONS: undefined,
      ...settings(given.upstream),
      ...given.env,
      ...(given.profiles !== undefined && profilingInto(given.profiles)),
    },
    dataFolder: given.folder,
    port: 0,
    appUrl: given.appUrl ?? 'http://127.0.0.1:3000',
    onLine: (line) => lines.push(line),
  })
  const ready = await running.ready
  const readyMs = performance.now() - began
  if (!ready.ok) throw new Error(`cannot start the collector: ${ready.error.message} ${lines.join('\n')}`)
  const { url } = ready.value
  let stopping = false
  void running.child.exited.then((exit) => {
    if (stopping) return
    console.error(`The collector exited (${describeExit(exit)}).\n${lines.join('\n')}`)
    process.exit(1)
  })
  return {
    url,
    pid: running.child.pid,
    folder: given.folder,
    readyMs,
    progress: () => ({
      received: numberIn(join(given.folder, 'spool.db'), "SELECT seq FROM sqlite_sequence WHERE name = 'submissions'"),
      digested: numberIn(join(given.folder, 'telemetry.db'), 'SELECT seq FROM cursor'),
    }),
    storage: async () => storageSchema.parse(await (await fetch(`${url}/query/storage`)).json()),
    stop: async () => {
      stopping = true
      await stopInOrder([{ ...running, withinMs: STOP_MS }], new AbortController().signal)
      const output = lines.splice(0)
      if (output.length > 0) console.error(`Output of the collector:\n${output.join('\n')}`)
      return (await running.child.exited).code
    },
  }
}

const profilingInto = (folder: string): Record<string, string> => ({
  BENCH_PROFILES: folder,
  NODE_OPTIONS: `--import ${new URL('./profile-thread.js', import.meta.url).href}`,
})

function numberIn(path: string, sql: string): number {
  const db = new Database(path, { readonly: true })
  try {
    return Number(db.prepare(sql).pluck().get() ?? 0)
  } finally {
    db.close()
  }
}
