import { join } from 'node:path'
import * as z from 'zod'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { overviewSchema } from '../../lib/wire/overview'
import { OPENED_FLAG, SHOWN_FLAG } from '../../lib/wire/run'
import {
  type BufferedLines,
  bufferLines,
  describeExit,
  type RunningChild,
  startChild,
  stopInOrder,
} from './child-process'

/** How long the collector may take to finish requests and deliveries in progress. */
const GRACE_MS = 8_000

/**
 * libc reads it before any JavaScript runs. By default glibc gives each thread its own arena and returns little: with
 * bodies that one thread inflates and another frees, memory grew without end.
 */
export const NATIVE_MEMORY: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '2' }

const NODE_FLAGS: readonly string[] = [
  // Limits the young generation of the main thread to three times 8 MB; V8's default of 16 grows with any load. With 4,
  // the deliveries of a backlog cost a tenth more CPU time.
  '--max-semi-space-size=8',
  // Answers of upstreams are parsed in WebAssembly. They are small: V8's optimising compiler costs 30 MB for nothing.
  '--liftoff-only',
]

const messageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ready'),
    url: z.string(),
    dataFolder: z.string(),
    localDsn: z.string(),
    upstreams: z.array(z.object({ label: z.string(), standIn: z.boolean(), localDsn: z.string() })),
    otlp: z.object({
      url: z.string(),
      taken: z.number().nullable(),
      upstream: z.string().nullable(),
      staysLocal: z.boolean(),
    }),
    stranded: overviewSchema.shape.stranded,
  }),
  z.object({ type: z.literal('failed'), message: z.string() }),
])

/** The collector's message once it listens. */
export type CollectorReady = Extract<z.infer<typeof messageSchema>, { type: 'ready' }>

export type RunningCollector = RunningChild<Result<CollectorReady, NotReady>>

export interface NotReady {
  readonly message: string
  /** The process reported the reason itself. If not, its output is the only explanation. */
  readonly explained: boolean
}

interface CollectorPlan {
  readonly root: string
  readonly bundles: string
  readonly env: NodeJS.ProcessEnv
  readonly dataFolder: string
  readonly port: number
  readonly appUrl: string
  /** The build of Waystation's own app, whose source maps it may read. */
  readonly dist?: string
  /** The folder is a copy of a run: nothing is received, sent or changed. */
  readonly isShown?: boolean
  /** A run of which the collector makes a copy and shows it. */
  readonly opened?: string
  readonly onLine: (line: string) => void
}

export function startCollector(plan: CollectorPlan): RunningCollector {
  let resolveReady: (ready: Result<CollectorReady, NotReady>) => void
  const ready = new Promise<Result<CollectorReady, NotReady>>((resolve) => {
    resolveReady = resolve
  })
  const child = startChild({
    nodeFlags: NODE_FLAGS,
    script: join(plan.bundles, 'main.js'),
    args: plan.opened !== undefined ? [OPENED_FLAG, plan.opened] : plan.isShown === true ? [SHOWN_FLAG] : [],
    cwd: plan.root,
    env: {
      ...NATIVE_MEMORY,
      ...plan.env,
      WAYSTATION_DATA: plan.dataFolder,
      WAYSTATION_PORT: String(plan.port),
      WAYSTATION_APP_URL: plan.appUrl,
      ...(plan.dist !== undefined && { WAYSTATION_DIST: plan.dist }),
    },
    graceMs: GRACE_MS,
    onLine: plan.onLine,
    onMessage: (received) => {
      const parsed = messageSchema.safeParse(received)
      if (!parsed.success) return
      const message = parsed.data
      resolveReady(message.type === 'ready' ? succeed(message) : fail({ message: message.message, explained: true }))
    },
  })
  child.exited.then((exit) =>
    resolveReady(
      fail({ message: `The collector ended before it was ready (${describeExit(exit)}).`, explained: false }),
    ),
  )
  return { child, ready, stop: () => child.send({ type: 'stop' }) }
}

/** A collector whose output is buffered until it has started. */
export interface StartedCollector extends RunningCollector {
  readonly lines: BufferedLines
}

export function startWithOutput(plan: Omit<CollectorPlan, 'onLine'>): StartedCollector {
  const lines = bufferLines('collector', console.error)
  return { ...startCollector({ ...plan, onLine: lines.add }), lines }
}

/** How long a collector may take to stop before it is killed. With the app's time it is less than ten seconds. */
export const COLLECTOR_STOPS_WITHIN_MS = 6_500

/** Kills a collector that takes too long, or at once (`force`). @returns false after a kill */
export const stopCollector = (
  { child, stop }: Pick<RunningCollector, 'child' | 'stop'>,
  force: AbortSignal,
): Promise<boolean> => stopInOrder([{ child, stop, withinMs: COLLECTOR_STOPS_WITHIN_MS }], force)
