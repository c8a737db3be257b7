import { beforeEach, expect } from 'vitest'
import { getCurrentTest } from 'vitest/suite'
import { SYSTEM_CLOCK } from '../clock'
import { matchers, type WaystationMatchers } from '../matchers'
import { type CollectorOptions, startCollector as start, type TestCollector } from './start-collector'

export type { Evidence } from '../../verdict/evidence/evidence'
export type { Trace } from '../../verdict/expectations/trace'
export { matchers, type WaystationMatchers } from '../matchers'
export type { Recording } from '../recording'
export { stampHeaders } from '../stamp-headers'
export type { WaitFor, WaitOptions } from '../waits'
export { WaitError } from '../waits'
export type { CollectorOptions, TestCollector } from './start-collector'

declare module 'vitest' {
  interface Matchers<T> extends WaystationMatchers<T> {}
}

// Importing this module adds the matchers.
expect.extend(matchers)

let attempt: { readonly id: string; readonly at: number } | null = null

// A retry has the start time of the first attempt. Imports come first, so this hook runs before those of the test file.
beforeEach(({ task }) => {
  attempt = { id: task.id, at: SYSTEM_CLOCK.today() }
})

/**
 * When the running test began, in ms since the epoch: its latest attempt where the test's file evaluated this module, else
 * its first attempt (with `isolate: false`, a second file gets the module from the cache). `null` outside a test, and in
 * concurrent tests, because Vitest does not say which of them runs.
 */
function testStart(): number | null {
  const test = getCurrentTest()
  if (test === undefined || test.concurrent === true) return null
  return attempt?.id === test.id ? attempt.at : (test.result?.startTime ?? null)
}

/**
 * Starts a collector for the tests of a file.
 * @throws Error with the message of a failed start; TypeError for unknown options
 */
export const startCollector = (options?: CollectorOptions): Promise<TestCollector> => start(options, testStart)
