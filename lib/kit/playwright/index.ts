import { randomBytes } from 'node:crypto'
import { test as base } from '@playwright/test'
import { resolveOptions, type WaystationOptions } from './options'
import { createSession, type Session, type Telemetry } from './session'
import { stampOfTest } from './stamp'

export type { MatchTraceOptions } from '../matchers/to-match-trace'
export { WaitError } from '../waits'
export { expect } from './expect'
export type { WaystationOptions, WaystationTestOptions } from './options'
export type { Telemetry } from './session'

export interface WaystationFixtures {
  /** The telemetry of this test. */
  readonly telemetry: Telemetry
  readonly waystation: WaystationOptions
}

interface Inner {
  readonly waystationSession: Session
}

/**
 * Playwright's `test` with `telemetry`. Every test with a page is recorded: its pages get a stamp cookie, they are closed
 * before the verdict, and an unexpected error fails the test.
 *
 *     import { expect, test } from 'waystation/playwright'
 */
export const test = base.extend<WaystationFixtures & Inner>({
  waystation: [{}, { option: true }],
  waystationSession: async ({ waystation, baseURL }, use, info) => {
    const session = createSession({
      stamp: stampOfTest(info, randomBytes(6).toString('hex')),
      options: () => resolveOptions(waystation, baseURL, process.env),
      info,
      fetch,
      now: Date.now,
      env: process.env,
    })
    await use(session)
    await session.finish()
  },
  telemetry: async ({ waystationSession }, use) => use(await waystationSession.open()),
  context: async ({ context, waystation, waystationSession }, use) => {
    await waystationSession.addContext(context)
    if (waystation.everyTest !== false) await waystationSession.open()
    await use(context)
    await waystationSession.closePages(context)
  },
})
