import { describe, expect, it } from 'vitest'
import { LiveHub } from '../../../collector/api/live-hub'
import { waitRoutes } from '../../../collector/api/query/waits'
import type { ItemsPage, RecordedPage } from '../../../lib/wire/journal'

const ITEM = { journal: 0, seq: 1, index: 0, type: 'event', traceId: null, eventId: null, stamp: null, problem: null }

/** A store with numbers up to `newest` that reads a hundred at once; `matching` ones are found. */
function storeOf(newest: number, matching: readonly number[]) {
  const reads: number[] = []
  const filters: object[] = []
  return {
    reads,
    filters,
    items: async (after: number): Promise<ItemsPage> => {
      reads.push(after)
      const upTo = Math.min(newest, after + 100)
      const found = matching.filter((journal) => journal > after && journal <= upTo)
      return { items: found.map((journal) => ({ ...ITEM, journal })), next: Math.max(after, upTo) }
    },
    recorded: async (after: number, filter: object) => {
      filters.push(filter)
      const upTo = Math.min(newest, after + 100)
      const damaged = matching.filter((journal) => journal > after && journal <= upTo)
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

const routesOf = (store: ReturnType<typeof storeOf>, hub: LiveHub) => waitRoutes({ index: store, record: store }, hub)

const query = async (store: ReturnType<typeof storeOf>, hub: LiveHub, parameters: string): Promise<ItemsPage> => {
  const response = await routesOf(store, hub).request(`/items?${parameters}`)
  return (await response.json()) as ItemsPage
}

describe('GET /query/items', () => {
  it('continues after the numbers that it read, and answers at the first match', async () => {
    const store = storeOf(350, [320])
    const page = await query(store, new LiveHub(350), 'after=0&wait=20')
    expect([page, store.reads]).toEqual([{ items: [{ ...ITEM, journal: 320 }], next: 350 }, [0, 100, 200, 300]])
  })

  it('wakes at the next fact and reads only new numbers', async () => {
    const store = storeOf(90, [])
    const hub = new LiveHub(90)
    const answer = query(store, hub, 'after=0&wait=20')
    await expect.poll(() => store.reads).toEqual([0, 90])
    store.items = async (after) => ({ items: [{ ...ITEM, journal: after + 1 }], next: after + 1 })
    hub.publish([{ n: 91, at: 0, kind: 'digested', seq: 1 }])
    expect(await answer).toEqual({ items: [{ ...ITEM, journal: 91 }], next: 91 })
  })

  it('wakes at a fact that repeats the newest number, also during a read', async () => {
    const store = storeOf(90, [])
    const hub = new LiveHub(90)
    const { items } = store
    store.items = async (after) => {
      // Digested after this read.
      if (after === 90) {
        store.items = async () => ({ items: [{ ...ITEM, journal: 90 }], next: 90 })
        hub.publish([{ n: 90, at: 0, kind: 'digested', seq: 1 }])
      }
      return items(after)
    }
    expect(await query(store, hub, 'after=0&wait=20')).toEqual({ items: [{ ...ITEM, journal: 90 }], next: 90 })
  })

  it('answers after one read without `wait`, with the number to continue from', async () => {
    const store = storeOf(350, [320])
    expect(await query(store, new LiveHub(350), 'after=0')).toEqual({ items: [], next: 100 })
  })

  it('answers with the newest number when the wait is over', async () => {
    const store = storeOf(350, [])
    expect(await query(store, new LiveHub(350), 'after=0&wait=1')).toEqual({ items: [], next: 350 })
  })

  it('rejects a number beyond the newest fact', async () => {
    const detail = 'after=351: the newest number is 350; is it from another data folder?'
    for (const list of ['items', 'journal']) {
      const response = await routesOf(storeOf(350, []), new LiveHub(350)).request(`/${list}?after=351&wait=1`)
      expect([response.status, await response.json()]).toMatchObject([400, { detail, field: 'after', value: '351' }])
    }
  })

  it('accepts a fact that is stored but not yet published', async () => {
    expect(await query(storeOf(351, []), new LiveHub(350), 'after=351')).toEqual({ items: [], next: 351 })
  })

  it.each([
    ['type=transactoin', 'type=transactoin: is not a known name; did you mean transaction?'],
    ['stamp=%20', 'stamp= : must be a stamp of 1 to 64'],
  ])('rejects %s', async (parameters, detail) => {
    const response = await routesOf(storeOf(1, []), new LiveHub(1)).request(`/items?${parameters}`)
    expect([response.status, await response.json()]).toMatchObject([400, { detail: expect.stringContaining(detail) }])
  })
})

describe('GET /query/recorded', () => {
  const query = async (store: ReturnType<typeof storeOf>, parameters: string): Promise<RecordedPage> => {
    const response = await waitRoutes({ index: store, record: store }, new LiveHub(350)).request(
      `/recorded?${parameters}`,
    )
    expect(response.headers.get('content-type')).toBe('application/json')
    return (await response.json()) as RecordedPage
  }

  it('answers at a damaged record too', async () => {
    const page = await query(storeOf(350, [320]), 'after=0&wait=20')
    expect(page).toEqual({ recorded: [], damaged: [320], next: 350, journal: 350, oldest: 1 })
  })

  it.each([
    ['after=0', { stamp: null, unstamped: false }],
    ['stamp=mine', { stamp: 'mine', unstamped: false }],
    ['stamp=mine&unstamped', { stamp: 'mine', unstamped: true }],
    ['unstamped', { stamp: null, unstamped: true }],
  ])('reads the filter of %s as %o', async (parameters, filter) => {
    const store = storeOf(1, [])
    await query(store, parameters)
    expect(store.filters).toEqual([filter])
  })

  it.each([
    ['after=351', 'after=351: the newest number is 350'],
    ['stamp=%3C', 'stamp=<: must be a stamp of 1 to 64'],
    ['wait=61', 'wait=61: must be a whole number from 0 to 60'],
    ['limit=1001', 'limit=1001: must be a whole number from 0 to 1000'],
    ['unstampd', 'did you mean unstamped?'],
    ['type=event', 'there is no parameter "type" here'],
  ])('rejects %s', async (parameters, detail) => {
    const response = await routesOf(storeOf(350, []), new LiveHub(350)).request(`/recorded?${parameters}`)
    expect([response.status, await response.json()]).toMatchObject([400, { detail: expect.stringContaining(detail) }])
  })
})
