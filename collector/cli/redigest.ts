import { type Environment, explainProblem, readEnvironment } from '../../lib/config/environment'
import { dataFolder } from '../../lib/config/folders'
import { plainText } from '../../lib/format'
import { runWithTimeout, sleep, timeoutMessage, whenAborted } from '../../lib/time'
import { CollectorError } from '../../lib/wire/errors'
import type { Redigest } from '../../lib/wire/storage'
import { loadEnvironmentFiles } from '../launch/environment-files'
import { anyFreePort } from '../launch/ports'
import { startCollector, stopCollector } from '../launch/start-collector'
import { INTERRUPTED } from '../launch/stop-requests.js'
import type { SuperviseInput } from '../launch/supervisor'
import {
  ANSWER_TIMEOUT_MS,
  appUrlOf,
  type CollectorConnection,
  clientAt,
  explainFailedRequest,
  refuse,
} from './collector-connection'
import { USAGE_ERROR } from './exit-codes'
import { progressBar } from './terminal'

const LOOPBACK = '127.0.0.1'

/** When no collector runs, starts one that relays nothing. @returns 2 for a wrong setting, 1 for a failure */
export async function redigest({ root, folder, stop }: SuperviseInput): Promise<number> {
  loadEnvironmentFiles(root, false)
  const read = readEnvironment(process.env)
  if (!read.ok) return refuse(USAGE_ERROR, read.error.map(explainProblem))
  const environment = read.value
  const running = await followWithProgress(environment.collectorUrl, environment, stop.first)
  if (running.ended !== 'no collector') return printEnd(running)
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
        ? await followWithProgress(ready.value.url, environment, stop.first)
        : ({ ended: 'failed', message: plainText(ready.error.message) } as const)
  await stopCollector(own, stop.again)
  return stop.again.aborted ? INTERRUPTED : printEnd(end)
}

async function followWithProgress(url: string, { token }: Environment, stop: AbortSignal): Promise<RedigestEnd> {
  const bar = progressBar({ doing: 'Rebuilding the index', out: process.stdout, now: () => performance.now() })
  const end = await redigestAt({
    collector: { url, client: clientAt(url, token) },
    sleep: (ms) => sleep(ms, stop),
    stop,
    onProgress: bar.show,
  })
  if (end.ended === 'done')
    bar.end(`The index is rebuilt from ${end.done} envelopes in ${(end.ms / 1000).toFixed(1)} s.`)
  return end
}

function printEnd(end: RedigestEnd): number {
  if (end.ended === 'done') return 0
  if (end.ended === 'stopped') {
    console.error('Stopped. A running collector continues to rebuild the index; otherwise the next start continues.')
    return INTERRUPTED
  }
  console.error(end.ended === 'failed' ? end.message : 'The collector was started but does not answer.')
  return 1
}

/** This collector only rebuilds the index: pending envelopes stay pending, and the port of OpenTelemetry stays free. */
function withoutUpstream(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { WAYSTATION_UPSTREAM, WAYSTATION_DSNS, WAYSTATION_OTLP_UPSTREAM, WAYSTATION_RELAY, ...others } = env
  const { WAYSTATION_COLLECTOR_URL, WAYSTATION_HOST, ...rest } = others
  return { ...rest, WAYSTATION_OTLP_PORT: 'off' }
}

type RedigestEnd =
  | { readonly ended: 'done'; readonly done: number; readonly ms: number }
  | { readonly ended: 'no collector' }
  | { readonly ended: 'stopped' }
  | { readonly ended: 'failed'; readonly message: string }

const POLL_EVERY_MS = 250

interface RedigestInput {
  readonly collector: Pick<CollectorConnection, 'url' | 'client'>
  readonly sleep: (ms: number) => Promise<void>
  readonly stop: AbortSignal
  readonly onProgress: (done: number, of: number) => void
}

export async function redigestAt(input: RedigestInput): Promise<RedigestEnd> {
  const { client, url } = input.collector
  const begun = await request(input, client.redigest)
  if (!('rebuild' in begun)) return begun
  for (let state = begun; ; ) {
    if (input.stop.aborted) return { ended: 'stopped' }
    if (state.rebuild === null) return endOf(state, begun)
    input.onProgress(state.rebuild.done, state.rebuild.of)
    await input.sleep(POLL_EVERY_MS)
    const next = await request(input, client.redigestState)
    if ('rebuild' in next) state = next
    else if (next.ended !== 'no collector') return next
    else return { ended: 'failed', message: `The collector at ${url} has ended; its next start continues the rebuild.` }
  }
}

function endOf({ last }: Redigest, begun: Redigest): RedigestEnd {
  // The last finished rebuild may be an earlier one.
  if (last === null || last.startedAt < (begun.rebuild?.startedAt ?? 0))
    return {
      ended: 'failed',
      message: 'The collector gave up the rebuild of the index; its output contains the reason.',
    }
  return { ended: 'done', done: last.done, ms: last.endedAt - last.startedAt }
}

async function request(
  { collector, stop }: RedigestInput,
  send: (signal: AbortSignal) => Promise<Redigest>,
): Promise<Redigest | Exclude<RedigestEnd, { ended: 'done' }>> {
  try {
    return await runWithTimeout(ANSWER_TIMEOUT_MS, stop, send)
  } catch (cause) {
    if (stop.aborted) return { ended: 'stopped' }
    const isNoCollector = cause instanceof CollectorError && cause.status === null && timeoutMessage(cause) === null
    if (isNoCollector) return { ended: 'no collector' }
    return { ended: 'failed', message: explainFailedRequest(cause, collector).message }
  }
}
