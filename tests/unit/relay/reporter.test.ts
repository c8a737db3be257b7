import { describe, expect, it } from 'vitest'
import { LimitBook } from '../../../collector/relay/limits'
import { Reporter } from '../../../collector/relay/reporter'
import { type Answer, SendError, type SendRequest } from '../../../collector/relay/send'
import type { Discard, StoredLimit } from '../../../collector/spool/submission'
import { parseDsn } from '../../../lib/protocol/dsn'
import { parseEnvelope } from '../../../lib/protocol/envelope'

const MINUTE = 60_000
const START = Date.UTC(2026, 10, 20, 12)

function dsnOf(text: string) {
  const dsn = parseDsn(text)
  if (!dsn.ok) throw new Error(dsn.error)
  return dsn.value
}
const one = dsnOf('http://key@one.test/1')
const two = dsnOf('http://key@two.test/2')

const cut = (category: string, quantity: number): Discard => ({ category, quantity, reason: 'ratelimit_backoff' })

/** A reporter with all that it asks in its place, and a clock that runs when it is told to. */
function reporting(given: { readonly upstreams?: readonly (typeof one)[] } = {}) {
  let ran = 0
  const timers: { readonly at: number; readonly work: () => void }[] = []
  const posts: { readonly url: string; readonly body: string; readonly at: number }[] = []
  const sums = new Map<string, Discard[]>()
  const stored: StoredLimit[] = []
  const state = {
    refusing: '',
    status: 200 as number | null,
    headers: {} as Answer['headers'],
    isWell: true,
    broken: false,
  }
  const said: string[] = []
  const clock = { now: () => START + ran, monotonic: () => ran }
  const limits = new LimitBook([], clock)
  const reporter = new Reporter(given.upstreams ?? [one], {
    reader: {
      unreported: async (_key, project) => {
        if (state.broken) throw new Error('the reader is gone')
        return (sums.get(project) ?? []).filter(({ quantity }) => quantity > 0)
      },
    },
    spool: {
      reported: async (_key, project, told) => {
        const left = (sums.get(project) ?? []).map((sum) => ({
          ...sum,
          quantity: sum.quantity - (told.find(({ category }) => category === sum.category)?.quantity ?? 0),
        }))
        sums.set(project, left)
      },
      limit: async (told) => {
        stored.push(...told)
      },
    },
    limits,
    isWell: () => state.isWell,
    send: async ({ url, body, signal }: SendRequest): Promise<Answer> => {
      posts.push({ url, body: Buffer.from(body).toString(), at: ran })
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
    say: (sentence) => said.push(sentence),
  })
  /** Lets promises settle: none of the fakes waits for anything else. */
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
  return { reporter, posts, sums, stored, state, said, limits, pass, add, quantities, timers }
}

describe('what was cut', () => {
  it('is reported by the DSN of the upstream, with the time at which the report is sent', async () => {
    const { add, pass, posts } = reporting()
    add('1', cut('transaction', 2), cut('span', 9))
    await pass(5000)
    expect(posts.map(({ url }) => url)).toEqual(['http://one.test/api/1/envelope/'])
    const parsed = parseEnvelope(Buffer.from(posts[0]?.body ?? ''))
    expect(parsed).toMatchObject({
      ok: true,
      value: {
        header: { dsn: 'http://key@one.test/1', sent_at: '2026-11-20T12:00:05.000Z' },
        items: [{ header: { type: 'client_report' } }],
      },
    })
    expect(JSON.parse(posts[0]?.body.split('\n')[2] ?? '')).toEqual({
      timestamp: (START + 5000) / 1000,
      discarded_events: [
        { reason: 'ratelimit_backoff', category: 'transaction', quantity: 2 },
        { reason: 'ratelimit_backoff', category: 'span', quantity: 9 },
      ],
    })
  })

  it('is gathered: once a minute at most, and each quantity once', async () => {
    const { add, pass, posts, quantities, timers } = reporting()
    for (let second = 0; second < 180; second += 1) {
      add('1', cut(`c${second}`, 1))
      await pass(1000)
    }
    await pass(2 * MINUTE)
    const gaps = posts.slice(1).map(({ at }, index) => at - (posts[index]?.at ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(MINUTE)
    expect(quantities().reduce((sum, quantity) => sum + quantity, 0)).toBe(180)
    expect(timers).toEqual([])
  })

  it('is not reported while nothing is to be told', async () => {
    const { reporter, pass, posts, timers } = reporting()
    reporter.wake()
    await pass(10 * MINUTE)
    expect(posts).toEqual([])
    expect(timers).toEqual([])
  })

  it('is told to each upstream by itself', async () => {
    const { add, pass, posts } = reporting({ upstreams: [one, two] })
    add('1', cut('span', 1))
    add('2', cut('error', 1))
    await pass(5000)
    expect(posts.map(({ url }) => url)).toEqual(['http://one.test/api/1/envelope/', 'http://two.test/api/2/envelope/'])
  })

  it.each([
    ['client reports are limited', 'internal'],
    ['everything is limited', 'all'],
  ])('waits while %s', async (_why, category) => {
    const { add, pass, posts, limits } = reporting()
    const told = { publicKey: 'key', project: '1', toldAt: START, reason: null, scope: null, toldBy: null }
    limits.tell([{ ...told, category, until: START + 3 * MINUTE }])
    add('1', cut('span', 1))
    await pass(3 * MINUTE - 1)
    expect(posts).toEqual([])
    await pass(MINUTE + 5000)
    expect(posts).toHaveLength(1)
  })

  it('waits while the upstream does not answer or refuses us', async () => {
    const { add, pass, posts, state } = reporting()
    state.isWell = false
    add('1', cut('span', 1))
    await pass(10 * MINUTE)
    expect(posts).toEqual([])
    state.isWell = true
    await pass(MINUTE + 5000)
    expect(posts).toHaveLength(1)
  })

  it('is told again, less and less often, to an upstream that does not take it', async () => {
    const { add, pass, posts, state, sums } = reporting()
    state.status = 400
    add('1', cut('span', 7))
    await pass(24 * 60 * MINUTE)
    const gaps = posts.slice(1).map(({ at }, index) => at - (posts[index]?.at ?? 0))
    expect(gaps.slice(0, 3)).toEqual([2 * MINUTE, 4 * MINUTE, 8 * MINUTE])
    expect(Math.max(...gaps)).toBe(60 * MINUTE)
    state.status = 200
    await pass(61 * MINUTE)
    expect(sums.get('1')).toMatchObject([{ quantity: 0 }])
  })

  it('is told to one upstream once a minute though another takes nothing', async () => {
    const { add, pass, posts, state } = reporting({ upstreams: [one, two] })
    state.refusing = 'http://one.test/api/1/envelope/'
    add('1', cut('span', 1))
    for (let minute = 0; minute < 4; minute += 1) {
      add('2', cut('span', 1))
      await pass(MINUTE)
    }
    const times = (host: string) => posts.filter(({ url }) => url.includes(host)).map(({ at }) => at / MINUTE)
    expect(times('one.test')).toEqual([1 / 12, 2 + 1 / 12])
    expect(times('two.test')).toEqual([1 / 12, 1 + 1 / 12, 2 + 1 / 12, 3 + 1 / 12])
  })

  it.each([
    ['no answer comes', null, {}],
    ['it is answered 429', 429, {}],
    ['the answer says that it was not taken', 200, { 'x-sentry-rate-limits': '60:internal:key' }],
  ])('stays to be told where %s', async (_why, status, headers) => {
    const { add, pass, posts, state, sums } = reporting()
    Object.assign(state, { status, headers })
    add('1', cut('span', 7))
    await pass(5000)
    expect(posts).toHaveLength(1)
    expect(sums.get('1')).toMatchObject([{ quantity: 7 }])
  })

  it('brings back limits, as every answer does', async () => {
    const { add, pass, state, stored, limits } = reporting()
    state.headers = { 'x-sentry-rate-limits': '60:error:key' }
    add('1', cut('span', 7))
    await pass(5000)
    expect(stored).toMatchObject([{ category: 'error', toldBy: null }])
    expect(limits.running('key', '1')).toMatchObject([{ category: 'error' }])
  })

  it('is told later where it cannot be read just now', async () => {
    const { add, pass, posts, state, said } = reporting()
    state.broken = true
    add('1', cut('span', 7))
    await pass(5000)
    expect(said).toEqual(['what was cut could not be reported: the reader is gone'])
    state.broken = false
    await pass(MINUTE)
    expect(posts).toHaveLength(1)
  })
})

describe('a stop', () => {
  it('tells what is left at once, and starts nothing more', async () => {
    const { add, reporter, pass, posts, timers, quantities } = reporting()
    add('1', cut('span', 1))
    await pass(5000)
    add('1', cut('span', 5))
    await reporter.close(1000)
    expect(quantities()).toEqual([1, 5])
    reporter.wake()
    expect(timers).toEqual([])
    expect(posts).toHaveLength(2)
  })

  it('leaves what is not taken for the next start', async () => {
    const { add, reporter, state, sums } = reporting()
    state.status = null
    add('1', cut('span', 5))
    await reporter.close(1000)
    expect(sums.get('1')).toMatchObject([{ quantity: 5 }])
  })
})
