import { join } from 'node:path'
import * as z from 'zod'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { overviewSchema } from '../../lib/wire/overview'
import { type Child, describeExit, startChild } from './child-process'
import { NATIVE_MEMORY, QUICK_WASM_FLAG, SMALL_YOUNG_FLAG } from './native-memory'

/** How long the collector may take to finish what it has begun. */
const GRACE_MS = 8_000

const messageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ready'),
    url: z.string(),
    dataFolder: z.string(),
    localDsn: z.string(),
    upstreams: z.array(z.object({ label: z.string(), standIn: z.boolean(), localDsn: z.string() })),
    stranded: overviewSchema.shape.stranded,
    script: z.string().nullable(),
  }),
  z.object({ type: z.literal('failed'), message: z.string() }),
])

/** What the collector says of itself once it listens. */
export type CollectorReady = Extract<z.infer<typeof messageSchema>, { type: 'ready' }>

export interface RunningChild<Ready> {
  readonly child: Child
  readonly ready: Promise<Result<Ready, NotReady>>
  /** Asks it to stop; `child.exited` tells when it has. */
  readonly stop: () => void
}

export interface NotReady {
  readonly sentence: string
  /** It said itself why. If not, what it wrote is the only account. */
  readonly explained: boolean
}

export interface CollectorPlan {
  readonly root: string
  /** Folder of the bundles. */
  readonly bundles: string
  readonly env: NodeJS.ProcessEnv
  readonly dataFolder: string
  readonly port: number
  readonly appUrl: string
  readonly onLine: (line: string) => void
}

/** Starts the collector. */
export function startCollector(plan: CollectorPlan): RunningChild<CollectorReady> {
  let settle: (ready: Result<CollectorReady, NotReady>) => void
  const ready = new Promise<Result<CollectorReady, NotReady>>((resolve) => {
    settle = resolve
  })
  const child = startChild({
    nodeFlags: ['--enable-source-maps', SMALL_YOUNG_FLAG, QUICK_WASM_FLAG],
    script: join(plan.bundles, 'main.js'),
    args: [],
    cwd: plan.root,
    env: {
      ...NATIVE_MEMORY,
      ...plan.env,
      WAYSTATION_DATA: plan.dataFolder,
      WAYSTATION_PORT: String(plan.port),
      WAYSTATION_APP_URL: plan.appUrl,
    },
    graceMs: GRACE_MS,
    onLine: plan.onLine,
    onMessage: (received) => {
      const message = messageSchema.safeParse(received)
      if (!message.success) return
      const news = message.data
      settle(news.type === 'ready' ? succeed(news) : fail({ sentence: news.message, explained: true }))
    },
  })
  child.exited.then((exit) =>
    settle(fail({ sentence: `The collector ended before it was ready (${describeExit(exit)}).`, explained: false })),
  )
  return { child, ready, stop: () => child.tell({ type: 'stop' }) }
}
