import { expect as base, type Expect, type MatcherReturnType } from '@playwright/test'
import type { SeenEvent } from '../../evidence/evidence'
import type { Trace } from '../../expectations/trace'
import { matchers, type WaystationMatchers } from '../matchers'
import type { WithRecording } from '../matchers/received'

/** What a matcher may be asked of beside `telemetry`. */
interface Received {
  readonly toHaveSpan: Trace
  readonly toHaveSpanTree: Trace
  readonly toHaveBreadcrumbs: SeenEvent
}
type ReceivedBy<Name> = WithRecording | (Name extends keyof Received ? Received[Name] : never)

/** As Playwright wants them: what is given to `expect` comes first. Always to be awaited. */
type PlaywrightMatchers = {
  [Name in keyof WaystationMatchers]: (
    received: ReceivedBy<Name>,
    ...args: Parameters<WaystationMatchers[Name]>
  ) => Promise<MatcherReturnType>
}

/** Playwright's `expect`, with matchers for `telemetry` and what it gives. */
export const expect: Expect<PlaywrightMatchers> = base.extend(matchers)
