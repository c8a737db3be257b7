import type { Evidence } from '../../verdict/evidence/evidence'
import type { SeenRequest } from '../../verdict/rules/rule'
import { type Clock, pause } from '../clock'

/** Server SDKs buffer streamed spans for 5 s; a segment that is missing one second later is not sent. */
const SEGMENT_MS = 6_000
const POLL_INTERVAL_MS = 25
/** Resource types whose requests a server records. */
const ANSWERED: ReadonlySet<string> = new Set(['document', 'fetch', 'xhr'])

/** The results of earlier waits of a worker. After one time-out, later tests of the worker skip the wait. */
export interface WaitHistory {
  /** Origins whose server has recorded a request. */
  readonly answering: Set<string>
  /** Origins whose server records nothing, and requests (method and URL) that it does not record or never ends. */
  readonly silent: Set<string>
}

export const emptyHistory = (): WaitHistory => ({ answering: new Set(), silent: new Set() })

export interface InFlightPlan {
  readonly open: () => readonly SeenRequest[]
  readonly requests: () => readonly SeenRequest[]
  readonly evidence: () => Evidence
  /** Origins that belong to the test. */
  readonly origins: readonly string[]
  readonly clock: Clock
  /** Why no more telemetry will arrive; `null` while it may. */
  readonly endReason: () => string | null
  readonly history: WaitHistory
}

/** Requests and telemetry in flight. Each wait ends after `mostMs` at the latest. */
export interface InFlight {
  /** Waits until all requests of pages to the test's origins have ended. */
  readonly answers: (mostMs: number) => Promise<void>
  /** Waits until the servers have sent the segments of answered requests that carried trace headers. */
  readonly segments: (mostMs: number) => Promise<void>
}

export function createInFlight(plan: InFlightPlan): InFlight {
  const { clock, endReason, history } = plan
  const isOwn = ({ url, resourceType }: SeenRequest): boolean =>
    ANSWERED.has(resourceType) && plan.origins.includes(originOf(url))

  const unanswered = (): readonly SeenRequest[] =>
    plan.open().filter((one) => isOwn(one) && !isStream(one) && !history.silent.has(keyOf(one)))

  const unrecorded = (): readonly SeenRequest[] => {
    const { segments } = plan.evidence()
    const servers = segments.filter(({ service }) => service !== 'browser')
    const recorded = new Set(servers.map(({ traceId, parentSpanId }) => `${traceId}-${parentSpanId}`))
    const [only, ...others] = plan.origins
    if (servers.length > 0 && only !== undefined && others.length === 0) history.answering.add(only)
    return plan.requests().filter((one) => {
      const parent = isOwn(one) ? parentOf(one) : null
      if (parent === null) return false
      if (recorded.has(parent)) history.answering.add(originOf(one.url))
      else return !isSilent(one) && clock.today() - (one.endedAt ?? 0) < SEGMENT_MS
      return false
    })
  }
  const isSilent = (one: SeenRequest): boolean => {
    const origin = originOf(one.url)
    return history.silent.has(keyOf(one)) || (history.silent.has(origin) && !history.answering.has(origin))
  }

  /** @returns the remaining entries when the time is over */
  const waitUntilEmpty = async (of: () => readonly SeenRequest[], mostMs: number): Promise<readonly SeenRequest[]> => {
    const until = clock.now() + mostMs
    for (;;) {
      const left = of()
      if (left.length === 0 || endReason() !== null) return []
      if (clock.now() >= until) return left
      await pause(clock, POLL_INTERVAL_MS)
    }
  }

  return {
    answers: async (mostMs) => {
      for (const one of await waitUntilEmpty(unanswered, mostMs)) history.silent.add(keyOf(one))
    },
    segments: async (mostMs) => {
      const pending = unrecorded()
      await waitUntilEmpty(unrecorded, Math.min(mostMs, SEGMENT_MS))
      const recorded = new Set(pending.filter(isRecorded))
      for (const one of pending) {
        if (recorded.has(one) || endReason() !== null) continue
        history.silent.add(keyOf(one))
        history.silent.add(originOf(one.url))
      }
    },
  }

  function isRecorded(one: SeenRequest): boolean {
    const parent = parentOf(one)
    return plan.evidence().segments.some(({ traceId, parentSpanId }) => `${traceId}-${parentSpanId}` === parent)
  }
}

/** The span that the server's segment continues; `null` without an answer or for an unsampled trace. */
export function parentOf({ headers, answer, endedAt }: SeenRequest): string | null {
  const [, parent, sampled] = /^([0-9a-f]{32}-[0-9a-f]{16})-([01])/.exec(headers['sentry-trace'] ?? '') ?? []
  const isPrefetch = headers['next-router-prefetch'] !== undefined || /prefetch/.test(headers.purpose ?? '')
  if (parent === undefined || sampled !== '1' || isPrefetch) return null
  return answer === null || answer.fromCache || endedAt === null ? null : parent
}

/** Is it a server-sent event stream, which never ends? */
const isStream = ({ headers, answer }: SeenRequest): boolean =>
  /text\/event-stream/.test(`${headers.accept ?? ''} ${answer?.headers['content-type'] ?? ''}`)

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : '')

const keyOf = ({ method, url }: SeenRequest): string =>
  `${method} ${URL.canParse(url) ? `${new URL(url).origin}${new URL(url).pathname}` : url}`
