import { dataFolder } from '../../lib/config/data-folder'
import { type Environment, explainProblem, readEnvironment } from '../../lib/config/environment'
import { plainText } from '../../lib/format'
import { sleep, whenAborted } from '../../lib/time'
import { stopInOrder } from '../launch/child-process'
import { anyFreePort } from '../launch/ports'
import { startCollector } from '../launch/start-collector'
import { loadEnvironmentFiles } from '../launch/start-settings'
import { INTERRUPTED, type StopRequests } from '../launch/stop-requests.js'
import { type Redigested, redigestAt } from './ask-redigest'
import { appUrlOf, clientAt, refuse, WRONG_WORDS } from './asked-collector'
import { progressBar } from './terminal'

const STOPS_WITHIN_MS = 6_500
const LOOPBACK = '127.0.0.1'

/** What the set-up hands over. */
export interface RedigestHandover {
  readonly root: string
  /** Folder of the bundles. */
  readonly folder: string
  readonly stop: StopRequests
}

/**
 * `npm run redigest`: the running collector makes its rows anew; where none runs, one is started for it that relays
 * nothing, and stopped again.
 * @returns the exit code: 2 for a wrong variable, else 1 when it failed
 */
export async function redigest({ root, folder, stop }: RedigestHandover): Promise<number> {
  loadEnvironmentFiles(root, false)
  const read = readEnvironment(process.env)
  if (!read.ok) return refuse(WRONG_WORDS, read.error.map(explainProblem))
  const environment = read.value
  const running = await follow(environment.collectorUrl, environment, stop.first)
  if (running.ended !== 'none') return report(running)
  const own = startCollector({
    root,
    bundles: folder,
    env: withoutUpstream(process.env),
    dataFolder: dataFolder(environment.dataFolder, root),
    port: await anyFreePort([LOOPBACK]),
    appUrl: appUrlOf(environment),
    onLine: (line) => console.error(plainText(line)),
  })
  const ready = await Promise.race([own.ready, whenAborted(stop.first)])
  const end =
    ready === null
      ? ({ ended: 'stopped' } as const)
      : ready.ok
        ? await follow(ready.value.url, environment, stop.first)
        : ({ ended: 'failed', sentence: plainText(ready.error.message) } as const)
  await stopInOrder([{ child: own.child, stop: own.stop, withinMs: STOPS_WITHIN_MS }], stop.again)
  return stop.again.aborted ? INTERRUPTED : report(end)
}

async function follow(url: string, { token }: Environment, stop: AbortSignal): Promise<Redigested> {
  const bar = progressBar({ doing: 'Digesting again', out: process.stdout, now: () => performance.now() })
  const end = await redigestAt({
    collector: { url, client: clientAt(url, token) },
    pause: (ms) => sleep(ms, stop),
    stop,
    onProgress: bar.show,
  })
  if (end.ended === 'done') bar.end(`Digested again: ${end.done} envelopes in ${(end.ms / 1000).toFixed(1)} s.`)
  return end
}

function report(end: Redigested): number {
  if (end.ended === 'done') return 0
  if (end.ended === 'stopped') {
    console.error('Stopped; a collector that runs goes on by itself, and another goes on when it is started.')
    return INTERRUPTED
  }
  console.error(end.ended === 'failed' ? end.sentence : 'The collector was started and does not answer.')
  return 1
}

/** This one is only to make rows: what is pending stays pending. */
function withoutUpstream(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { WAYSTATION_UPSTREAM, WAYSTATION_DSNS, WAYSTATION_RELAY, WAYSTATION_COLLECTOR_URL, WAYSTATION_HOST, ...rest } =
    env
  return rest
}
