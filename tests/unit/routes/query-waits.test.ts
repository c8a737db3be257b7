import { describe, expect, it } from 'vitest'
import { LiveHub } from '../../../collector/live/hub'
import { waitRoutes } from '../../../collector/routes/query-waits'
import type { ItemsPage } from '../../../lib/wire/journal'

const ITEM = { journal: 0, seq: 1, index: 0, type: 'event', traceId: null, eventId: null, stamp: null }

/** A store of so many numbers that looks at a hundred at once, in which some are items of what is asked for. */
function storeOf(newest: number, wanted: readonly number[]) {
  const asked: number[] = []
  return {
    asked,
    items: async (after: number): Promise<ItemsPage> => {
      asked.push(after)
      const upTo = Math.min(newest, after + 100)
      const found = wanted.filter((journal) => journal > after && journal <= upTo)
      return { items: found.map((journal) => ({ ...ITEM, journal })), next: Math.max(after, upTo) }
    },
    journal: async (after: number) => ({ facts: [], next: after, oldest: 0 }),
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
})
