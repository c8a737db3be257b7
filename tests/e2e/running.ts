import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { neutralEnvironment } from '../../collector/launch/build/build.js'
import { type Child, stopInOrder } from '../../collector/launch/child-process'
import { anyFreePort } from '../../collector/launch/ports'
import { startApp } from '../../collector/launch/start-app'
import {
  type CollectorReady,
  type NotReady,
  type RunningCollector,
  startCollector,
} from '../../collector/launch/start-collector'
import type { Result } from '../../lib/protocol/result'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Tests use the app as a sender. */
const OWN_RELAYED = { WAYSTATION_RELAY_OWN: 'on' }
const STOPS_WITHIN_MS = 8_000

export interface RunningOptions {
  /** Settings as for `npm start`. With `WAYSTATION_DATA` the test provides the folder. */
  readonly env?: Readonly<Record<string, string>>
  /** `false`: no collector yet; `startCollector` starts it later, on the port that the app already uses. */
  readonly collector?: boolean
  /** `false`: only a collector. */
  readonly app?: boolean
}

export interface RunningWaystation {
  /** With the host `localhost`, without a trailing slash. */
  readonly appUrl: string
  readonly collectorUrl: string
  /** The local DSN of the collector; empty before its first start. */
  readonly localDsn: string
  readonly upstreams: CollectorReady['upstreams']
  readonly dataFolder: string
  /** `null` when it does not run. */
  readonly collectorPid: number | null
  readonly appPid: number | null
  /** Everything that both have printed so far. */
  readonly output: () => string
  /** Sends SIGKILL; resolves when the process has ended. */
  readonly killCollector: () => Promise<void>
  /** Starts the collector again with the same port and folder. */
  readonly startCollector: () => Promise<void>
  /** Stops both as the supervisor does, and removes the data folder unless the test provided it. */
  readonly stop: () => Promise<void>
}

/**
 * Starts app and collector from the build of `npm test`, on free ports, with a new data folder. These are the child
 * processes of `npm start`, without npm and the supervisor.
 */
export async function startWaystation(options: RunningOptions = {}): Promise<RunningWaystation> {
  const build = process.env.WAYSTATION_BUILD
  if (build === undefined) throw new Error('WAYSTATION_BUILD is not set; run these tests with `npm test -- flow e2e`')
  const madeFolder = options.env?.WAYSTATION_DATA === undefined ? mkdtempSync(join(tmpdir(), 'waystation-')) : null
  const dataFolder = madeFolder ?? options.env?.WAYSTATION_DATA ?? ''
  const env = {
    ...neutralEnvironment(process.env, 'production'),
    WAYSTATION_OTLP_PORT: 'off',
    ...OWN_RELAYED,
    ...options.env,
  }
  const [appPort, collectorPort] = [await anyFreePort(['127.0.0.1']), await anyFreePort(['127.0.0.1', '::1'])]
  const appUrl = `http://localhost:${appPort}`
  const collectorUrl = `http://127.0.0.1:${collectorPort}`
  const lines: string[] = []
  const onLine = (line: string) => lines.push(line)
  const output = () => lines.join('\n')

  let collector: RunningCollector | null = null
  let news: CollectorReady | null = null
  const begin = async () => {
    const plan = { root, bundles: join(build, 'collector'), env, dataFolder, port: collectorPort, appUrl, onLine }
    collector = startCollector(plan)
    news = expectReady(collector, await collector.ready, output)
  }
  if (options.collector !== false) await begin()

  const app =
    options.app === false
      ? null
      : startApp({
          root,
          dist: join(build, 'next'),
          tsconfig: join(build, 'tsconfig.json'),
          isDev: false,
          env,
          port: appPort,
          host: '127.0.0.1',
          appUrl,
          // A test may put a proxy between the two.
          collectorUrl: options.env?.WAYSTATION_COLLECTOR_URL ?? collectorUrl,
          dataFolder,
          onLine,
        })
  if (app !== null) expectReady(app, await app.ready, output)

  return {
    appUrl,
    collectorUrl,
    get localDsn() {
      return news?.localDsn ?? ''
    },
    get upstreams() {
      return news?.upstreams ?? []
    },
    get collectorPid() {
      return collector?.child.pid ?? null
    },
    appPid: app?.child.pid ?? null,
    dataFolder,
    output,
    killCollector: async () => {
      collector?.child.kill()
      await collector?.child.exited
      collector = null
    },
    startCollector: begin,
    stop: async () => {
      const stages = [app, collector].filter((running) => running !== null)
      await stopInOrder(
        stages.map(({ child, stop }) => ({ child, stop, withinMs: STOPS_WITHIN_MS })),
        new AbortController().signal,
      )
      if (madeFolder !== null) rmSync(madeFolder, { recursive: true, force: true })
    },
  }
}

function expectReady<Ready>(
  { child }: { readonly child: Child },
  ready: Result<Ready, NotReady>,
  output: () => string,
): Ready {
  if (ready.ok) return ready.value
  child.kill()
  throw new Error(`${ready.error.message}\n${output()}`)
}
