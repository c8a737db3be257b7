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
import { formatValue } from '../verdict/text'
import type { Boards } from '../verdict/verdict'
import { checkMs, checkNames, checkSignal } from './check-options'
import { type Clock, errorMessage } from './clock'
import { attachBoards } from './item-context'

export const WAIT_MS = 10_000

/** A failed wait. Its message has the criteria, the nearest miss and what else arrived. */
export class WaitError extends Error {
  override readonly name = 'WaitError'
}

export interface WaitsPlan {
  readonly clock: Clock
  readonly defaultMs: number
  readonly evidence: () => Evidence
  /** When the running test began, in ms since the epoch. `null`: everything of the recording belongs to it. */
  readonly startedAt: () => number | null
  readonly boards: Boards
  /** Address of the collector if its record was empty at the start, else `null`. */
  readonly emptyCollector?: string | null
  /** A hint to print if nothing arrived. */
  readonly emptyHint: string | null
}

export interface Waits {
  readonly waitFor: WaitFor
  readonly notify: (evidence: Evidence) => void
  readonly endAll: (why: string) => void
  /** Messages of failed waits that were never awaited. */
  readonly unawaited: () => readonly string[]
}

interface OpenWait {
  readonly check: (evidence: Evidence) => void
  readonly end: (end: WaitEnd) => void
}

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
    checkNames(`waitFor.${kind}`, options, ['timeout', 'within', 'past'])
    const { timeout = plan.defaultMs, within, past = false } = options ?? {}
    checkMs(`waitFor.${kind}: timeout`, timeout)
    checkSignal(`waitFor.${kind}: within`, within)
    if (typeof past !== 'boolean')
      throw new TypeError(`waitFor.${kind}: past must be true or false, got ${formatValue(past)}`)
    const startedAt = past ? null : plan.startedAt()
    const isPast = (item: Kinds[Name]): boolean => startedAt !== null && item.receivedAt < startedAt
    const made = new Promise<Kinds[Name]>((resolve, reject) => {
      const close = (): void => {
        open.delete(one)
        cancel()
        within?.removeEventListener('abort', onAbort)
      }
      const fail = (error: Error): void => {
        close()
        ended.push({ message: error.message, isTaken: () => promise.handled })
        reject(error)
      }
      const one: OpenWait = {
        check: (evidence) => {
          try {
            const found = itemsOfKind(evidence, kind).find((item) => !isPast(item) && matches(item, criteria))
            if (found === undefined) return
            close()
            resolve(attachBoards(found, plan.boards))
          } catch (error) {
            // The test's predicate threw.
            fail(error instanceof Error ? error : new Error(String(error)))
          }
        },
        end: (end) => {
          const { emptyCollector = null, emptyHint } = plan
          const given = { kind, criteria, evidence: plan.evidence(), startedAt, emptyCollector, emptyHint }
          fail(withStack(calledAt, new WaitError(explainWait(given, end, plan.boards))))
        },
      }
      const onAbort = (): void =>
        one.end({ ended: 'over', why: `the wait was aborted: ${errorMessage(within?.reason)}` })
      const cancel = plan.clock.startTimer(() => one.end({ ended: 'late', afterMs: timeout }), timeout)
      open.add(one)
      one.check(plan.evidence())
      if (!open.has(one)) return
      if (over !== null) one.end({ ended: 'over', why: over })
      else if (within?.aborted) onAbort()
      else within?.addEventListener('abort', onAbort, { once: true })
    })
    const promise = TrackedPromise.of(made)
    return promise
  }

  const ofEach = KINDS.map((kind) => {
    const begin = (criteria: Criteria<Kinds[Kind]>, options?: WaitOptions): Promise<Kinds[Kind]> =>
      wait<Kind>(kind, criteria, options, framesAbove(begin))
    return [kind, begin]
  })
  return {
    // The keys are the kinds, so the types match.
    waitFor: Object.fromEntries(ofEach) as WaitFor,
    notify: (evidence) => {
      for (const one of [...open]) one.check(evidence)
    },
    endAll: (why) => {
      over ??= why
      for (const one of [...open]) one.end({ ended: 'over', why })
    },
    unawaited: () => ended.filter(({ isTaken }) => !isTaken()).map(({ message }) => message),
  }
}

function framesAbove(called: (...args: never[]) => unknown): string {
  const here = { stack: '' }
  Error.captureStackTrace(here, called)
  return here.stack.replace(/^(?! +at ).*\n?/gm, '')
}

/** Sets the stack of the line that started the wait, which runners show; the stack at its end has no test code. */
function withStack(frames: string, error: WaitError): WaitError {
  error.stack = `${error.name}: ${error.message}\n${frames}`
  return error
}

export interface WaitOptions {
  /** ms; 10,000 by default, 4,000 with Vitest. */
  readonly timeout?: number
  /** Aborts the wait, with its reason in the error. */
  readonly within?: AbortSignal
  /** `true` also matches what arrived before the test began; by default it does not count. */
  readonly past?: boolean
}

type WaitForEach = {
  readonly [Name in keyof Kinds]: (criteria: Criteria<Kinds[Name]>, options?: WaitOptions) => Promise<Kinds[Name]>
}

/**
 * Waits for the first matching item of a kind that arrived since the test began, or since the recording was opened in the
 * test. A wait starts with the call: call it before the action that causes the item, and await it afterwards.
 */
export interface WaitFor extends WaitForEach {
  /** Waits for a transaction or a segment of streamed spans. Call it before the action, await it afterwards. */
  readonly transaction: (criteria: Criteria<SeenSegment>, options?: WaitOptions) => Promise<SeenSegment>
  /** Waits for a span of any trace. Call it before the action, await it afterwards. */
  readonly span: (criteria: Criteria<SeenSpan>, options?: WaitOptions) => Promise<SeenSpan>
  /** Waits for an error event. Call it before the action: `waitFor.error({ title: /card was declined/ })` */
  readonly error: (criteria: Criteria<SeenEvent>, options?: WaitOptions) => Promise<SeenEvent>
  /** Waits for a log. Call it before the action: `waitFor.log({ level: 'warn', name: 'the cart is empty' })` */
  readonly log: (criteria: Criteria<SeenSignal>, options?: WaitOptions) => Promise<SeenSignal>
  /** Waits for a breadcrumb, which is sent with an error. Call it before the action, await it afterwards. */
  readonly breadcrumb: (criteria: Criteria<SeenBreadcrumb>, options?: WaitOptions) => Promise<SeenBreadcrumb>
  /** Waits for an update of a session (release health). Call it before the action, await it afterwards. */
  readonly session: (criteria: Criteria<SeenSignal>, options?: WaitOptions) => Promise<SeenSignal>
  /** Waits for items that the SDK discarded, with the reason. Call it before the action, await it afterwards. */
  readonly clientReport: (criteria: Criteria<SeenSignal>, options?: WaitOptions) => Promise<SeenSignal>
  /** Waits for an item of any type. Call it before the action: `waitFor.item({ type: 'attachment' })` */
  readonly item: (criteria: Criteria<SeenItem>, options?: WaitOptions) => Promise<SeenItem>
}

/** A rejection that was never awaited does not end the process; the recording reports it when it is closed. */
class TrackedPromise<Value> extends Promise<Value> {
  #taken = false

  // Derived promises are plain. Only for a subclass does `await` call `then`.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  static of<Made>(made: Promise<Made>): TrackedPromise<Made> {
    const watched = new TrackedPromise<Made>((resolve, reject) => {
      made.then(resolve, reject)
    })
    watched.catch(() => undefined)
    watched.#taken = false
    return watched
  }

  get handled(): boolean {
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
