import { describe, expect, it } from 'vitest'
import { createSessions, MAX_SESSIONS, SESSION_SECONDS } from '../../../collector/api/sessions'

const NOW = 1_795_000_000_000

/** Sessions with a setting in memory, and ids that count. */
function made(given: { stored?: string | null; token?: string; now?: () => number } = {}) {
  let stored = given.stored ?? null
  let count = 0
  const sessions = createSessions({
    stored,
    save: async (text) => {
      stored = text
    },
    token: 'token' in given ? given.token : 'secret',
    now: given.now ?? (() => NOW),
    newId: () => `id-${count++}`,
  })
  return { sessions, stored: () => stored }
}

describe('sessions', () => {
  it('are open until they end, and others stay', async () => {
    const { sessions } = made()
    const [one, other] = [await sessions.start(), await sessions.start()]
    await sessions.end(one)
    expect([sessions.has(one), sessions.has(other), sessions.has(null), sessions.has('')]).toEqual([
      false,
      true,
      false,
      false,
    ])
    await sessions.endAll()
    expect(sessions.has(other)).toBe(false)
  })

  it('end after 30 days', async () => {
    let now = NOW
    const { sessions } = made({ now: () => now })
    const id = await sessions.start()
    now += SESSION_SECONDS * 1000 - 1
    expect(sessions.has(id)).toBe(true)
    now += 1
    expect(sessions.has(id)).toBe(false)
  })

  it('survive a restart with the same token only, and their ids are not stored', async () => {
    const { sessions, stored } = made()
    const id = await sessions.start()
    expect(stored()).not.toContain(id)
    expect(stored()).not.toContain('secret')
    expect(made({ stored: stored() }).sessions.has(id)).toBe(true)
    expect(made({ stored: stored(), token: 'another' }).sessions.has(id)).toBe(false)
    expect(made({ stored: '{"token":1}' }).sessions.has(id)).toBe(false)
  })

  it('are at most 100: the oldest ends', async () => {
    const { sessions } = made()
    const ids: string[] = []
    for (let count = 0; count <= MAX_SESSIONS; count += 1) ids.push(await sessions.start())
    expect(ids.filter((id) => !sessions.has(id))).toEqual(['id-0'])
  })

  it('do not exist without a token', async () => {
    const { sessions } = made({ token: undefined })
    expect(sessions.has(await sessions.start())).toBe(false)
  })

  it('have random ids of 256 bits', async () => {
    const start = () =>
      createSessions({ stored: null, save: async () => undefined, token: 't', now: () => NOW }).start()
    const [one, other] = [await start(), await start()]
    expect(one).toMatch(/^[\w-]{43}$/)
    expect(one).not.toBe(other)
  })
})
