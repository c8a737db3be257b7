import { join, relative } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { type Child, describeExit, startChild } from './child-process'
import type { NotReady, RunningChild } from './start-collector'
import { within } from './within'

const GRACE_MS = 4_000
const ASK_EVERY_MS = 50
const ASK_TIMEOUT_MS = 60_000

export interface AppPlan {
  readonly root: string
  /** Next's folder of a build; in development the one it builds into. */
  readonly dist: string
  /** Next writes into the project's own unless it is given another. */
  readonly tsconfig: string
  readonly isDev: boolean
  readonly env: NodeJS.ProcessEnv
  readonly port: number
  /** `null` listens on every address. */
  readonly host: string | null
  readonly appUrl: string
  readonly collectorUrl: string
  readonly dataFolder: string
  readonly onLine: (line: string) => void
}

/** Starts the Next app, built or for development. */
export function startApp(plan: AppPlan): RunningChild<null> {
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
  // Asked to stop, `next dev` leaves a detached process behind that looks for telemetry to send, and saves nothing.
  return { child, ready: answers(child, plan.port), stop: plan.isDev ? child.kill : child.terminate }
}

/**
 * Waits for the first answer. Asked is the tunnel, because nothing on the line is traced: any page would leave a
 * trace of our asking.
 */
async function answers(child: Child, port: number): Promise<Result<null, NotReady>> {
  const gone = child.exited.then((exit) => `The app ended before it was ready (${describeExit(exit)}).`)
  const sentence = await within(ASK_TIMEOUT_MS, null, (until) =>
    Promise.race([gone, ask(`http://127.0.0.1:${port}/tunnel`, until)]),
  )
  return sentence === null ? succeed(null) : fail({ sentence, explained: false })
}

/** @returns `null` when it answers, else why not. */
async function ask(url: string, until: AbortSignal): Promise<string | null> {
  while (!until.aborted) {
    try {
      const answer = await fetch(url, { method: 'OPTIONS', signal: until })
      await answer.body?.cancel()
      return null
    } catch (cause) {
      // Not listening yet, or no longer: fetch says both with a TypeError, and its time-out with a DOMException.
      if (!(cause instanceof TypeError) && !until.aborted) throw cause
      await setTimeout(ASK_EVERY_MS)
    }
  }
  return `The app does not answer within ${ASK_TIMEOUT_MS / 1000} s.`
}
