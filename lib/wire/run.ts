import * as z from 'zod'
import { isRunName } from './run-text'

/** The argument of a collector process that shows a copy of a run. */
export const SHOWN_FLAG = '--shown'
/** Before the path of a run, of which a collector process makes and shows a copy. */
export const OPENED_FLAG = '--opened'

/** The file with the frames that source maps made readable, in a data folder and in a run. It may be missing. */
export const FRAMES_FILE = 'frames.db'

/** The file with the facts of a run, in its folder and in its archive. */
export const MANIFEST_FILE = 'manifest.json'

/** Facts of one `waystation run`, in its folder, in its file and on its boards. */
export const runFactsSchema = z.object({
  /** The program with its arguments, without their secrets. */
  command: z.string(),
  name: z.string().nullable(),
  /** The commit of the working directory; `null` outside of a repository. */
  commit: z.string().nullable(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  endedAt: z.number(),
  /** How the program ended. */
  exit: z.object({ code: z.number(), signal: z.string().nullable() }),
  /** `null` when nothing was judged. */
  verdict: z.enum(['pass', 'fail', 'incomplete']).nullable(),
})
export type RunFacts = z.infer<typeof runFactsSchema>

/** A check that did not pass. `found` counts all findings; `findings` has the first ones. */
const checkSchema = z.object({
  id: z.string(),
  title: z.string(),
  severity: z.enum(['warning', 'error']),
  found: z.number(),
  findings: z.array(
    z.object({
      about: z.string(),
      actual: z.string(),
      expected: z.string(),
      /** The page with the telemetry; `null` when it is not recorded. */
      page: z.string().nullable(),
    }),
  ),
})

/** The part of a recorded run that its home page shows. */
export const recordedRunSchema = runFactsSchema.extend({
  /** Why the verdict is incomplete; empty otherwise. */
  reasons: z.array(z.string()),
  passed: z.number(),
  checks: z.array(checkSchema),
})
export type RecordedRun = z.infer<typeof recordedRunSchema>

/** The boards of a run that was opened from this collector. */
const openedSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('opening') }),
  z.object({ state: z.literal('open'), url: z.string() }),
  z.object({ state: z.literal('failed'), message: z.string() }),
])
export type OpenedRun = z.infer<typeof openedSchema>

const listedRunSchema = z.object({
  id: z.string(),
  /** `null` while it is recorded, and when its command was killed. */
  facts: runFactsSchema.nullable(),
  isRecording: z.boolean(),
  isPinned: z.boolean(),
  /** Of its databases. */
  bytes: z.number(),
  boards: openedSchema.nullable(),
})
export type KeptRun = z.infer<typeof listedRunSchema>

/** `GET /query/runs`: the runs that `waystation run` keeps in the data folder, newest first. */
export const keptRunsSchema = z.object({
  folder: z.string(),
  /** The newest ones that are kept without a pin. */
  kept: z.number(),
  runs: z.array(listedRunSchema),
})
export type KeptRuns = z.infer<typeof keptRunsSchema>

/** `POST /control/runs`; it answers like `GET /query/runs`. `run` is an id. */
export const runOrderSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.enum(['pin', 'unpin', 'delete', 'open', 'close']), run: z.string() }),
  z.strictObject({ do: z.literal('name'), run: z.string(), name: z.string().refine(isRunName) }),
])
export type RunOrder = z.infer<typeof runOrderSchema>
