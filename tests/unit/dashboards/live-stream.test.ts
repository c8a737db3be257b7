import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connectionText } from '../../../dashboards/ui/board'
import { failureOf } from '../../../dashboards/ui/client'
import {
  type Change,
  coalesce,
  followStream,
  notifyDone,
  notifyFact,
  onChange,
  type StreamListener,
  shareStream,
  type Timers,
} from '../../../dashboards/ui/live-stream'
import { CollectorError } from '../../../lib/wire/collector-client'

const timers: Timers = {
  now: () => Date.now(),
  set: (run, ms) => Number(setTimeout(run, ms)),
  clear: (id) => clearTimeout(id),
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('coalesced reads', () => {
  it('start at once, and at most four times a second', async () => {
    const starts: number[] = []
    const begun = Date.now()
    const reading = coalesce(async () => void starts.push(Date.now() - begun), timers)
    for (let at = 0; at < 99; at++) {
      reading.request()
      await vi.advanceTimersByTimeAsync(10)
    }
    expect(starts).toEqual([0, 250, 500, 750])
  })

  it('run one at a time, with one more for all requests meanwhile', async () => {
    let open = 0
    let most = 0
    let reads = 0
    const reading = coalesce(async () => {
      reads += 1
      open += 1
      most = Math.max(most, open)
      await new Promise((done) => setTimeout(done, 400))
      open -= 1
    }, timers)
    reading.request()
    reading.request()
    reading.request()
    await vi.advanceTimersByTimeAsync(10_000)
    expect([reads, most]).toEqual([2, 1])
  })

  it('wait three times as long as a slow read took', async () => {
    const starts: number[] = []
    const begun = Date.now()
    const reading = coalesce(async () => {
      starts.push(Date.now() - begun)
      await new Promise((done) => setTimeout(done, 500))
    }, timers)
    reading.request()
    await vi.advanceTimersByTimeAsync(100)
    reading.request()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(starts).toEqual([0, 2000])
  })

  it('start urgent requests at once, or after the running read', async () => {
    const starts: number[] = []
    const begun = Date.now()
    const reading = coalesce(async () => {
      starts.push(Date.now() - begun)
      await new Promise((done) => setTimeout(done, 100))
    }, timers)
    reading.request()
    await vi.advanceTimersByTimeAsync(50)
    reading.requestNow()
    await vi.advanceTimersByTimeAsync(150)
    expect(starts).toEqual([0, 100])
    reading.request()
    await vi.advanceTimersByTimeAsync(10)
    expect(starts).toEqual([0, 100])
    reading.requestNow()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(starts).toEqual([0, 100, 210])
  })

  it('end when stopped', async () => {
    const run = vi.fn(async () => undefined)
    const reading = coalesce(run, timers)
    reading.request()
    reading.request()
    reading.stop()
    await vi.advanceTimersByTimeAsync(1000)
    expect(run).toHaveBeenCalledTimes(1)
  })
})

it('change notifications are sent for delivery facts and for local actions', () => {
  const changes: Change[] = []
  const end = onChange((change) => changes.push(change))
  for (const kind of ['received', 'digested', 'refused', 'evicted'] as const) notifyFact({ kind })
  expect(changes).toEqual([])
  for (const kind of ['delivered', 'decided', 'pending', 'cleared', 'changed'] as const) notifyFact({ kind })
  expect(changes).toEqual(Array(5).fill('stream'))
  notifyDone()
  expect(changes.at(-1)).toBe('local')
  end()
  notifyDone()
  expect(changes).toHaveLength(6)
})

describe('the live stream', () => {
  function setUp() {
    const sources: { say: (type: string, data?: string) => void; closed: boolean }[] = []
    const heard: string[] = []
    const stop = followStream(
      () => {
        const listeners = new Map<string, (event: MessageEvent<string>) => void>()
        const source = {
          readyState: 0,
          closed: false,
          addEventListener: (type: string, listener: (event: MessageEvent<string>) => void) => {
            listeners.set(type, listener)
          },
          close: () => {
            source.closed = true
          },
          say: (type: string, data = '') => listeners.get(type)?.(new MessageEvent(type, { data })),
        }
        sources.push(source)
        return source
      },
      {
        onConnection: (connection, retryInMs) =>
          heard.push(retryInMs === null ? connection : `${connection}, retry in ${retryInMs}`),
        onFact: (fact) => heard.push(`fact ${fact.n}`),
        onStale: () => heard.push('stale'),
      },
      timers,
    )
    const say = (type: string, data?: string): void => sources.at(-1)?.say(type, data)
    return { sources, heard, stop, say }
  }

  it('reports facts, and a stale state when it opens or resets', () => {
    const { heard, say } = setUp()
    say('open')
    say('journal', JSON.stringify({ n: 7, at: 1, kind: 'digested', seq: 3 }))
    say('journal', '8')
    say('reset')
    expect(heard).toEqual(['live', 'stale', 'fact 7', 'stale'])
  })

  it('reconnects after a break and reports a stale state', async () => {
    const { sources, heard, say } = setUp()
    say('open')
    say('error')
    await vi.advanceTimersByTimeAsync(500)
    say('open')
    expect(heard).toEqual(['live', 'stale', 'reconnecting, retry in 500', 'live', 'stale'])
    expect(sources.map((source) => source.closed)).toEqual([true, false])
  })

  it('reports unreachable when it cannot reconnect, and retries every 5 s', async () => {
    const { sources, heard, say } = setUp()
    say('open')
    for (const wait of [500, 1000, 2000, 5000, 5000]) {
      say('error')
      await vi.advanceTimersByTimeAsync(wait - 1)
      const before = sources.length
      await vi.advanceTimersByTimeAsync(1)
      expect(sources).toHaveLength(before + 1)
    }
    expect(heard.slice(2)).toEqual([
      'reconnecting, retry in 500',
      ...[1000, 2000, 5000, 5000].map((ms) => `unreachable, retry in ${ms}`),
    ])
    say('open')
    expect(heard.slice(-2)).toEqual(['live', 'stale'])
  })

  it('reconnects after three missed heartbeats', async () => {
    const { heard, say } = setUp()
    say('open')
    await vi.advanceTimersByTimeAsync(14_000)
    say('beat')
    await vi.advanceTimersByTimeAsync(14_000)
    expect(heard).toEqual(['live', 'stale'])
    await vi.advanceTimersByTimeAsync(1000)
    expect(heard.at(-1)).toBe('reconnecting, retry in 500')
  })

  it('reports nothing after it was stopped', async () => {
    const { sources, heard, stop, say } = setUp()
    say('open')
    stop()
    say('error')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(heard).toEqual(['live', 'stale'])
    expect(sources.map((source) => source.closed)).toEqual([true])
  })
})

it.each([
  ['nobody answers', new CollectorError(null, 'x'), { kind: 'unreachable' }],
  ['the pass-through finds nobody', new CollectorError(502, 'x'), { kind: 'unreachable' }],
  [
    'it is refused',
    new CollectorError(403, 'not your origin'),
    { kind: 'refused', status: 403, detail: 'not your origin' },
  ],
  ['the collector fails', new CollectorError(500, 'broken'), { kind: 'refused', status: 500, detail: 'broken' }],
  [
    'the copy of the collector is behind',
    new CollectorError(503, 'x', undefined, null, { missing: 1 }),
    { kind: 'behind', missing: 1, detail: 'This collector is still copying from PostgreSQL: 1 fact behind.' },
  ],
  [
    'the store is away',
    new CollectorError(503, 'PostgreSQL is away', undefined, null, { missing: null }),
    { kind: 'behind', missing: null, detail: 'PostgreSQL is away.' },
  ],
  ['the answer has another shape', new TypeError('no traces'), { kind: 'unreadable', detail: 'no traces' }],
  ['it was given up', new DOMException('x', 'AbortError'), null],
])('a failed read because %s', (_name, error, failure) => {
  expect(failureOf(error)).toEqual(failure)
})

it.each([
  ['connecting', null, null, 'connecting'],
  ['live', null, null, 'live'],
  ['live', null, new Date(2026, 10, 20, 14, 2, 33).getTime(), 'live again since 14:02:33'],
  ['reconnecting', 2500, null, 'not connected, retry in 3 s'],
  ['unreachable', 5000, null, 'collector unreachable, retry in 5 s'],
  ['reconnecting', null, null, 'not connected, retry now'],
] as const)('a stream that is %s is shown in words', (connection, leftMs, backAt, text) => {
  const nowMs = new Date(2026, 10, 20, 14, 5).getTime()
  expect(connectionText(connection, leftMs === null ? null : nowMs + leftMs, backAt, nowMs)).toBe(text)
})

describe('a shared stream', () => {
  it('is opened once for all its readers, tells a later one its state, and closes with the last', () => {
    const opened: StreamListener[] = []
    const log: string[] = []
    const follow = shareStream((listener) => {
      opened.push(listener)
      return () => log.push('closed')
    })
    const reader = (name: string): StreamListener => ({
      onConnection: (connection) => log.push(`${name} ${connection}`),
      onFact: ({ n }) => log.push(`${name} fact ${n}`),
      onStale: () => log.push(`${name} stale`),
    })
    const leaveA = follow(reader('a'))
    opened[0]?.onConnection('live', null)
    const leaveB = follow(reader('b'))
    opened[0]?.onFact({ n: 7, at: 0, kind: 'received', seq: 1 })
    leaveA()
    opened[0]?.onStale()
    leaveB()
    expect(log).toEqual(['a live', 'b live', 'a fact 7', 'b fact 7', 'b stale', 'closed'])
    follow(reader('c'))
    expect([opened.length, log.at(-1)]).toEqual([2, 'closed'])
  })
})
