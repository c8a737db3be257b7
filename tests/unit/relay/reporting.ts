import { SendError, type SendRequest, type UpstreamAnswer } from '../../../collector/relay/http-sender'
import { Reporter } from '../../../collector/relay/reporter'
import { RateLimits } from '../../../collector/relay/running-limits'
import type { StoredLimit } from '../../../collector/spool/submission'
import { parseDsn } from '../../../lib/protocol/dsn'
import type { Discard } from '../../../lib/protocol/submission'
import type { Upstream } from '../../../lib/protocol/upstream-address'
import { valueIn } from '../value-in'

export const MINUTE = 60_000
export const START = Date.UTC(2026, 10, 20, 12)

const dsnOf = (text: string) => valueIn(parseDsn(text))
export const one = dsnOf('http://key@one.test/1')
export const two = dsnOf('http://key@two.test/2')

export const cut = (category: string, quantity: number): Discard => ({
  category,
  quantity,
  reason: 'ratelimit_backoff',
})

/** A reporter with fake parts, and a clock that a test advances. */
export function reporting(given: { readonly upstreams?: readonly Upstream[] } = {}) {
  let ran = 0
  const timers: { readonly at: number; readonly work: () => void }[] = []
  const posts: { readonly url: string; readonly body: string; readonly at: number }[] = []
  const sums = new Map<string, Discard[]>()
  const stored: StoredLimit[] = []
  const state = {
    refusing: '',
    status: 200 as number | null,
    headers: {} as UpstreamAnswer['headers'],
    isRelayed: true,
    isHealthy: true,
    broken: false,
    /** The time until each answer. */
    takesMs: 0,
  }
  const lines: string[] = []
  const clock = { now: () => START + ran, monotonic: () => ran }
  const rateLimits = new RateLimits([], clock)
  const reporter = new Reporter(given.upstreams ?? [one], {
    reader: {
      unreported: async (_key, project) => {
        if (state.broken) throw new Error('the reader is gone')
        return (sums.get(project) ?? []).filter(({ quantity }) => quantity > 0)
      },
    },
    spool: {
      subtractReported: async (_key, project, reported) => {
        const left = (sums.get(project) ?? []).map((sum) => ({
          ...sum,
          quantity: sum.quantity - (reported.find(({ category }) => category === sum.category)?.quantity ?? 0),
        }))
        sums.set(project, left)
      },
      storeLimits: async (reported) => {
        stored.push(...reported)
      },
    },
    rateLimits,
    isRelayed: () => state.isRelayed,
    isHealthy: () => state.isHealthy,
    send: async ({ url, body, signal }: SendRequest): Promise<UpstreamAnswer> => {
      posts.push({ url, body: Buffer.from(body).toString(), at: ran })
      if (state.takesMs > 0)
        await new Promise<void>((resolve) => timers.push({ at: ran + state.takesMs, work: resolve }))
      if (signal.aborted) throw new SendError('aborted', 'cut off', true)
      if (state.status === null) throw new SendError('failed', 'ECONNREFUSED', false)
      if (url === state.refusing) return { status: 400, headers: {}, bytes: new Uint8Array() }
      return { status: state.status, headers: state.headers, bytes: new Uint8Array() }
    },
    ...clock,
    later: (work, ms) => {
      const timer = { at: ran + ms, work }
      timers.push(timer)
      return () => timers.splice(timers.indexOf(timer), 1)
    },
    log: (line) => lines.push(line),
  })
  /** Lets promises settle: the fakes wait for nothing else. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const pass = async (ms: number): Promise<void> => {
    const end = ran + ms
    for (;;) {
      const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
      if (next === undefined) break
      timers.splice(timers.indexOf(next), 1)
      ran = Math.max(ran, next.at)
      next.work()
      await settle()
    }
    ran = end
  }
  const add = (project: string, ...more: readonly Discard[]): void => {
    sums.set(project, [...(sums.get(project) ?? []).filter(({ quantity }) => quantity > 0), ...more])
    reporter.wake()
  }
  const quantities = (): readonly number[] =>
    posts.map(({ body }) => {
      const report = JSON.parse(body.split('\n')[2] ?? '') as { discarded_events: Discard[] }
      return report.discarded_events.reduce((sum, { quantity }) => sum + quantity, 0)
    })
  return { reporter, posts, sums, stored, state, lines, rateLimits, pass, add, quantities, timers }
}
