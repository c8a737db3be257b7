import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { describeExit } from '../../collector/launch/child-process'
import { startCollector } from '../../collector/launch/start-collector'
import { type Storage, storageSchema } from '../../lib/wire/storage'

/** The bundled collector as `npm start` starts it, with nobody's settings but the bench's. */
export interface BenchedCollector {
  readonly url: string
  readonly pid: number
  readonly folder: string
  /** From the start of the process until it takes envelopes. */
  readonly readyMs: number
  /** Last record, and how far its rows go. */
  readonly progress: () => Progress
  readonly storage: () => Promise<Storage>
  readonly stop: () => Promise<void>
}

export interface Progress {
  readonly received: number
  readonly digested: number
}

/** Beyond what any run writes: nothing may be evicted while it is counted. */
const CAP = '32GiB'
/** `bench` is the key, 1 the project. */
export const INTAKE_PATH = '/api/1/envelope/?sentry_key=bench&sentry_version=7'

/**
 * @param given.upstream port of what plays upstream; `null` relays nothing.
 * @param given.profiles a folder in which each thread leaves a CPU profile when it ends.
 */
export async function startBenched(given: {
  readonly folder: string
  readonly upstream: number | null
  readonly profiles?: string | undefined
}): Promise<BenchedCollector> {
  const lines: string[] = []
  const began = performance.now()
  const running = startCollector({
    root: process.cwd(),
    bundles: fileURLToPath(new URL('.', import.meta.url)),
    env: {
      ...withoutSettings(process.env),
      NODE_ENV: 'production',
      WAYSTATION_MAX_DISK: CAP,
      ...(given.upstream !== null && { WAYSTATION_UPSTREAM: `http://bench@127.0.0.1:${given.upstream}/1` }),
      ...(given.profiles !== undefined && profilingInto(given.profiles)),
    },
    dataFolder: given.folder,
    port: 0,
    appUrl: 'http://127.0.0.1:3000',
    onLine: (line) => lines.push(line),
  })
  const ready = await running.ready
  const readyMs = performance.now() - began
  if (!ready.ok) throw new Error(`the collector did not start: ${ready.error.message} ${lines.join('\n')}`)
  const { url } = ready.value
  let stopping = false
  void running.child.exited.then((exit) => {
    if (stopping) return
    console.error(`The collector ended (${describeExit(exit)}).\n${lines.join('\n')}`)
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
      running.stop()
      await running.child.exited
      if (lines.length > 0) console.error(`The collector said:\n${lines.join('\n')}`)
    },
  }
}

const profilingInto = (folder: string): Record<string, string> => ({
  BENCH_PROFILES: folder,
  NODE_OPTIONS: `--import ${new URL('./profile-thread.js', import.meta.url).href}`,
})

const withoutSettings = (env: NodeJS.ProcessEnv): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:WAYSTATION_|SENTRY_|NODE_OPTIONS$)/.test(name)))

function numberIn(path: string, sql: string): number {
  const db = new Database(path, { readonly: true })
  try {
    return Number(db.prepare(sql).pluck().get() ?? 0)
  } finally {
    db.close()
  }
}
