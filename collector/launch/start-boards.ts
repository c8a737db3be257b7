import { whenAborted } from '../../lib/time'
import { endAll } from './child-process'
import { keepCollector } from './keep-collector'
import { collectorBlock, shownBlock } from './start-block'
import { type StartedCollector, startWithOutput, stopCollector } from './start-collector'
import { type CollectorSettings, printedSettings, refuseCollectorPort } from './start-settings'
import type { StopRequests } from './stop-requests.js'
import type { CurrentCollector } from './supervisor'

export interface BoardsPlan {
  readonly root: string
  readonly bundles: string
  readonly settings: CollectorSettings
  readonly env: NodeJS.ProcessEnv
  readonly stop: StopRequests
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** The folder is a copy of a run: nothing is received, sent or changed. */
  readonly isShown?: boolean
  /** Called with the address of the boards once they answer. */
  readonly onReady: (url: string) => void
}

/**
 * Starts a collector with its boards and no app, prints their addresses, and runs until a request to stop. Restarts a
 * collector that ends by itself. @returns the exit code
 */
export async function superviseBoards(plan: BoardsPlan): Promise<number> {
  const { stop } = plan
  const failed = new AbortController()
  const stopping = AbortSignal.any([stop.first, failed.signal])
  const collector = collectorOf(plan)
  const failure = await Promise.race([whenAborted(stop.first), runUntilGone(plan, collector, stopping)])
  failed.abort()
  const stopAll = (force: AbortSignal): Promise<boolean> => stopCollector(collector.current, force)
  return endAll({ failure, stop, stopAll, who: 'The collector' })
}

function collectorOf({ root, bundles, settings, env, isShown = false }: BoardsPlan): CurrentCollector {
  const { dataFolder, collectorPort: port, environment } = settings
  // At the default address of the app another project may listen: only a configured app may change anything.
  const appUrl = env.WAYSTATION_APP_URL || 'off'
  const start = (): StartedCollector => startWithOutput({ root, bundles, env, dataFolder, port, appUrl, isShown })
  return { current: start(), start, refusePort: () => refuseCollectorPort(port, environment) }
}

/** @returns why the collector is gone for good; null after a request to stop */
async function runUntilGone(
  { settings, sleep, isShown = false, onReady }: BoardsPlan,
  collector: CurrentCollector,
  stopping: AbortSignal,
): Promise<string | null> {
  const { ready, lines } = collector.current
  const started = await ready
  if (stopping.aborted) return null
  if (!started.ok) {
    if (!started.error.explained) lines.flush()
    return started.error.message
  }
  lines.passThrough()
  const colour = process.stdout.isTTY === true && !process.env.NO_COLOR
  const facts = { ...started.value, ...printedSettings(settings) }
  console.log((isShown ? shownBlock : collectorBlock)(facts, { colour }))
  onReady(started.value.url)
  return keepCollector({
    collector,
    stopping,
    now: () => performance.now(),
    sleep,
    log: console.error,
    meanwhile: isShown ? 'the boards do not answer' : 'SDKs that send to the DSN get no connection',
  })
}
