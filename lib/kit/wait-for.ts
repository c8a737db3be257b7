import type {
  SeenBreadcrumb,
  SeenEvent,
  SeenItem,
  SeenSegment,
  SeenSignal,
  SeenSpan,
} from '../verdict/evidence/evidence'
import type { Criteria } from '../verdict/expectations/criteria'
import type { Kinds } from '../verdict/expectations/kinds'

export interface WaitOptions {
  /** ms; 10,000 when left out, and 4,000 with Vitest. */
  readonly timeout?: number
  /** Ends the wait with its reason. */
  readonly within?: AbortSignal
}

type WaitForEach = {
  readonly [Name in keyof Kinds]: (criteria: Criteria<Kinds[Name]>, options?: WaitOptions) => Promise<Kinds[Name]>
}

/**
 * Waits for the first item of a kind that is as wanted: among what came since the recording began, and what comes. It
 * begins when it is called, so call it before you cause the item, and await it afterwards.
 */
export interface WaitFor extends WaitForEach {
  /**
   * Waits for a transaction, or for a segment of streamed spans. Call it before you cause it, and await it afterwards.
   * @example const load = telemetry.waitFor.transaction({ op: 'pageload', name: '/checkout' })
   */
  readonly transaction: (criteria: Criteria<SeenSegment>, options?: WaitOptions) => Promise<SeenSegment>
  /**
   * Waits for a span of any trace. Call it before you cause it, and await it afterwards.
   * @example const asked = telemetry.waitFor.span({ op: 'http.client', name: 'GET /api/cart' })
   */
  readonly span: (criteria: Criteria<SeenSpan>, options?: WaitOptions) => Promise<SeenSpan>
  /**
   * Waits for an error event. Call it before you cause it, and await it afterwards.
   * @example const failure = telemetry.waitFor.error({ title: /card was declined/ })
   */
  readonly error: (criteria: Criteria<SeenEvent>, options?: WaitOptions) => Promise<SeenEvent>
  /**
   * Waits for a log. Call it before you cause it, and await it afterwards.
   * @example const warned = telemetry.waitFor.log({ level: 'warn', name: 'the cart is empty' })
   */
  readonly log: (criteria: Criteria<SeenSignal>, options?: WaitOptions) => Promise<SeenSignal>
  /**
   * Waits for a breadcrumb of an error that comes. Call it before you cause it, and await it afterwards.
   * @example const pressed = telemetry.waitFor.breadcrumb({ category: 'ui.click' })
   */
  readonly breadcrumb: (criteria: Criteria<SeenBreadcrumb>, options?: WaitOptions) => Promise<SeenBreadcrumb>
  /**
   * Waits for an update of a session: release health. Call it before you cause it, and await it afterwards.
   * @example const crashed = telemetry.waitFor.session({ level: 'crashed' })
   */
  readonly session: (criteria: Criteria<SeenSignal>, options?: WaitOptions) => Promise<SeenSignal>
  /**
   * Waits for a line of a client report: what the SDK discarded itself, and why. Call it before you cause it, and await it
   * afterwards.
   * @example const discarded = telemetry.waitFor.clientReport(({ fields }) => fields.reason === 'sample_rate')
   */
  readonly clientReport: (criteria: Criteria<SeenSignal>, options?: WaitOptions) => Promise<SeenSignal>
  /**
   * Waits for an item of any type, as it was framed. Call it before you cause it, and await it afterwards.
   * @example const attached = telemetry.waitFor.item({ type: 'attachment' })
   */
  readonly item: (criteria: Criteria<SeenItem>, options?: WaitOptions) => Promise<SeenItem>
}
