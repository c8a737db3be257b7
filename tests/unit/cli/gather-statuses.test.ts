import { expect, it } from 'vitest'
import { readDeliveryStatuses } from '../../../collector/cli/judge/gather'
import type { DeliveryStatus } from '../../../lib/wire/delivery-status'
import type { EnvelopeSummary } from '../../../lib/wire/envelope'
import { decidedAt } from './sample-envelope'

const KEPT: DeliveryStatus = { name: 'kept', reason: null }
const LOST: DeliveryStatus = { name: 'invalid', reason: 'upstream_422' }

it('reads statuses page by page down to the oldest envelope, and single envelopes without index rows', async () => {
  const pages: readonly (readonly EnvelopeSummary[])[] = [
    [decidedAt(9, KEPT, [KEPT]), decidedAt(8, LOST, [])],
    [decidedAt(7, KEPT, []), decidedAt(6, LOST, [LOST])],
    [decidedAt(5, KEPT, [KEPT])],
  ]
  const requests: (string | number | null)[] = []
  const client: Parameters<typeof readDeliveryStatuses>[1] = {
    envelopes: async ({ cursor = null } = {}) => {
      requests.push(cursor)
      const page = Number(cursor ?? 0)
      return { envelopes: [...(pages[page] ?? [])], next: page < 2 ? String(page + 1) : null, journal: 9 }
    },
    envelope: async (seq) => {
      requests.push(seq)
      const { items: _, ...rest } = decidedAt(seq, LOST, [])
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
          { ...item, index: 0, deliveryStatus: KEPT },
          { ...item, index: 1, deliveryStatus: LOST },
        ],
      }
    },
  }
  const deliveryStatuses = await readDeliveryStatuses([8, 7], client, (of) => of(new AbortController().signal))
  expect(requests).toEqual([null, 8, '1'])
  expect(
    deliveryStatuses.map(({ seq, items }) => [seq, items.map(({ deliveryStatus }) => deliveryStatus.name)]),
  ).toEqual([
    [8, ['kept', 'invalid']],
    [7, []],
  ])
  requests.length = 0
  expect(await readDeliveryStatuses([1, 9], client, (of) => of(new AbortController().signal))).toHaveLength(1)
  expect(requests).toEqual([null, '1', '2'])
})
