import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

/** The folder through which `waystation run` and the workers of a suite exchange files. */
export const RUN_FOLDER_VARIABLE = 'WAYSTATION_RUN_FOLDER'
/** Written by `run` before the suite starts. */
export const RUN_PLAN_FILE = 'plan.json'
/** Ending of the files of workers: one JSON object per line. */
export const WORKER_FILE_ENDING = '.jsonl'

const planSchema = z.object({ pagesWithout: z.array(z.string()) })
/** Settings of the run's configuration that workers need. */
export type RunPlan = z.infer<typeof planSchema>

const NO_PLAN: RunPlan = { pagesWithout: [] }

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Adds a line to the file of this process, if it belongs to `waystation run`.
 * @throws the system error when the file cannot be written
 */
export function appendToRun(line: object, env: Variables): void {
  const folder = env[RUN_FOLDER_VARIABLE]
  if (folder === undefined || folder === '') return
  appendFileSync(join(folder, `${process.pid}${WORKER_FILE_ENDING}`), `${JSON.stringify(line)}\n`, { mode: 0o600 })
}

/** @throws the system error or a ZodError when the plan of the run cannot be read */
export function readRunPlan(env: Variables): RunPlan {
  const folder = env[RUN_FOLDER_VARIABLE]
  if (folder === undefined || folder === '') return NO_PLAN
  return planSchema.parse(JSON.parse(readFileSync(join(folder, RUN_PLAN_FILE), 'utf8')))
}
