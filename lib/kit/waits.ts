import type { Evidence } from '../verdict/evidence/evidence'
import type { Boards } from '../verdict/expectations/answer'
import { type Criteria, matches } from '../verdict/expectations/criteria'
import { checkCriteriaOf } from '../verdict/expectations/kind-fields'
import { KINDS, type Kind, type Kinds, ofKind } from '../verdict/expectations/kinds'
import { withBoards } from './boards-of'
import { checkMs } from './check-ms'
import { checkNames } from './check-names'
import type { Clock } from './clock'
import { sentenceOf } from './sentence-of'
import type { WaitFor, WaitOptions } from './wait-for'
import { type WaitEnd, waitWords } from './wait-words'
import { WatchedPromise } from './watched-promise'

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
    checkCriteriaOf(kind, criteria)
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
            const found = ofKind(evidence, kind).find((item) => matches(item, criteria))
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
          fail(toldAt(calledAt, new WaitError(waitWords(given, end, plan.boards))))
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
