import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { makeBody, type PostResult, type Sent, sha256 } from './clients'
import type { Random } from './random'

/** Programs that post to several collectors through a load balancer. */
export interface Senders {
  /** Every body whose post was started, by its SHA-256. */
  readonly sent: ReadonlyMap<string, Sent>
  /** Answers other than 200, 503 with `Retry-After`, and a closed connection. */
  readonly unexpected: readonly string[]
  /** How many bodies were answered with 200. */
  readonly acknowledged: () => number
  /** How many answers were 503. */
  readonly refused: () => number
  /** Resolves when so many more bodies were acknowledged than now. */
  readonly moreAcknowledged: (count: number) => Promise<void>
  /** Resolves when a post that started after this call was refused with 503. */
  readonly nextRefusal: () => Promise<void>
  /** The collectors that take the posts, in turns. */
  readonly setTargets: (urls: readonly string[]) => void
  /** Resolves when all have stopped. */
  readonly stop: () => Promise<void>
}

export interface Load {
  readonly senders?: number
  /** Ms between the posts of one sender. */
  readonly pauseMs?: number
}

/** Longer than a collector waits for PostgreSQL. */
const ANSWER_TIMEOUT_MS = 8000
const REFUSED = '503'

/**
 * Half of them post a body once, like an SDK. The others repeat it at the next collector with the same receipt until it is
 * answered with 200, like a tunnel with a lifeboat.
 * @param dsn of the upstream
 */
export function startSenders(draw: Random, dsn: string, load: Load = {}): Senders {
  const { senders = 6, pauseMs = 80 } = load
  const sent = new Map<string, Sent>()
  const unexpected: string[] = []
  const watchers = new Set<() => void>()
  let targets: readonly string[] = []
  let turn = 0
  let acknowledged = 0
  let refused = 0
  let isOver = false

  const notify = (): void => {
    for (const check of watchers) check()
  }
  /** Resolves when a condition holds after a post. */
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (unexpected.length === 0 && !holds()) return
        watchers.delete(check)
        if (unexpected.length > 0) reject(new Error(`a sender was answered ${unexpected[0]}`))
        else resolve()
      }
      watchers.add(check)
    })
  let lastRefusedStart = Number.NEGATIVE_INFINITY

  async function post(path: string, body: Buffer, headers: Record<string, string>): Promise<PostResult | 'refused'> {
    const target = targets[turn++ % targets.length]
    const startedAt = performance.now()
    try {
      const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
      const answer = await fetch(`${target}${path}`, { method: 'POST', body: new Uint8Array(body), headers, signal })
      const text = await answer.text()
      if (answer.status === 200) return 'acknowledged'
      if (String(answer.status) === REFUSED && answer.headers.get('retry-after') !== null) {
        refused += 1
        lastRefusedStart = startedAt
        return 'refused'
      }
      unexpected.push(`${answer.status} ${text}`)
    } catch {
      // The collector or the connection ended, or nothing was answered in time: the result is unknown.
    }
    return 'unknown'
  }

  async function work(repeats: boolean): Promise<void> {
    while (!isOver) {
      const { id, body, discarded } = makeBody(draw, dsn, 0)
      const record: Sent = { id, sha256: sha256(body), bytes: body.length, discarded, result: 'open' }
      sent.set(record.sha256, record)
      const headers = {
        'x-waystation-stamp': id,
        ...(repeats ? { 'x-waystation-receipt': randomUUID() } : { 'x-sentry-auth': 'Sentry sentry_key=oracle' }),
      }
      const path = repeats ? '/tunnel' : '/api/1/envelope/'
      for (let isFirst = true; isFirst || (repeats && record.result !== 'acknowledged' && !isOver); isFirst = false) {
        const result = await post(path, body, headers)
        record.result = result === 'refused' ? 'unknown' : result
        if (result === 'acknowledged') acknowledged += 1
        notify()
        await wait(pauseMs)
      }
    }
  }
  let all: Promise<unknown> | null = null
  return {
    sent,
    unexpected,
    acknowledged: () => acknowledged,
    refused: () => refused,
    moreAcknowledged: (count) => {
      const goal = acknowledged + count
      return until(() => acknowledged >= goal)
    },
    nextRefusal: () => {
      const from = performance.now()
      return until(() => lastRefusedStart >= from)
    },
    setTargets: (urls) => {
      targets = urls
      all ??= Promise.all(Array.from({ length: senders }, (_, at) => work(at % 2 === 1)))
    },
    stop: async () => {
      isOver = true
      await all
    },
  }
}
