import type { EnvelopeSummary } from '../../../lib/wire/envelope'

type Fate = EnvelopeSummary['fate']

/** An envelope of errors, and what became of each; without any its rows are gone. */
export const fatedAt = (seq: number, fate: Fate, items: readonly Fate[] = [fate]): EnvelopeSummary => ({
  seq,
  journal: seq,
  receivedAt: 1000 + seq,
  digestedAt: 1000,
  relayedAt: null,
  door: 'tunnel',
  project: '1',
  publicKey: 'local',
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
