import { describe, expect, it } from 'vitest'
import { parseEnvelope } from '../../../lib/protocol/envelope'
import { KEYLESS } from '../../../lib/protocol/upstream-address'
import { cut, MINUTE, one, reporting, START, two } from './reporting'

describe('cut items', () => {
  it('are reported with the DSN of the upstream and the time of the report', async () => {
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

  it('are gathered into at most one report a minute, each quantity once', async () => {
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

  it('are reported only by the collector that relays to their upstream, which may be this one later', async () => {
    const { add, pass, posts, state, reporter, timers } = reporting()
    state.isRelayed = false
    add('1', cut('span', 1))
    await pass(10 * MINUTE)
    expect([posts, timers]).toEqual([[], []])
    state.isRelayed = true
    reporter.wake()
    await pass(5000)
    expect(posts).toHaveLength(1)
  })

  it('cause no report without a quantity', async () => {
    const { reporter, pass, posts, timers } = reporting()
    reporter.wake()
    await pass(10 * MINUTE)
    expect(posts).toEqual([])
    expect(timers).toEqual([])
  })

  it('are reported to their own upstream', async () => {
    const { add, pass, posts } = reporting({ upstreams: [one, two] })
    add('1', cut('span', 1))
    add('2', cut('error', 1))
    await pass(5000)
    expect(posts.map(({ url }) => url)).toEqual(['http://one.test/api/1/envelope/', 'http://two.test/api/2/envelope/'])
  })

  it('are reported to the DSN of the upstream of OpenTelemetry, and to no other endpoint', async () => {
    const asDsn = reporting({ upstreams: [{ ...KEYLESS, address: two }] })
    asDsn.add(KEYLESS.projectId, cut('span', 1))
    await asDsn.pass(5000)
    expect(asDsn.posts.map(({ url }) => url)).toEqual(['http://two.test/api/2/envelope/'])
    expect(asDsn.posts[0]?.body).toContain('"dsn":"http://key@two.test/2"')
    const address = { protocol: 'http', host: 'otel.test', path: '', authorization: null } as const
    const asUrl = reporting({ upstreams: [{ ...KEYLESS, address }] })
    asUrl.add(KEYLESS.projectId, cut('span', 1))
    await asUrl.pass(10 * MINUTE)
    expect([asUrl.posts, asUrl.timers]).toEqual([[], []])
  })

  it.each([
    ['client reports are limited', 'internal'],
    ['everything is limited', 'all'],
  ])('wait while %s', async (_why, category) => {
    const { add, pass, posts, rateLimits } = reporting()
    const reported = { publicKey: 'key', project: '1', receivedAt: START, reason: null, scope: null, sourceSeq: null }
    rateLimits.add([{ ...reported, category, until: START + 3 * MINUTE }])
    add('1', cut('span', 1))
    await pass(3 * MINUTE - 1)
    expect(posts).toEqual([])
    await pass(MINUTE + 5000)
    expect(posts).toHaveLength(1)
  })

  it('wait while the upstream backs off or is paused', async () => {
    const { add, pass, posts, state } = reporting()
    state.isHealthy = false
    add('1', cut('span', 1))
    await pass(10 * MINUTE)
    expect(posts).toEqual([])
    state.isHealthy = true
    await pass(MINUTE + 5000)
    expect(posts).toHaveLength(1)
  })

  it('are reported once where an answer takes longer than the next gathering', async () => {
    const { add, pass, quantities, state, sums } = reporting()
    state.takesMs = 8000
    add('1', cut('span', 10))
    await pass(7000)
    add('1', cut('error', 5))
    await pass(5 * MINUTE)
    expect(quantities()).toEqual([10, 5])
    expect(sums.get('1')?.map(({ quantity }) => quantity)).toEqual([0, 0])
  })

  it('are reported less and less often to an upstream that refuses reports', async () => {
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

  it('are reported to one upstream each minute although another refuses reports', async () => {
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
  ])('stay unreported where %s', async (_why, status, headers) => {
    const { add, pass, posts, state, sums } = reporting()
    Object.assign(state, { status, headers })
    add('1', cut('span', 7))
    await pass(5000)
    expect(posts).toHaveLength(1)
    expect(sums.get('1')).toMatchObject([{ quantity: 7 }])
  })

  it('return limits, as every answer does', async () => {
    const { add, pass, state, stored, rateLimits } = reporting()
    state.headers = { 'x-sentry-rate-limits': '60:error:key' }
    add('1', cut('span', 7))
    await pass(5000)
    expect(stored).toMatchObject([{ category: 'error', sourceSeq: null }])
    expect(rateLimits.activeFor('key', '1')).toMatchObject([{ category: 'error' }])
  })

  it('are reported later where they cannot be read now', async () => {
    const { add, pass, posts, state, lines } = reporting()
    state.broken = true
    add('1', cut('span', 7))
    await pass(5000)
    expect(lines).toEqual(['cut items could not be reported: the reader is gone'])
    state.broken = false
    await pass(MINUTE)
    expect(posts).toHaveLength(1)
  })
})

it('a stop reports what is left at once, and starts nothing more', async () => {
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

it('a stop leaves refused reports for the next start', async () => {
  const { add, reporter, state, sums } = reporting()
  state.status = null
  add('1', cut('span', 5))
  await reporter.close(1000)
  expect(sums.get('1')).toMatchObject([{ quantity: 5 }])
})
