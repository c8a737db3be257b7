import type { Store, StoreLane, StoreUsage } from '../../../lib/wire/store'

const MB = 1_000_000

export const LANE: StoreLane = {
  ...{ key: '0123…', project: '2', lane: 0, owner: 'one 41', isOwn: true, leaseMs: 18_400, freeMs: null },
}

/** Sizes of a database of 60 MB with a budget of 100 MB, two collectors and three lanes. */
export const USAGE: StoreUsage = {
  ...{ measuredAt: 1_000_000, bytes: 60 * MB, budgetBytes: 100 * MB, dropsAt: 90 * MB },
  partitions: {
    ...{ count: 3, first: 0, last: 786_431, bytes: 50 * MB, oldestAt: 400_000, waiting: 1 },
    oldest: [
      { first: 0, last: 262_143, bytes: 40 * MB, oldestAt: 400_000, newestAt: 800_000, state: 'held' },
      { first: 262_144, last: 524_287, bytes: 10 * MB, oldestAt: 800_000, newestAt: 990_000, state: 'newest' },
    ],
  },
  collectors: {
    count: 2,
    list: [
      { name: 'one 41', isOwn: true, seenMs: 300, isHousekeeper: true },
      { name: 'two 42', isOwn: false, seenMs: 90_000, isHousekeeper: false },
    ],
  },
  lanes: [
    LANE,
    { ...LANE, project: '3', owner: 'two 42', isOwn: false },
    { ...LANE, project: '3', lane: 1, owner: null, isOwn: false, leaseMs: null, freeMs: 65_000 },
  ],
}

/** A shared record that answers, of which this collector has all. */
export const STORE: Store = {
  place: 'db.internal/waystation',
  away: null,
  mirror: { head: 4711, missing: 0, lagMs: 0 },
  lanes: { own: 1, others: 1, free: 1 },
  usage: USAGE,
  unmeasured: null,
  counts: {
    ...{ batches: 10, writes: 45, repeated: 1 },
    connections: { writing: { opened: 2, failed: 1 }, reading: { opened: 1, failed: 0 } },
  },
}

/** The same while PostgreSQL does not answer. */
export const STORE_AWAY: Store = {
  ...STORE,
  away: 'PostgreSQL at db.internal/waystation is away: connect ECONNREFUSED',
  mirror: { head: 4711, missing: null, lagMs: null },
}
