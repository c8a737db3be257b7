import type { EnvelopeSummary } from '../../../lib/wire/envelope'

type DeliveryStatus = EnvelopeSummary['deliveryStatus']

/** An envelope with an error for each status; without items, its index rows are evicted. */
export const decidedAt = (
  seq: number,
  deliveryStatus: DeliveryStatus,
  items: readonly DeliveryStatus[] = [deliveryStatus],
): EnvelopeSummary => ({
  seq,
  journal: seq,
  receivedAt: 1000 + seq,
  digestedAt: 1000,
  relayedAt: null,
  endpoint: 'tunnel',
  project: '1',
  publicKey: 'local',
  sdk: null,
  eventId: null,
  traceId: null,
  environment: null,
  own: false,
  page: null,
  bytes: 1,
  stamp: null,
  digest: items.length === 0 ? 'evicted' : 'digested',
  deliveryStatus,
  deliveries: 0,
  lastDelivery: null,
  items: items.map((one, index) => ({
    index,
    type: 'event',
    category: 'error',
    quantity: 1,
    bytes: 1,
    deliveryStatus: one,
    problem: null,
  })),
})
