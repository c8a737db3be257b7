import { expect, it } from 'vitest'
import { readFates } from '../../../collector/cli/read-fates'
import type { CollectorClient } from '../../../lib/wire/collector-client'
import type { Fate } from '../../../lib/wire/fate'

type Found = Awaited<ReturnType<CollectorClient['envelopes']>>['envelopes'][number]
const KEPT: Fate = { name: 'kept', reason: null }
const LOST: Fate = { name: 'invalid', reason: 'upstream_422' }

const summary = (seq: number, fate: Fate, items: readonly Fate[]): Found => ({
  seq,
  journal: seq,
  receivedAt: 0,
  digestedAt: null,
  relayedAt: null,
  door: 'tunnel',
  project: '1',
  publicKey: 'k',
  sdk: null,
  eventId: null,
  traceId: null,
  environment: null,
  bytes: 1,
  stamp: null,
  digest: items.length === 0 ? 'evicted' : 'digested',
  fate,
  deliveries: 0,
  lastDelivery: null,
  items: items.map((one, index) => ({
    index,
    type: 'event',
    category: 'error',
    quantity: 1,
    bytes: 1,
    fate: one,
    problem: null,
  })),
})

it('reads page by page down to the oldest that is wanted, and one whose rows are gone by itself', async () => {
  const pages: readonly (readonly Found[])[] = [
    [summary(9, KEPT, [KEPT]), summary(8, LOST, [])],
    [summary(7, KEPT, []), summary(6, LOST, [LOST])],
    [summary(5, KEPT, [KEPT])],
  ]
  const asked: (string | number | null)[] = []
  const client: Parameters<typeof readFates>[1] = {
    envelopes: async ({ cursor = null } = {}) => {
      asked.push(cursor)
      const page = Number(cursor ?? 0)
      return { envelopes: [...(pages[page] ?? [])], next: page < 2 ? String(page + 1) : null, journal: 9 }
    },
    envelope: async (seq) => {
      asked.push(seq)
      const { items: _, ...rest } = summary(seq, LOST, [])
      const item = {
        type: 'event',
        category: 'error',
        quantity: 1,
        bytes: 1,
        problem: null,
        header: {},
        text: '',
        truncated: false,
      }
      const facts = {
        method: 'POST',
        contentType: null,
        contentEncoding: null,
        userAgent: null,
        origin: null,
        receipt: '',
        page: null,
        lab: false,
      }
      return {
        ...rest,
        header: {},
        facts,
        attempts: [],
        items: [
          { ...item, index: 0, fate: KEPT },
          { ...item, index: 1, fate: LOST },
        ],
      }
    },
  }
  const fates = await readFates([8, 7], client, (of) => of(new AbortController().signal))
  expect(asked).toEqual([null, 8, '1'])
  expect(fates.map(({ seq, items }) => [seq, items.map(({ fate }) => fate.name)])).toEqual([
    [8, ['kept', 'invalid']],
    [7, []],
  ])
  asked.length = 0
  expect(await readFates([1, 9], client, (of) => of(new AbortController().signal))).toHaveLength(1)
  expect(asked).toEqual([null, '1', '2'])
})
