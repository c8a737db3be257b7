import { describe, expect, it } from 'vitest'
import { createSessions, MAX_SESSIONS, SESSION_SECONDS } from '../../../collector/api/sessions'

const NOW = 1_795_000_000_000

type Stored = Map<string, string>

/** Sessions with settings in memory, and ids that count. */
async function made(given: { stored?: Stored; token?: string; now?: () => number; name?: string } = {}) {
  const { stored = new Map<string, string>(), now = () => NOW, name = 'id' } = given
  let count = 0
  const sessions = await createSessions({
    read: async () => [...stored].map(([hash, value]) => ({ name: hash, value })),
    save: async (hash, text) => {
      if (text === null) stored.delete(hash)
      else stored.set(hash, text)
    },
    isShared: false,
    token: 'token' in given ? given.token : 'secret',
    now,
    monotonic: now,
    newId: () => `${name}-${count++}`,
  })
  return { sessions, stored }
}

describe('sessions', () => {
  it('are open until they end, and others stay', async () => {
    const { sessions, stored } = await made()
    const [one, other] = [await sessions.start(), await sessions.start()]
    await sessions.end(one)
    expect(await Promise.all([one, other, null, ''].map((id) => sessions.has(id)))).toEqual([false, true, false, false])
    await sessions.endAll()
    expect(await sessions.has(other)).toBe(false)
    expect(stored.size).toBe(0)
  })

  it('end after 30 days', async () => {
    let now = NOW
    const { sessions } = await made({ now: () => now })
    const id = await sessions.start()
    now += SESSION_SECONDS * 1000 - 1
    expect(await sessions.has(id)).toBe(true)
    now += 1
    expect(await sessions.has(id)).toBe(false)
  })

  it('survive a restart with the same token only, and their ids are not stored', async () => {
    const { sessions, stored } = await made()
    const id = await sessions.start()
    const text = JSON.stringify([...stored])
    expect(text).not.toContain(id)
    expect(text).not.toContain('secret')
    expect(await (await made({ stored })).sessions.has(id)).toBe(true)
    expect(await (await made({ stored, token: 'another' })).sessions.has(id)).toBe(false)
    for (const hash of stored.keys()) stored.set(hash, '{"token":1}')
    expect(await (await made({ stored })).sessions.has(id)).toBe(false)
    for (const hash of stored.keys()) stored.set(hash, 'no JSON')
    expect(await (await made({ stored })).sessions.has(id)).toBe(false)
  })

  it('are at most 100: the oldest ends', async () => {
    let now = NOW
    const { sessions, stored } = await made({ now: () => now++ })
    const ids: string[] = []
    for (let count = 0; count <= MAX_SESSIONS; count += 1) ids.push(await sessions.start())
    const open = await Promise.all(ids.map((id) => sessions.has(id)))
    expect(ids.filter((_, at) => !open[at])).toEqual(['id-0'])
    expect(stored.size).toBe(MAX_SESSIONS)
  })

  it('do not exist without a token', async () => {
    const { sessions } = await made({ token: undefined })
    expect(await sessions.has(await sessions.start())).toBe(false)
  })

  it('have random ids of 256 bits', async () => {
    const start = async () =>
      (
        await createSessions({
          read: async () => [],
          save: async () => undefined,
          isShared: false,
          token: 't',
          now: () => NOW,
          monotonic: () => NOW,
        })
      ).start()
    const [one, other] = [await start(), await start()]
    expect(one).toMatch(/^[\w-]{43}$/)
    expect(one).not.toBe(other)
  })
})

describe('sessions that two collectors share', () => {
  /** Two collectors of one record. */
  async function pair() {
    const stored: Stored = new Map()
    const state = { now: NOW, reads: 0, isAway: false }
    const collector = (name: string) => {
      let count = 0
      return createSessions({
        read: async () => {
          if (state.isAway) throw new Error('PostgreSQL is away')
          state.reads += 1
          return [...stored].map(([hash, value]) => ({ name: hash, value }))
        },
        save: async (hash, text) => {
          if (text === null) stored.delete(hash)
          else stored.set(hash, text)
        },
        isShared: true,
        token: 'secret',
        now: () => state.now,
        monotonic: () => state.now,
        newId: () => `${name}-${count++}`,
      })
    }
    return { one: await collector('one'), other: await collector('other'), stored, state }
  }

  it('are open at the other one at once, and none overwrites another', async () => {
    const { one, other } = await pair()
    const [a, b] = await Promise.all([one.start(), other.start()])
    for (const collector of [one, other]) for (const id of [a, b]) expect(await collector.has(id)).toBe(true)
  })

  it('end at the other one within a second, and are not read again before', async () => {
    const { one, other, state } = await pair()
    const id = await one.start()
    expect(await other.has(id)).toBe(true)
    await one.end(id)
    expect(await one.has(id)).toBe(false)
    const { reads } = state
    expect(await other.has(id)).toBe(true)
    expect(state.reads).toBe(reads)
    state.now += 1000
    expect(await other.has(id)).toBe(false)
  })

  it('end where they did not start', async () => {
    const { one, other, state, stored } = await pair()
    const id = await one.start()
    await other.end(id)
    state.now += 1000
    expect(await one.has(id)).toBe(false)
    await one.start()
    await other.endAll()
    expect(stored.size).toBe(0)
  })

  it('stay open while the store is away', async () => {
    const { one, state } = await pair()
    const id = await one.start()
    state.isAway = true
    state.now += 60_000
    expect(await one.has(id)).toBe(true)
    expect(await one.has('unknown')).toBe(false)
  })

  it('are read by one query for many unknown ids at once', async () => {
    const { one, state } = await pair()
    const { reads } = state
    const known = await Promise.all(Array.from({ length: 50 }, (_, n) => one.has(`unknown-${n}`)))
    expect(known).not.toContain(true)
    expect(state.reads - reads).toBeLessThanOrEqual(2)
  })
})
