import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

/** The folder through which `waystation run` and the processes of a suite exchange files. */
export const RUN_FOLDER_VARIABLE = 'WAYSTATION_RUN_FOLDER'
/** Written by `run` before the suite starts. */
export const RUN_PLAN_FILE = 'plan.json'
/** Ending of the files of test processes: one JSON object per line. */
export const RUN_FILE_ENDING = '.jsonl'
export const MOST_RUN_FILE_BYTES = 256 * 1024 * 1024
const MOST_LINE_BYTES = 16 * 1024 * 1024

/** One line of a file. `kind` says how to read the other fields. */
export interface RunEntry {
  readonly kind: string
  readonly [field: string]: unknown
}

const planSchema = z.object({ pagesWithout: z.array(z.string()) })
/** Settings of the run's configuration that test processes need. */
export type RunPlan = z.infer<typeof planSchema>

const NO_PLAN: RunPlan = { pagesWithout: [] }

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Appends an entry as a line of JSON to the file of this process. Without `WAYSTATION_RUN_FOLDER`, as outside of a run,
 * there is nothing to report to.
 * @throws Error if the entry or the file is too large, or if the file cannot be written
 */
export function appendToRunFile(entry: RunEntry, env: Variables): void {
  const folder = env[RUN_FOLDER_VARIABLE]
  if (folder === undefined || folder === '') return
  const line = Buffer.from(`${JSON.stringify(entry)}\n`)
  if (line.length > MOST_LINE_BYTES)
    throw new Error(
      `an entry for waystation run must have at most ${MOST_LINE_BYTES} bytes, got ${line.length} of kind ${entry.kind}`,
    )
  const path = join(folder, `${process.pid}${RUN_FILE_ENDING}`)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size + line.length > MOST_RUN_FILE_BYTES)
    throw new Error(`${path} is full: a test process may report at most ${MOST_RUN_FILE_BYTES} bytes`)
  appendFileSync(path, line, { mode: 0o600 })
}

/** @throws the system error or a ZodError when the plan of the run cannot be read */
export function readRunPlan(env: Variables): RunPlan {
  const folder = env[RUN_FOLDER_VARIABLE]
  if (folder === undefined || folder === '') return NO_PLAN
  return planSchema.parse(JSON.parse(readFileSync(join(folder, RUN_PLAN_FILE), 'utf8')))
}
