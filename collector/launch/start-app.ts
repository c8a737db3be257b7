import { join, relative } from 'node:path'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { runWithTimeout, sleep } from '../../lib/time'
import { type Child, describeExit, type RunningChild, startChild } from './child-process'
import type { NotReady } from './start-collector'

const GRACE_MS = 4_000
const PROBE_EVERY_MS = 50
/** A build answers at once; `next dev` first compiles what the probe requests, which takes minutes on a busy machine. */
const READY_TIMEOUT_MS = { built: 60_000, dev: 300_000 } as const

interface AppPlan {
  readonly root: string
  readonly dist: string
  /** Next writes into the project's tsconfig.json unless another one is named. */
  readonly tsconfig: string
  readonly isDev: boolean
  readonly env: NodeJS.ProcessEnv
  readonly port: number
  /** `null`: every address. */
  readonly host: string | null
  readonly appUrl: string
  readonly collectorUrl: string
  readonly dataFolder: string
  readonly onLine: (line: string) => void
}

export function startApp(plan: AppPlan): RunningChild<Result<null, NotReady>> {
  const child = startChild({
    nodeFlags: plan.isDev ? [] : ['--import', new URL('./close-streams.js', import.meta.url).href],
    script: join(plan.root, 'node_modules/next/dist/bin/next'),
    args: [plan.isDev ? 'dev' : 'start', ...(plan.host === null ? [] : ['-H', plan.host]), '-p', String(plan.port)],
    cwd: plan.root,
    env: {
      ...plan.env,
      NODE_ENV: plan.isDev ? 'development' : 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      PORT: String(plan.port),
      WAYSTATION_DIST: relative(plan.root, plan.dist),
      WAYSTATION_TSCONFIG: relative(plan.root, plan.tsconfig),
      WAYSTATION_APP_URL: plan.appUrl,
      WAYSTATION_COLLECTOR_URL: plan.collectorUrl,
      WAYSTATION_DATA: plan.dataFolder,
    },
    graceMs: GRACE_MS,
    onLine: plan.onLine,
    onMessage: () => undefined,
  })
  // On SIGTERM, `next dev` leaves a detached telemetry process behind. It has nothing to save, so kill it.
  return { child, ready: waitUntilReady(child, plan), stop: plan.isDev ? child.kill : child.terminate }
}

/** Probes the tunnel, because its requests are not traced: a request for a page would leave a trace. */
async function waitUntilReady(child: Child, { port, isDev }: AppPlan): Promise<Result<null, NotReady>> {
  const timeoutMs = isDev ? READY_TIMEOUT_MS.dev : READY_TIMEOUT_MS.built
  const gone = child.exited.then((exit) => `The app ended before it was ready (${describeExit(exit)}).`)
  const message = await runWithTimeout(timeoutMs, null, (signal) =>
    Promise.race([gone, probe(`http://127.0.0.1:${port}/tunnel`, signal)]),
  )
  return message === null ? succeed(null) : fail({ message, explained: false })
}

/** Returns null as soon as the address answers, or a message when the signal aborts. */
async function probe(url: string, signal: AbortSignal): Promise<string | null> {
  const began = performance.now()
  while (!signal.aborted) {
    try {
      const answer = await fetch(url, { method: 'OPTIONS', signal })
      await answer.body?.cancel()
      return null
    } catch (cause) {
      // fetch throws a TypeError while nothing listens.
      if (!(cause instanceof TypeError) && !signal.aborted) throw cause
      await sleep(PROBE_EVERY_MS, signal)
    }
  }
  return `The app does not answer within ${Math.round((performance.now() - began) / 1000)} s.`
}
