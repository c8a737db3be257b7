import { describe, expect, it } from 'vitest'
import { LiveHub } from '../../../collector/http/hub'
import { waitRoutes } from '../../../collector/http/query-waits'
import type { ItemsPage, RecordedPage } from '../../../lib/wire/journal'

const ITEM = { journal: 0, seq: 1, index: 0, type: 'event', traceId: null, eventId: null, stamp: null, problem: null }

/** A store of so many numbers that looks at a hundred at once, in which some are items of what is asked for. */
function storeOf(newest: number, wanted: readonly number[]) {
  const asked: number[] = []
  const asks: object[] = []
  return {
    asked,
    /** What is asked of submissions beside where they begin. */
    asks,
    items: async (after: number): Promise<ItemsPage> => {
      asked.push(after)
      const upTo = Math.min(newest, after + 100)
      const found = wanted.filter((journal) => journal > after && journal <= upTo)
      return { items: found.map((journal) => ({ ...ITEM, journal })), next: Math.max(after, upTo) }
    },
    recorded: async (after: number, asked: object) => {
      asks.push(asked)
      const upTo = Math.min(newest, after + 100)
      const damaged = wanted.filter((journal) => journal > after && journal <= upTo)
      const page: RecordedPage = { recorded: [], damaged, next: Math.max(after, upTo), journal: newest, oldest: 1 }
      const body = new TextEncoder().encode(JSON.stringify(page))
      return { next: page.next, isFound: damaged.length > 0, body }
    },
    journal: async (after: number) => {
      const facts = after < newest ? [{ n: newest, at: 0, kind: 'digested' as const, seq: 1 }] : []
      return { facts, next: after, oldest: 0 }
    },
  }
}

const ask = async (store: ReturnType<typeof storeOf>, hub: LiveHub, query: string): Promise<ItemsPage> => {
  const response = await waitRoutes(store, hub).request(`/items?${query}`)
  return (await response.json()) as ItemsPage
}

describe('who waits for items', () => {
  it('waits behind what was looked at already, and is answered once it is there', async () => {
    const store = storeOf(350, [320])
    const page = await ask(store, new LiveHub(350), 'after=0&wait=20')
    expect([page, store.asked]).toEqual([{ items: [{ ...ITEM, journal: 320 }], next: 350 }, [0, 100, 200, 300]])
  })

  it('is woken by the next fact, and looks only at what is new', async () => {
    const store = storeOf(90, [])
    const hub = new LiveHub(90)
    const answer = ask(store, hub, 'after=0&wait=20')
    await expect.poll(() => store.asked).toEqual([0, 90])
    store.items = async (after) => ({ items: [{ ...ITEM, journal: after + 1 }], next: after + 1 })
    hub.publish([{ n: 91, at: 0, kind: 'digested', seq: 1 }])
    expect(await answer).toEqual({ items: [{ ...ITEM, journal: 91 }], next: 91 })
  })

  it('who does not wait is told where to go on after one look', async () => {
    const store = storeOf(350, [320])
    expect(await ask(store, new LiveHub(350), 'after=0')).toEqual({ items: [], next: 100 })
  })

  it('is told the number behind everything when the wait is over', async () => {
    const store = storeOf(350, [])
    expect(await ask(store, new LiveHub(350), 'after=0&wait=1')).toEqual({ items: [], next: 350 })
  })

  it('is told of a number that no fact has yet', async () => {
    const detail = 'after=351: the newest is 350; was it a number of another data folder?'
    for (const list of ['items', 'journal']) {
      const response = await waitRoutes(storeOf(350, []), new LiveHub(350)).request(`/${list}?after=351&wait=1`)
      expect([response.status, await response.json()]).toEqual([400, { detail, causes: [] }])
    }
  })

  it('may go on behind a fact that is read before it is published', async () => {
    expect(await ask(storeOf(351, []), new LiveHub(350), 'after=351')).toEqual({ items: [], next: 351 })
  })

  it.each([
    ['type=transactoin', 'type=transactoin: meant is transaction, or a word that is less like it'],
    ['stamp=%20', 'stamp= : meant is a stamp of 1 to 64'],
  ])('is told what %s should be', async (query, detail) => {
    const response = await waitRoutes(storeOf(1, []), new LiveHub(1)).request(`/items?${query}`)
    expect([response.status, await response.json()]).toMatchObject([400, { detail: expect.stringContaining(detail) }])
  })
})

describe('who waits for submissions', () => {
  const ask = async (store: ReturnType<typeof storeOf>, query: string): Promise<RecordedPage> => {
    const response = await waitRoutes(store, new LiveHub(350)).request(`/recorded?${query}`)
    expect(response.headers.get('content-type')).toBe('application/json')
    return (await response.json()) as RecordedPage
  }

  it('is told of one that cannot be read as of any other', async () => {
    const page = await ask(storeOf(350, [320]), 'after=0&wait=20')
    expect(page).toEqual({ recorded: [], damaged: [320], next: 350, journal: 350, oldest: 1 })
  })

  it.each([
    ['after=0', { stamp: null, unstamped: false }],
    ['stamp=mine', { stamp: 'mine', unstamped: false }],
    ['stamp=mine&unstamped', { stamp: 'mine', unstamped: true }],
    ['unstamped', { stamp: null, unstamped: true }],
  ])('asks by %s for %o', async (query, wanted) => {
    const store = storeOf(1, [])
    await ask(store, query)
    expect(store.asks).toEqual([wanted])
  })

  it.each([
    ['after=351', 'after=351: the newest is 350'],
    ['stamp=%3C', 'stamp=<: meant is a stamp of 1 to 64'],
    ['wait=61', 'wait=61: meant is a whole number from 0 to 60'],
    ['limit=1001', 'limit=1001: meant is a whole number from 0 to 1000'],
    ['unstampd', 'did you mean unstamped?'],
    ['type=event', 'there is no parameter "type" here'],
  ])('is told what is wrong with %s', async (query, detail) => {
    const response = await waitRoutes(storeOf(350, []), new LiveHub(350)).request(`/recorded?${query}`)
    expect([response.status, await response.json()]).toMatchObject([400, { detail: expect.stringContaining(detail) }])
  })
})
