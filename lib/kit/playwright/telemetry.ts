import type { BrowserContext } from '@playwright/test'
import type { AllowedError } from '../../verdict/expectations/unexpected-errors'
import type { SeenRequest } from '../../verdict/rules/rule'
import type { Recording } from '../recording'

/**
 * What the test's own pages, and the servers behind them, told of: nothing of another test's.
 *
 *     const loaded = telemetry.waitFor.transaction({ op: 'pageload', name: '/checkout' })
 *     await page.goto('/checkout')
 *     expect(await telemetry.trace(await loaded)).toHaveSpan({ op: 'db' })
 */
export interface Telemetry extends Recording {
  /** Requests that the browser was seen to make, in the order in which they began. */
  readonly requests: () => readonly SeenRequest[]
  /** An error that the test means to cause: it fails nothing. */
  readonly allow: (error: AllowedError['error']) => void
  /** Takes in a context that the test has made itself: call it before its first page goes anywhere. */
  readonly watch: (context: BrowserContext) => Promise<void>
}
