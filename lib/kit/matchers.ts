import type { SeenBreadcrumb, SeenEvent, SeenSpan } from '../verdict/evidence/evidence'
import type { Criteria } from '../verdict/expectations/criteria'
import type { Trace } from '../verdict/expectations/trace'
import { toBackOff } from './matchers/to-back-off'
import { toHaveBreadcrumbs } from './matchers/to-have-breadcrumbs'
import { type LossOptions, toHaveNoLoss } from './matchers/to-have-no-loss'
import { type ErrorsOptions, toHaveNoUnexpectedErrors } from './matchers/to-have-no-unexpected-errors'
import { toHaveSpan } from './matchers/to-have-span'
import { toHaveSpanTree } from './matchers/to-have-span-tree'
import { type ContractOptions, toKeepTheContract } from './matchers/to-keep-the-contract'
import { type LeakOptions, toLeakNothing } from './matchers/to-leak-nothing'
import type { MatchTraceOptions } from './matchers/to-match-trace'

/** For `expect.extend` of any runner with Jest's matcher interface. `toMatchTrace` depends on the runner. */
export const matchers = {
  toHaveSpan,
  toHaveSpanTree,
  toHaveBreadcrumbs,
  toHaveNoUnexpectedErrors,
  toHaveNoLoss,
  toLeakNothing,
  toBackOff,
  toKeepTheContract,
}

/** Matchers for a trace (checked at once) or a recording (retried until they pass or the wait time is over). */
export interface TraceMatchers<Answer> {
  /**
   * The trace, or any trace of the recording, has a matching span.
   * @example expect(trace).toHaveSpan({ op: 'http.client', attributes: { 'http.response.status_code': 200 } })
   */
  toHaveSpan: (criteria: Criteria<SeenSpan>) => Answer
  /**
   * The spans form a path as in the pattern: `>` means child, `>>` descendant. A step is an op and an optional name; `*`
   * matches any text, and a name that contains `>`, `[` or `{` is quoted. `[…]` limits durations and attributes, `{…}` counts.
   * @example expect(trace).toHaveSpanTree('pageload > http.client GET /api/cart > http.server >> db*')
   * @example expect(trace).toHaveSpanTree('http.server[http.route=/api/cart, <200ms] >> db*{..5}')
   */
  toHaveSpanTree: (pattern: string) => Answer
}

/** Matchers for a trace. */
export interface GoldenMatchers {
  /**
   * The spans of the trace match the file `__traces__/NAME.trace.txt` next to the test. Ids, numbers, order and durations do
   * not count. Without the file it is written, except in CI; `vitest -u` and `playwright test --update-snapshots` update it.
   * @example expect(await telemetry.trace(await loaded)).toMatchTrace('checkout')
   */
  toMatchTrace: (name: string, options?: MatchTraceOptions) => void
}

/** Matchers for an error (checked at once) or a recording (retried until they pass or the wait time is over). */
export interface ErrorMatchers<Answer> {
  /**
   * The breadcrumbs of the error, or of all errors of the recording, contain these in this order. Others may be between.
   * @example await expect(telemetry).toHaveBreadcrumbs([{ category: 'ui.click' }, { category: 'fetch' }])
   */
  toHaveBreadcrumbs: (wanted: readonly Criteria<SeenBreadcrumb>[]) => Answer
}

/** Matchers for a recording. */
export interface RecordingMatchers {
  /**
   * No error arrived, except allowed ones.
   * @example await expect(telemetry).toHaveNoUnexpectedErrors({ allow: [{ error: /^Abort/, until: '2026-12-31', why: '#12' }] })
   */
  toHaveNoUnexpectedErrors: (options?: ErrorsOptions) => Promise<void>
  /**
   * No telemetry with the stamp was lost in the SDK, in transit or upstream, except for allowed reasons.
   * @example await expect(telemetry).toHaveNoLoss({ allow: ['network_error'] })
   */
  toHaveNoLoss: (options?: LossOptions) => Promise<void>
  /**
   * No password, token, card number or similar secret was sent, except allowed values. The failure names the position, never
   * the value.
   * @example await expect(telemetry).toLeakNothing({ allow: [{ path: 'breadcrumbs.*.message', pattern: /^test_/ }] })
   */
  toLeakNothing: (options?: LeakOptions) => Promise<void>
  /**
   * A page with a rate limit sent nothing of that category until the limit ended. A page receives a limit with the answer
   * to its next post after the refused one. It needs the page header: set
   * `transportOptions: { headers: { 'x-waystation-page': crypto.randomUUID() } }` in `Sentry.init`, or use `stampHeaders()`
   * of `waystation/vitest`.
   * @example await telemetry.upstream.limit({ category: 'error', seconds: 2 }) // …and at the end of the test:
   * await expect(telemetry).toBackOff('error')
   */
  toBackOff: (category: string) => Promise<void>
  /**
   * No rule of the contract fails. Rules without data do not count, unless they are named.
   * @example await expect(telemetry).toKeepTheContract({ rules: { 'missing-release': 'off' } })
   */
  toKeepTheContract: (options?: ContractOptions) => Promise<void>
}

/**
 * Matchers for a trace, an error or a recording. On a recording, matchers for a span, a tree or breadcrumbs retry until
 * they pass or the wait time is over; all others wait until telemetry settles. So await each of them.
 *
 * In Playwright a matcher that checks for absence, or checks everything, first closes the test's pages, because pages send
 * telemetry while they close: write it last. `toBackOff` and matchers that search for something keep pages open.
 *
 * Nothing passes without data: if no relevant telemetry was recorded, or not all of it could be read, a matcher fails with
 * the reason, also with `.not`.
 */
export interface WaystationMatchers<Received = unknown>
  extends TraceMatchers<Received extends Trace ? void : Promise<void>>,
    GoldenMatchers,
    ErrorMatchers<Received extends SeenEvent ? void : Promise<void>>,
    RecordingMatchers {}
