import { createReadStream, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { RUN_FILE_ENDING, RUN_PLAN_FILE, type RunPlan } from '../../lib/kit/run-file'
import { fail, type Result } from '../../lib/protocol/result'
import { BROWSER_OF_TEST, type ObservedTest, readObservedTest } from '../../lib/verdict/arrival/observed'
import { readTestLimit, TEST_LIMITS, writeTestLimit } from '../../lib/verdict/expectations/limited-tests'
import { type Report, truncateReport } from '../../lib/verdict/expectations/report'
import {
  readTestAllows,
  TEST_ALLOWS,
  type TestAllows,
  writeTestAllows,
} from '../../lib/verdict/expectations/test-allows'
import type { RunVerdict } from './manifest'

const FOLDER = 'suite'
/** Of all files of a suite; the rest is not judged. */
const MOST_SUITE_BYTES = 256 * 1024 * 1024
const MOST_PROBLEMS = 10

/**
 * Makes the folder in which the processes of a suite write.
 * @returns its path @throws the system error
 */
export function makeSuiteFolder(recording: string, plan: RunPlan): string {
  const folder = resolve(recording, FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, RUN_PLAN_FILE), JSON.stringify(plan), { mode: 0o600 })
  return folder
}

/** The reports of a suite to its run. */
export interface SuiteReports {
  readonly browsers: readonly ObservedTest[]
  readonly allows: readonly TestAllows[]
  /** Stamps of tests that set a rate limit, each perhaps several times. */
  readonly limited: readonly string[]
  /** Lines that could not be read, by file and number; empty otherwise. */
  readonly problems: readonly string[]
}

/** Reads the files of all test processes. A line that cannot be read, such as the last one of a killed process, is named. */
export async function readSuiteReports(
  folder: string,
  { most = MOST_SUITE_BYTES }: { readonly most?: number } = {},
): Promise<SuiteReports> {
  const lists: Lists = { browsers: [], allows: [], limited: [] }
  const problems: string[] = []
  let [bytes, wrong] = [0, 0]
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith(RUN_FILE_ENDING)) continue
    let number = 0
    for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
      number += 1
      bytes += line.length
      if (bytes > most) {
        problems.push(`the tests reported more than ${most} bytes; the rest is not judged`)
        return { ...lists, problems }
      }
      const problem = readEntry(parseLine(line), lists)
      if (problem === null) continue
      wrong += 1
      if (wrong <= MOST_PROBLEMS) problems.push(`${join(folder, name)}, line ${number} cannot be read: ${problem}`)
    }
  }
  if (wrong > MOST_PROBLEMS) problems.push(`${wrong - MOST_PROBLEMS} more lines cannot be read`)
  return { ...lists, problems }
}

/** The verdict that a run saves, with the reports of its tests. */
export const runVerdict = (report: Report, { browsers, allows, limited, problems }: SuiteReports): RunVerdict => ({
  report: truncateReport(report),
  tests: browsers,
  allowed: allows.map(writeTestAllows),
  limited: limited.map(writeTestLimit),
  problems,
})

/** The reports of tests in a saved verdict. */
export function suiteReportsOf({ tests, allowed, limited = [], problems }: RunVerdict): SuiteReports {
  const entries = [...tests, ...allowed, ...limited]
  const lists: Lists = { browsers: [], allows: [], limited: [] }
  const wrong = entries.flatMap((entry) => readEntry(isEntry(entry) ? entry : null, lists) ?? [])
  return {
    ...lists,
    problems: [...problems, ...new Set(wrong.map((why) => `a report of a test cannot be read: ${why}`))],
  }
}

interface Lists {
  readonly browsers: ObservedTest[]
  readonly allows: TestAllows[]
  readonly limited: string[]
}

/** Adds an entry to its list. @returns why it cannot be read, or `null` */
function readEntry(entry: Entry | null, { browsers, allows, limited }: Lists): string | null {
  const addTo = <One>(list: One[], read: Result<One, string>): string | null => {
    if (!read.ok) return read.error
    list.push(read.value)
    return null
  }
  switch (entry?.kind) {
    case BROWSER_OF_TEST:
      return addTo(browsers, readObservedTest(entry))
    case TEST_ALLOWS:
      return addTo(allows, readTestAllows(entry))
    case TEST_LIMITS:
      return addTo(limited, readTestLimit(entry))
    default:
      return addTo<never>(
        [],
        fail(`expected a JSON object of kind ${BROWSER_OF_TEST}, ${TEST_ALLOWS} or ${TEST_LIMITS}`),
      )
  }
}

interface Entry {
  readonly kind: unknown
}

const isEntry = (value: unknown): value is Entry => typeof value === 'object' && value !== null && 'kind' in value

function parseLine(line: string): Entry | null {
  try {
    const value: unknown = JSON.parse(line)
    return isEntry(value) ? value : null
  } catch {
    return null
  }
}
