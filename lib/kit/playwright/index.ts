import { randomBytes } from 'node:crypto'
import { test as base } from '@playwright/test'
import { resolveOptions, type WaystationOptions } from './options'
import { createSession, type Session, type Telemetry } from './session'
import { stampOfTest } from './stamp'

export { WaitError } from '../waits'
export { expect } from './expect'
export type { WaystationOptions, WaystationTestOptions } from './options'
export type { Telemetry } from './session'

export interface WaystationFixtures {
  /** What is recorded of this test alone. */
  readonly telemetry: Telemetry
  readonly waystation: WaystationOptions
}

interface Inner {
  readonly waystationSession: Session
}

/**
 * Playwright's `test` with `telemetry`. Every test that has a page is recorded: its pages have a cookie of their own,
 * they are closed before the test is judged, and an error that nobody allowed fails it.
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
    })
    await use(session)
    await session.finish()
  },
  telemetry: async ({ waystationSession }, use) => use(await waystationSession.open()),
  context: async ({ context, waystation, waystationSession }, use) => {
    await waystationSession.know(context)
    if (waystation.everyTest !== false) await waystationSession.open()
    await use(context)
    await waystationSession.leave(context)
  },
})
