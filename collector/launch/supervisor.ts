import { plainText } from '../../lib/format'
import { describeExit } from './child-process'
import { loadEnvironmentFiles } from './environment-files'
import { type HeldLines, holdLines } from './held-lines'
import { aborted } from './pause'
import { refuseCollectorPort, type Settled, settle } from './settle'
import { startApp } from './start-app'
import { startBlock } from './start-block'
import { type CollectorReady, type NotReady, type RunningChild, startCollector } from './start-collector'
import { stopInOrder } from './stop-in-order'
import { INTERRUPTED, type StopRequests } from './stop-requests.js'
import { terminalOf } from './terminal-of'

/** Together less than the ten seconds within which a Ctrl-C is obeyed. */
const APP_STOPS_WITHIN_MS = 3_000
const COLLECTOR_STOPS_WITHIN_MS = 6_500

/** What the set-up hands over, in the same process. */
export interface Handover {
  readonly root: string
  /** The build, or in development the folder of the bundles. */
  readonly folder: string
  readonly stop: StopRequests
}

/** Where things are, and what it means that a collector ends. */
export interface Mode {
  readonly isDev: boolean
  readonly bundles: string
  readonly dist: string
  readonly tsconfig: string
  /**
   * Settles with a sentence when the collector is gone for good.
   * @param over aborts before everything is stopped: an end that follows is wanted
   */
  readonly mind: (seat: CollectorSeat, over: AbortSignal) => Promise<string>
}

/** A collector and what it writes, which is held back until somebody passes it on. */
export interface SeatedCollector extends RunningChild<CollectorReady> {
  readonly lines: HeldLines
}

/** The collector that runs now; whoever minds it puts a new one into its place. */
export interface CollectorSeat {
  current: SeatedCollector
  readonly start: () => SeatedCollector
  /** `null`, or the sentence that says who took its port meanwhile. */
  readonly whyTaken: () => Promise<string | null>
}

/** Why it is over: somebody asked, or the sentence that says what went wrong. */
type Ending = 'asked' | string

/**
 * Starts collector and app, says where they are, and stays until it is asked to stop or one of them is gone for good.
 * @returns the exit code
 */
export async function supervise(handover: Handover, mode: Mode): Promise<number> {
  // Somebody's exported NODE_ENV would choose other .env files, and another React.
  Object.assign(process.env, { NODE_ENV: mode.isDev ? 'development' : 'production' })
  loadEnvironmentFiles(handover.root, mode.isDev)
  const settled = await settle(handover.root, process.env)
  if (!settled.ok) {
    for (const sentence of settled.error.sentences) console.error(sentence)
    return settled.error.code
  }
  const { stop } = handover
  const ended = new AbortController()
  const crew = muster(handover.root, settled.value, mode, AbortSignal.any([stop.first, ended.signal]))
  const ending = await Promise.race([aborted(stop.first).then((): Ending => 'asked'), crew.run(stop.first)])
  ended.abort()
  // A terminal shows ^C where the cursor was.
  const lineFeed = process.stderr.isTTY && stop.first.reason === 'interrupted' ? '\n' : ''
  console.error(ending === 'asked' ? `${lineFeed}Stopping …` : plainText(ending))
  const clean = await stopInOrder(crew.stages(), stop.again)
  if (stop.again.aborted) return INTERRUPTED
  if (!clean) console.error('It did not stop in time and was killed; what it had acknowledged is on disk.')
  else console.error('Stopped.')
  return ending === 'asked' && clean ? 0 : 1
}

/** Those who run, from the first to the last; `run` ends only when something has gone wrong, or after `stop`. */
function muster(root: string, settled: Settled, mode: Mode, over: AbortSignal) {
  const appUrl = process.env.WAYSTATION_APP_URL || `http://localhost:${settled.appPort}`
  const appLines = holdLines('app', console.error)
  const { dataFolder, collectorPort, environment } = settled
  const start = (): SeatedCollector => {
    const lines = holdLines('collector', console.error)
    const plan = { root, bundles: mode.bundles, env: process.env, dataFolder, port: collectorPort, appUrl }
    return { ...startCollector({ ...plan, onLine: lines.take }), lines }
  }
  const whyTaken = () => refuseCollectorPort(collectorPort, environment)
  const seat: CollectorSeat = { current: start(), start, whyTaken }
  let app: RunningChild<null> | null = null

  const run = async (stop: AbortSignal): Promise<Ending> => {
    const { ready, lines } = seat.current
    const collector = await ready
    if (stop.aborted) return 'asked'
    if (!collector.ok) return explain(collector.error, lines)
    lines.passOn()
    const gone = mode.mind(seat, over)

    app = startApp({
      root,
      dist: mode.dist,
      tsconfig: mode.tsconfig,
      isDev: mode.isDev,
      env: process.env,
      port: settled.appPort,
      host: settled.appHost,
      appUrl,
      collectorUrl: collector.value.url,
      dataFolder,
      onLine: appLines.take,
    })
    const up = await Promise.race([app.ready, gone])
    if (stop.aborted) return 'asked'
    if (typeof up === 'string') return up
    if (!up.ok) return explain(up.error, appLines)
    appLines.passOn()
    console.log(startBlock(factsOf(settled, appUrl, collector.value), terminalOf(process.stdout)))
    const appGone = app.child.exited.then((exit) => `The app ended by itself (${describeExit(exit)}).`)
    return Promise.race([gone, appGone])
  }
  const stages = () => [
    ...(app === null ? [] : [{ child: app.child, stop: app.stop, withinMs: APP_STOPS_WITHIN_MS }]),
    { child: seat.current.child, stop: seat.current.stop, withinMs: COLLECTOR_STOPS_WITHIN_MS },
  ]
  return { run, stages }
}

function explain(error: NotReady, lines: HeldLines): string {
  if (!error.explained) lines.show()
  return error.sentence
}

const factsOf = (settled: Settled, appUrl: string, collector: CollectorReady) => ({
  appUrl,
  collectorUrl: collector.url,
  localDsn: collector.localDsn,
  dataFolder: collector.dataFolder,
  upstreams: collector.upstreams,
  stranded: collector.stranded,
  script: collector.script,
  ignoresSentryDsn: settled.environment.ignoredSentryDsn !== null,
  guardedByToken: settled.environment.token !== undefined,
  portInstead: settled.portInstead,
})
