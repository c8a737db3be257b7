import { describe, expect, it } from 'vitest'
import { ScriptPlayer } from '../../../collector/stand-in/script'
import { type GivenScript, scriptSchema } from '../../../lib/wire/stand-in'

function playing(...answers: GivenScript['answers']) {
  const clock = { now: 1_000_000, monotonic: 0 }
  const player = new ScriptPlayer({ now: () => clock.now, monotonic: () => clock.monotonic })
  player.load(scriptSchema.parse({ answers }))
  return {
    player,
    pass: (ms: number) => {
      clock.now += ms
      clock.monotonic += ms
    },
    setClock: (ms: number) => {
      clock.now += ms
    },
    status: (...categories: string[]) => player.take(categories)?.status ?? 200,
  }
}

describe('a script', () => {
  it('uses the first rule that matches a post', () => {
    const { status } = playing({ categories: ['error', 'session'], status: 503 }, { categories: ['span'], status: 400 })
    expect([status('error'), status('span'), status('transaction', 'session'), status('span', 'error')]).toEqual([
      503, 400, 503, 503,
    ])
    expect([status('transaction'), status()]).toEqual([200, 200])
  })

  it('matches every post by a rule without categories, also one that cannot be parsed', () => {
    const { status } = playing({ status: 413 })
    expect([status(), status('error')]).toEqual([413, 413])
  })

  it('uses the next rule when one is used up; only posts that match count', () => {
    const { status, player } = playing({ categories: ['error'], times: 2, status: 429 }, { times: 1, status: 500 })
    expect([status('error'), status('span'), status('error'), status('error')]).toEqual([429, 500, 429, 200])
    expect(player.left()).toEqual([])
  })

  it('counts down', () => {
    const { status, player } = playing({ times: 3, status: 429 })
    status()
    expect(player.left()).toMatchObject([{ times: 2, status: 429, endsAt: null }])
  })

  it('ends a rule when its time since loading is over', () => {
    const { status, pass, player } = playing({ forMs: 5000, status: 503 })
    pass(4999)
    expect(status()).toBe(503)
    expect(player.left()).toMatchObject([{ endsAt: 1_005_000 }])
    expect(player.nextEnd()).toBe(1)
    pass(1)
    expect([status(), player.left(), player.nextEnd()]).toEqual([200, [], null])
  })

  it.each([86_400_000, -86_400_000])('ends a rule on time when the clock is set by %i ms', (jump) => {
    const { status, pass, setClock, player } = playing({ forMs: 5000, status: 503 })
    setClock(jump)
    pass(4000)
    expect(status()).toBe(503)
    expect(player.left()).toMatchObject([{ endsAt: 1_005_000 + jump }])
    pass(1000)
    expect(status()).toBe(200)
  })

  it('ends a rule when its count or its time is reached', () => {
    const byCount = playing({ forMs: 5000, times: 1, status: 503 })
    expect([byCount.status(), byCount.status()]).toEqual([503, 200])
    const byTime = playing({ forMs: 5000, times: 9, status: 503 })
    byTime.pass(5000)
    expect(byTime.status()).toBe(200)
  })

  it('is replaced by the next one as a whole', () => {
    const { player, status } = playing({ status: 503 })
    player.load(scriptSchema.parse({ answers: [{ categories: ['error'], status: 400 }] }))
    expect([status('span'), status('error')]).toEqual([200, 400])
  })
})

describe('a script of a stamp', () => {
  const rule = (status: number, given: Partial<GivenScript> = {}) =>
    scriptSchema.parse({ answers: [{ categories: ['error'], times: 1, status }], ...given })

  it('answers only posts of the stamp, with the stamp as a header, before the rules for all posts', () => {
    const { player } = playing({ categories: ['error'], status: 500 })
    player.load(rule(429, { stamp: 'mine' }))
    expect(player.take(['error'], 'other')?.status).toBe(500)
    expect(player.take(['error'])?.headers).toEqual({})
    expect(player.take(['error'], 'mine')).toMatchObject({ status: 429, headers: { 'x-waystation-stamp': 'mine' } })
    expect(player.take(['error'], 'mine')).toMatchObject({ status: 500, headers: {} })
  })

  it('replaces only earlier rules of the same stamp', () => {
    const { player } = playing({ status: 500 })
    player.load(rule(429, { stamp: 'mine' }))
    player.load(rule(430, { stamp: 'other' }))
    player.load(rule(431, { stamp: 'mine' }))
    expect(player.left().map(({ status, stamp }) => [status, stamp])).toEqual([
      [430, 'other'],
      [431, 'mine'],
      [500, undefined],
    ])
    player.load(rule(503))
    expect(player.left().map(({ status }) => status)).toEqual([430, 431, 503])
    player.load(scriptSchema.parse({ stamp: 'mine', answers: [] }))
    expect(player.left().map(({ status }) => status)).toEqual([430, 503])
  })

  it('keeps the newest 1000 rules of all stamps', () => {
    const { player } = playing()
    for (let index = 0; index < 1_001; index += 1) player.load(rule(429, { stamp: `s-${index}` }))
    expect(player.left()).toHaveLength(1_000)
    expect(player.left()[0]).toMatchObject({ stamp: 's-1' })
  })

  it('must name a valid stamp', () => {
    expect(scriptSchema.safeParse({ stamp: '<b>', answers: [] }).error?.issues[0]?.message).toMatch(
      /^a stamp of 1 to 64/,
    )
  })
})
