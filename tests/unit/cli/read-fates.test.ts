import { expect, it } from 'vitest'
import { readFates } from '../../../collector/cli/read-fates'
import type { EnvelopeSummary } from '../../../lib/wire/envelope'
import type { Fate } from '../../../lib/wire/fate'
import { fatedAt } from './told-envelope'

const KEPT: Fate = { name: 'kept', reason: null }
const LOST: Fate = { name: 'invalid', reason: 'upstream_422' }

it('reads page by page down to the oldest that is wanted, and one whose rows are gone by itself', async () => {
  const pages: readonly (readonly EnvelopeSummary[])[] = [
    [fatedAt(9, KEPT, [KEPT]), fatedAt(8, LOST, [])],
    [fatedAt(7, KEPT, []), fatedAt(6, LOST, [LOST])],
    [fatedAt(5, KEPT, [KEPT])],
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
      const { items: _, ...rest } = fatedAt(seq, LOST, [])
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
