import * as vitest from 'vitest'
import { SYSTEM_CLOCK } from '../clock'
import { matchers as common, type WaystationMatchers } from '../matchers'
import { type CollectorOptions, startCollector as start, type TestCollector } from './start-collector'
import { noteProject, toMatchTrace } from './to-match-trace'

export type { Evidence } from '../../verdict/evidence/evidence'
export type { Trace } from '../../verdict/expectations/trace'
export type { WaystationMatchers } from '../matchers'
export type { MatchTraceOptions } from '../matchers/to-match-trace'
export type { Recording } from '../recording'
export { stampHeaders } from '../stamp-headers'
export type { WaitFor, WaitOptions } from '../waits'
export { WaitError } from '../waits'
export type { CollectorOptions, TestCollector } from './start-collector'

declare module 'vitest' {
  interface Matchers<T> extends WaystationMatchers<T> {}
}

/** For `expect.extend` of another `expect`. */
export const matchers = { ...common, toMatchTrace }

// Importing this module adds the matchers.
vitest.expect.extend(matchers)

let runningSince: number | null = null

// A retry has the start time of the first attempt. Imports come first, so this hook runs before those of the test file.
vitest.beforeEach(({ task, onTestFinished }) => {
  noteProject(task.file.projectName)
  if (task.concurrent === true) return
  runningSince = SYSTEM_CLOCK.today()
  onTestFinished(() => {
    runningSince = null
  })
})

/** Vitest 4.1 and later. */
const { TestRunner }: Partial<Pick<typeof vitest, 'TestRunner'>> = vitest

/**
 * When the running test began, in ms since the epoch. With `isolate: false` a second file gets this module from the cache,
 * so it has no hook, and the first attempt counts. `null` outside a test, and in concurrent tests, because Vitest does not say
 * which of them runs.
 */
function testStart(): number | null {
  const test = TestRunner?.getCurrentTest()
  if (test?.concurrent === true) return null
  return runningSince ?? test?.result?.startTime ?? null
}

/**
 * Starts a collector for the tests of a file. Within `waystation run` it joins the collector of the run.
 * @throws Error with the message of a failed start; TypeError for unknown options
 */
export const startCollector = (options?: CollectorOptions): Promise<TestCollector> => start(options, testStart)
