import { whenAborted } from '../../lib/time'
import { type BufferedLines, bufferLines, describeExit, endAll, type RunningChild, stopInOrder } from './child-process'
import { loadEnvironmentFiles } from './environment-files'
import { startApp } from './start-app'
import { startBlock } from './start-block'
import {
  COLLECTOR_STOPS_WITHIN_MS,
  type CollectorReady,
  type NotReady,
  type StartedCollector,
  startWithOutput,
} from './start-collector'
import { printedSettings, readStartSettings, refuseCollectorPort, type StartSettings } from './start-settings'
import type { StopRequests } from './stop-requests.js'

/** With the collector's time less than ten seconds, the longest time that Ctrl-C may take. */
const APP_STOPS_WITHIN_MS = 3_000

export interface SuperviseInput {
  readonly root: string
  readonly folder: string
  readonly stop: StopRequests
}

/** The differences between `npm start` and `npm run dev`. */
interface SuperviseMode {
  readonly isDev: boolean
  readonly bundles: string
  readonly dist: string
  readonly tsconfig: string
  /**
   * Resolves with a message when the collector is gone for good, or null after a request to stop.
   * @param stopping aborts before everything is stopped
   */
  readonly watchCollector: (collector: CurrentCollector, stopping: AbortSignal) => Promise<string | null>
}

/** The running collector; `watchCollector` replaces it when it starts a new one. */
export interface CurrentCollector {
  current: StartedCollector
  readonly start: () => StartedCollector
  /** Returns null, or a message when another program has taken the port. */
  readonly refusePort: () => Promise<string | null>
}

/** Starts collector and app, prints their addresses, and runs until a request to stop or until one is gone for good. */
export async function supervise(input: SuperviseInput, mode: SuperviseMode): Promise<number> {
  // An exported NODE_ENV would select other .env files and another build of React.
  Object.assign(process.env, { NODE_ENV: mode.isDev ? 'development' : 'production' })
  loadEnvironmentFiles(input.root, mode.isDev)
  const settings = await readStartSettings(input.root, process.env)
  if (!settings.ok) {
    for (const message of settings.error.messages) console.error(message)
    return settings.error.code
  }
  const { stop } = input
  const failed = new AbortController()
  const stopping = AbortSignal.any([stop.first, failed.signal])
  const processes = startProcesses(input.root, settings.value, mode, stopping)
  // Null: a request to stop. A string: what went wrong.
  const failure = await Promise.race([whenAborted(stop.first), processes.run(stop.first)])
  failed.abort()
  return endAll({ failure, stop, stopAll: (force) => stopInOrder(processes.stopSteps(), force), who: 'A process' })
}

function startProcesses(root: string, settings: StartSettings, mode: SuperviseMode, stopping: AbortSignal) {
  const appUrl = process.env.WAYSTATION_APP_URL || `http://localhost:${settings.appPort}`
  const appLines = bufferLines('app', console.error)
  const { dataFolder, collectorPort, environment } = settings
  const start = (): StartedCollector => {
    const plan = {
      root,
      bundles: mode.bundles,
      env: process.env,
      dataFolder,
      port: collectorPort,
      appUrl,
      dist: mode.dist,
    }
    return startWithOutput(plan)
  }
  const refusePort = () => refuseCollectorPort(collectorPort, environment)
  const collector: CurrentCollector = { current: start(), start, refusePort }
  let app: RunningChild<unknown> | null = null

  /** Resolves with what went wrong, or with null after a request to stop. */
  const run = async (stop: AbortSignal): Promise<string | null> => {
    const { ready, lines } = collector.current
    const started = await ready
    if (stop.aborted) return null
    if (!started.ok) return explain(started.error, lines)
    lines.passThrough()
    const collectorGone = mode.watchCollector(collector, stopping)

    const startedApp = startApp({
      root,
      dist: mode.dist,
      tsconfig: mode.tsconfig,
      isDev: mode.isDev,
      env: process.env,
      port: settings.appPort,
      host: settings.appHost,
      appUrl,
      collectorUrl: started.value.url,
      dataFolder,
      onLine: appLines.add,
    })
    app = startedApp
    const appReady = await Promise.race([startedApp.ready, collectorGone])
    if (stop.aborted) return null
    if (appReady === null || typeof appReady === 'string') return appReady
    if (!appReady.ok) return explain(appReady.error, appLines)
    appLines.passThrough()
    const colour = process.stdout.isTTY === true && !process.env.NO_COLOR
    console.log(startBlock(startFacts(settings, appUrl, started.value), { colour }))
    const appGone = startedApp.child.exited.then((exit) => `The app ended unexpectedly (${describeExit(exit)}).`)
    return Promise.race([collectorGone, appGone])
  }
  const stopSteps = () => [
    ...(app === null ? [] : [{ child: app.child, stop: app.stop, withinMs: APP_STOPS_WITHIN_MS }]),
    { child: collector.current.child, stop: collector.current.stop, withinMs: COLLECTOR_STOPS_WITHIN_MS },
  ]
  return { run, stopSteps }
}

function explain({ message, explained }: NotReady, lines: BufferedLines): string {
  if (!explained) lines.flush()
  return message
}

const startFacts = (settings: StartSettings, appUrl: string, collector: CollectorReady) => ({
  appUrl,
  ...collector,
  ...printedSettings(settings),
  portInstead: settings.portInstead,
})
