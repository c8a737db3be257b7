import type { Evidence } from '../../verdict/evidence/evidence'
import type { SeenRequest } from '../../verdict/rules/rule'
import { type Clock, pause } from '../clock'

/** SDKs of servers keep streamed spans for 5 s; a segment that has not come by then, and a second more, does not. */
const SEGMENT_MS = 6_000
const LOOK_AGAIN_MS = 25
/** What an app's own servers answer, and tell of. */
const ANSWERED: ReadonlySet<string> = new Set(['document', 'fetch', 'xhr'])

/** What was waited for in vain, or not: a worker learns it once, and its other tests wait no more. */
export interface Timeout {
  /** Origins whose server has told of a request that it answered. */
  readonly telling: Set<string>
  /** Origins whose server has told of none, as method and path those that it tells nothing of, or never ends. */
  readonly silent: Set<string>
}

export const freshTimeout = (): Timeout => ({ telling: new Set(), silent: new Set() })

export interface UnderWayPlan {
  /** Requests of which the browser has not told the end. */
  readonly open: () => readonly SeenRequest[]
  readonly requests: () => readonly SeenRequest[]
  readonly evidence: () => Evidence
  /** Whose requests are the test's. */
  readonly origins: readonly string[]
  readonly clock: Clock
  /** Why nothing more will come; `null` while more may. */
  readonly over: () => string | null
  readonly timeout: Timeout
}

/** What was begun and has yet to come to the record. Each wait ends, at the latest after so many ms. */
export interface UnderWay {
  /** Until the requests that pages have made of the test's origins are answered to their end. */
  readonly answers: (mostMs: number) => Promise<void>
  /** Until the servers that answered such requests have told of them, where a request went on in its page's trace. */
  readonly segments: (mostMs: number) => Promise<void>
}

/** What the browser was seen to ask for, and what its servers have still to tell of that. */
export function createUnderWay(plan: UnderWayPlan): UnderWay {
  const { clock, over, timeout } = plan
  const isOwn = ({ url, resourceType }: SeenRequest): boolean =>
    ANSWERED.has(resourceType) && plan.origins.includes(originOf(url))

  const unanswered = (): readonly SeenRequest[] =>
    plan.open().filter((one) => isOwn(one) && !isStream(one) && !timeout.silent.has(keyOf(one)))

  const untold = (): readonly SeenRequest[] => {
    const { segments } = plan.evidence()
    const servers = segments.filter(({ service }) => service !== 'browser')
    const told = new Set(servers.map(({ traceId, parentSpanId }) => `${traceId}-${parentSpanId}`))
    const [only, ...others] = plan.origins
    if (servers.length > 0 && only !== undefined && others.length === 0) timeout.telling.add(only)
    return plan.requests().filter((one) => {
      const parent = isOwn(one) ? parentOf(one) : null
      if (parent === null) return false
      if (told.has(parent)) timeout.telling.add(originOf(one.url))
      else return !isSilent(one) && clock.today() - (one.endedAt ?? 0) < SEGMENT_MS
      return false
    })
  }
  const isSilent = (one: SeenRequest): boolean => {
    const origin = originOf(one.url)
    return timeout.silent.has(keyOf(one)) || (timeout.silent.has(origin) && !timeout.telling.has(origin))
  }

  /** @returns what there still is when the time is over */
  const none = async (of: () => readonly SeenRequest[], mostMs: number): Promise<readonly SeenRequest[]> => {
    const until = clock.now() + mostMs
    for (;;) {
      const left = of()
      if (left.length === 0 || over() !== null) return []
      if (clock.now() >= until) return left
      await pause(clock, LOOK_AGAIN_MS)
    }
  }

  return {
    answers: async (mostMs) => {
      for (const one of await none(unanswered, mostMs)) timeout.silent.add(keyOf(one))
    },
    segments: async (mostMs) => {
      const pending = untold()
      await none(untold, Math.min(mostMs, SEGMENT_MS))
      const told = new Set(pending.filter(isTold))
      for (const one of pending) {
        if (told.has(one) || over() !== null) continue
        timeout.silent.add(keyOf(one))
        timeout.silent.add(originOf(one.url))
      }
    },
  }

  function isTold(one: SeenRequest): boolean {
    const parent = parentOf(one)
    return plan.evidence().segments.some(({ traceId, parentSpanId }) => `${traceId}-${parentSpanId}` === parent)
  }
}

/** The span that its server's segment goes on from; `null` where it was not answered, or nobody records it. */
function parentOf({ headers, answer, endedAt }: SeenRequest): string | null {
  const [, parent, sampled] = /^([0-9a-f]{32}-[0-9a-f]{16})-([01])/.exec(headers['sentry-trace'] ?? '') ?? []
  const isPrefetch = headers['next-router-prefetch'] !== undefined || /prefetch/.test(headers.purpose ?? '')
  if (parent === undefined || sampled !== '1' || isPrefetch) return null
  return answer === null || answer.fromCache || endedAt === null ? null : parent
}

/** Of events without an end. */
const isStream = ({ headers, answer }: SeenRequest): boolean =>
  /text\/event-stream/.test(`${headers.accept ?? ''} ${answer?.headers['content-type'] ?? ''}`)

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : '')

const keyOf = ({ method, url }: SeenRequest): string =>
  `${method} ${URL.canParse(url) ? `${new URL(url).origin}${new URL(url).pathname}` : url}`
