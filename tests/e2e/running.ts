import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { neutralEnvironment } from '../../collector/launch/build.js'
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
const STOPS_WITHIN_MS = 8_000

export interface RunningOptions {
  /** Settings, as a person would set them; `WAYSTATION_DATA` shares a folder that the test has made. */
  readonly env?: Readonly<Record<string, string>>
  /** `false`: no collector yet; `startCollector` starts it later, on the port that the app already asks. */
  readonly collector?: boolean
  /** `false`: a collector alone. */
  readonly app?: boolean
}

export interface RunningWaystation {
  /** By the name that people type; without a trailing slash. */
  readonly appUrl: string
  readonly collectorUrl: string
  /** As the collector tells it; empty until one has run. */
  readonly localDsn: string
  readonly upstreams: CollectorReady['upstreams']
  readonly dataFolder: string
  /** `null` when it does not run. */
  readonly collectorPid: number | null
  readonly appPid: number | null
  /** What both have written so far. */
  readonly output: () => string
  /** SIGKILL, and gone when this settles. */
  readonly killCollector: () => Promise<void>
  /** Starts it again, on the same port and folder. */
  readonly startCollector: () => Promise<void>
  /** Stops both as the supervisor does, and removes the data folder if this made it. */
  readonly stop: () => Promise<void>
}

/**
 * Starts app and collector from the build that `npm test` has made, on free ports, with a data folder of their own.
 * The same child processes as `npm start` runs, without npm and without a supervisor.
 */
export async function startWaystation(options: RunningOptions = {}): Promise<RunningWaystation> {
  const build = process.env.WAYSTATION_BUILD
  if (build === undefined) throw new Error('WAYSTATION_BUILD names no build; run these tests by `npm test -- flow e2e`')
  const madeFolder = options.env?.WAYSTATION_DATA === undefined ? mkdtempSync(join(tmpdir(), 'waystation-')) : null
  const dataFolder = madeFolder ?? options.env?.WAYSTATION_DATA ?? ''
  const env = { ...neutralEnvironment(process.env, 'production'), ...options.env }
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
          // A test may put something of its own between the two.
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
