import type {
  Evidence,
  SeenBreadcrumb,
  SeenEvent,
  SeenItem,
  SeenSegment,
  SeenSignal,
  SeenSpan,
} from '../verdict/evidence/evidence'
import { type Criteria, matches } from '../verdict/expectations/criteria'
import { explainWait, type WaitEnd } from '../verdict/expectations/explain'
import { checkCriteriaFor, itemsOfKind, KINDS, type Kind, type Kinds } from '../verdict/expectations/kinds'
import type { Boards } from '../verdict/verdict'
import { checkMs, checkNames } from './check-options'
import { type Clock, sentenceOf } from './clock'
import { withBoards } from './item-context'

/** So long a wait lasts at most where nobody says. */
export const WAIT_MS = 10_000

/** A wait that came to nothing. Its message says what was wanted, what came closest, and what came instead. */
export class WaitError extends Error {
  override readonly name = 'WaitError'
}

export interface WaitsPlan {
  readonly clock: Clock
  readonly defaultMs: number
  /** All that came so far. */
  readonly evidence: () => Evidence
  readonly boards: Boards
  /** Address of a collector that had recorded nothing at all when this began; `null` of any other. */
  readonly emptyCollector?: string | null
  /** What may be amiss where nothing came; `null` where nobody knows. */
  readonly ifNothingCame: string | null
}

export interface Waits {
  readonly waitFor: WaitFor
  /** Something came: whoever waits looks at it. */
  readonly came: (evidence: Evidence) => void
  /** Nothing more will come. */
  readonly endAll: (why: string) => void
  /** The words of those that came to nothing and that nobody awaited. */
  readonly unawaited: () => readonly string[]
}

interface OpenWait {
  readonly look: (evidence: Evidence) => void
  readonly end: (end: WaitEnd) => void
}

/** Keeps what is waited for; it has no time of its own but the end of each. */
export function createWaits(plan: WaitsPlan): Waits {
  const open = new Set<OpenWait>()
  const ended: { readonly message: string; readonly isTaken: () => boolean }[] = []
  let over: string | null = null

  const wait = <Name extends Kind>(
    kind: Name,
    criteria: Criteria<Kinds[Name]>,
    options: WaitOptions | undefined,
    calledAt: string,
  ): Promise<Kinds[Name]> => {
    checkCriteriaFor(kind, criteria)
    checkNames(`waitFor.${kind}`, options, ['timeout', 'within'])
    const { timeout = plan.defaultMs, within } = options ?? {}
    checkMs(`waitFor.${kind}: timeout`, timeout)
    const made = new Promise<Kinds[Name]>((resolve, reject) => {
      const close = (): void => {
        open.delete(one)
        cancel()
        within?.removeEventListener('abort', onAbort)
      }
      const fail = (error: Error): void => {
        close()
        ended.push({ message: error.message, isTaken: () => promise.taken })
        reject(error)
      }
      const one: OpenWait = {
        look: (evidence) => {
          try {
            const found = itemsOfKind(evidence, kind).find((item) => matches(item, criteria))
            if (found === undefined) return
            close()
            resolve(withBoards(found, plan.boards))
          } catch (error) {
            // A function of the test's that throws.
            fail(error instanceof Error ? error : new Error(String(error)))
          }
        },
        end: (end) => {
          const { emptyCollector = null, ifNothingCame } = plan
          const given = { kind, criteria, evidence: plan.evidence(), emptyCollector, ifNothingCame }
          fail(toldAt(calledAt, new WaitError(explainWait(given, end, plan.boards))))
        },
      }
      const onAbort = (): void =>
        one.end({ ended: 'over', why: `the wait was given up: ${sentenceOf(within?.reason)}` })
      const cancel = plan.clock.later(timeout, () => one.end({ ended: 'late', afterMs: timeout }))
      open.add(one)
      one.look(plan.evidence())
      if (!open.has(one)) return
      if (over !== null) one.end({ ended: 'over', why: over })
      else if (within?.aborted) onAbort()
      else within?.addEventListener('abort', onAbort, { once: true })
    })
    const promise = WatchedPromise.of(made)
    return promise
  }

  const ofEach = KINDS.map((kind) => {
    const begin = (criteria: Criteria<Kinds[Kind]>, options?: WaitOptions): Promise<Kinds[Kind]> =>
      wait<Kind>(kind, criteria, options, framesAbove(begin))
    return [kind, begin]
  })
  return {
    // Each name is the kind that its own function waits for.
    waitFor: Object.fromEntries(ofEach) as WaitFor,
    came: (evidence) => {
      for (const one of [...open]) one.look(evidence)
    },
    endAll: (why) => {
      over ??= why
      for (const one of [...open]) one.end({ ended: 'over', why })
    },
    unawaited: () => ended.filter(({ isTaken }) => !isTaken()).map(({ message }) => message),
  }
}

/** The calls that led to a function, as a stack tells them. */
function framesAbove(called: (...args: never[]) => unknown): string {
  const here = { stack: '' }
  Error.captureStackTrace(here, called)
  return here.stack.replace(/^(?! +at ).*\n?/gm, '')
}

/** Runners show the line of the test where the wait began: where it ended nobody has written anything. */
function toldAt(frames: string, error: WaitError): WaitError {
  error.stack = `${error.name}: ${error.message}\n${frames}`
  return error
}

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

/**
 * A promise that knows whether anybody took it. One that fails and that nobody took ends no process: whoever made it
 * asks at the end, and tells.
 */
class WatchedPromise<Value> extends Promise<Value> {
  #taken = false

  // What is derived from it is an ordinary promise; a subclass also makes `await` call `then`, which a plain one does not.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  static of<Made>(made: Promise<Made>): WatchedPromise<Made> {
    const watched = new WatchedPromise<Made>((resolve, reject) => {
      made.then(resolve, reject)
    })
    watched.catch(() => undefined)
    watched.#taken = false
    return watched
  }

  get taken(): boolean {
    return this.#taken
  }

  override then<Kept = Value, Mended = never>(
    onKept?: ((value: Value) => Kept | PromiseLike<Kept>) | null,
    onBroken?: ((reason: unknown) => Mended | PromiseLike<Mended>) | null,
  ): Promise<Kept | Mended> {
    this.#taken = true
    return super.then(onKept, onBroken)
  }
}
