import { createReadStream, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { RUN_PLAN_FILE, type RunPlan, WORKER_FILE_ENDING } from '../../lib/kit/run-file'
import { type ObservedTest, readObservedTest } from '../../lib/verdict/arrival/observed'

const FOLDER = 'suite'
/** A suite that writes more is judged by its first part. */
export const MOST_SUITE_BYTES = 256 * 1024 * 1024
const MOST_PROBLEMS = 5

/**
 * Makes the folder in which the workers of a suite write what their browsers did.
 * @returns its path @throws the system error
 */
export function makeSuiteFolder(recording: string, plan: RunPlan): string {
  const folder = join(recording, FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, RUN_PLAN_FILE), JSON.stringify(plan), { mode: 0o600 })
  return folder
}

export interface ObservedSuite {
  readonly tests: readonly ObservedTest[]
  /** Why a part could not be read; empty otherwise. */
  readonly gaps: readonly string[]
}

/** Reads the files of all workers. A line that cannot be read, such as the last one of a killed worker, is named. */
export async function readSuite(folder: string): Promise<ObservedSuite> {
  const names = readdirSync(folder).filter((name) => name.endsWith(WORKER_FILE_ENDING))
  const tests: ObservedTest[] = []
  const gaps: string[] = []
  let bytes = 0
  for (const name of names.sort()) {
    let number = 0
    for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
      number += 1
      bytes += line.length
      if (bytes > MOST_SUITE_BYTES)
        return {
          tests,
          gaps: [...gaps, `the suite wrote more than ${MOST_SUITE_BYTES} bytes, so the rest is not judged`],
        }
      const read = readLine(line)
      if (typeof read !== 'string') tests.push(...read)
      else if (gaps.length < MOST_PROBLEMS) gaps.push(`line ${number} of ${join(folder, name)} cannot be read: ${read}`)
    }
  }
  return { tests, gaps }
}

/** @returns the tests of a line, or why it cannot be read */
function readLine(line: string): readonly ObservedTest[] | string {
  try {
    const read = readObservedTest(JSON.parse(line))
    return read.ok ? [read.value] : read.error
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}
