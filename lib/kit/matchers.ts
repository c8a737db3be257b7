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
import { toLeakNothing } from './matchers/to-leak-nothing'

export type { ContractOptions, ErrorsOptions, LossOptions }

/** For `expect.extend` of any runner that takes Jest's matchers. */
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

/** What a trace can be asked: at once, and a recording until it holds or the time of a wait is over. */
export interface TraceMatchers<Answer> {
  /**
   * There is a span as wanted, in this trace or in any of the recording.
   * @example expect(trace).toHaveSpan({ op: 'http.client', attributes: { 'http.response.status_code': 200 } })
   */
  toHaveSpan: (criteria: Criteria<SeenSpan>) => Answer
  /**
   * There is a line of spans as drawn: `>` leads to a child, `>>` to anything below. A step is an op and, where it
   * matters, a name; `*` stands for any signs, and a name with `>` in it is quoted.
   * @example expect(trace).toHaveSpanTree('pageload > http.client GET /api/cart > http.server >> db*')
   */
  toHaveSpanTree: (pattern: string) => Answer
}

/** What an error can be asked: at once, and a recording until it holds or the time of a wait is over. */
export interface ErrorMatchers<Answer> {
  /**
   * These breadcrumbs were left in this order, others between them or not: of one error, or of the recording's together.
   * @example await expect(telemetry).toHaveBreadcrumbs([{ category: 'ui.click' }, { category: 'fetch' }])
   */
  toHaveBreadcrumbs: (wanted: readonly Criteria<SeenBreadcrumb>[]) => Answer
}

/** What a recording alone can be asked. */
export interface RecordingMatchers {
  /**
   * No error arrived but those that are allowed.
   * @example await expect(telemetry).toHaveNoUnexpectedErrors({ allow: [{ error: /^Abort/, until: '2026-12-31', why: '#12' }] })
   */
  toHaveNoUnexpectedErrors: (options?: ErrorsOptions) => Promise<void>
  /**
   * Nothing that carries the stamp was lost, by the SDK, on the way or upstream, but for reasons that are allowed.
   * @example await expect(telemetry).toHaveNoLoss({ allow: ['sample_rate'] })
   */
  toHaveNoLoss: (options?: LossOptions) => Promise<void>
  /**
   * No password, token, card number or the like is in anything that was sent. The failure says where, never what.
   * @example await expect(telemetry).toLeakNothing()
   */
  toLeakNothing: () => Promise<void>
  /**
   * A page that was told of a limit sent nothing more of that category until its end. It is told by the answer to its next
   * post, behind the one that upstream refused, and it is known by name alone: a client names itself in `Sentry.init` by
   * `transportOptions: { headers: { 'x-waystation-page': crypto.randomUUID() } }`, as `stampHeaders()` of
   * `waystation/vitest` does.
   * @example await telemetry.upstream.limit({ category: 'error', seconds: 2 }) // …and at the end of the test:
   * await expect(telemetry).toBackOff('error')
   */
  toBackOff: (category: string) => Promise<void>
  /**
   * Every rule of the contract holds that could be judged from what was recorded.
   * @example await expect(telemetry).toKeepTheContract({ rules: { 'missing-release': 'off' } })
   */
  toKeepTheContract: (options?: ContractOptions) => Promise<void>
}

/**
 * What `expect` can do with a trace, an error or a recording. Of a recording a span, a tree and breadcrumbs are looked for
 * until they are there or the time of a wait is over; whatever else is asked waits until it is quiet. So await each.
 *
 * In Playwright what asks whether something is not there, or all of it in order, closes the test's pages first, for what
 * they send while they close: write it last. `toBackOff`, and finding a span, a tree or breadcrumbs, leaves them open.
 *
 * Nothing is green that was not measured: where nothing was recorded that it could be judged from, or not all of it could
 * be read, a matcher fails, with `.not` before it too, and says why.
 */
export interface WaystationMatchers<Received = unknown>
  extends TraceMatchers<Received extends Trace ? void : Promise<void>>,
    ErrorMatchers<Received extends SeenEvent ? void : Promise<void>>,
    RecordingMatchers {}
