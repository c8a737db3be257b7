import { formatMebibytes } from '../../lib/format'
import { withTimeout } from '../../lib/time'
import type { Store, StoreCounts, StoreUsage } from '../../lib/wire/store'
import type { StorageReport } from '../spool/disk/storage'
import type { StorePosition } from './housekeeping/store-usage'
import { StoreAwayError } from './store-away'

/** Sizes are measured again after this time. */
const MEASURE_EVERY_MS = 10_000
/** The first answer waits this long for them. */
const FIRST_MS = 500

/** Until the store is open. */
const NO_COUNTS: StoreCounts = { batches: 0, writes: 0, repeated: 0, connections: {} }

interface ReportedStore {
  readonly usage: () => Promise<StoreUsage>
  readonly position: (mirrored: number) => Promise<StorePosition>
  readonly counts: () => Promise<StoreCounts>
}

/**
 * Describes a shared record for people. Sizes are measured in the background while somebody asks, and never twice at once:
 * an answer has the last ones. Figures that PostgreSQL does not answer are `null`, so a store that is away can be described, too.
 */
export function createStoreReport(parts: {
  readonly place: string
  readonly store: ReportedStore
  /** Number of the newest fact of the mirror; `null` at a collector without one. */
  readonly mirrored: () => Promise<number | null>
  /** Ms since the epoch, and ms of a clock that never goes back. */
  readonly now: () => number
  readonly monotonic: () => number
}): () => Promise<Store> {
  const { place, store, now, monotonic } = parts
  let usage: StoreUsage | null = null
  let unmeasured: string | null = null
  let measuredAt = Number.NEGATIVE_INFINITY
  let measuring: Promise<void> | null = null
  const measure = async (): Promise<void> => {
    try {
      usage = await store.usage()
      unmeasured = null
    } catch (error) {
      const failed = error instanceof Error ? error : new Error(String(error))
      unmeasured = failed.name === StoreAwayError.NAME ? null : failed.message
    }
    measuredAt = monotonic()
    measuring = null
  }
  return async () => {
    if (measuring === null && monotonic() - measuredAt >= MEASURE_EVERY_MS) measuring = measure()
    const mirrored = await parts.mirrored()
    const first = usage === null && measuring !== null ? withTimeout(measuring, FIRST_MS, undefined) : null
    const [position, counts] = await Promise.all([
      store.position(mirrored ?? 0).catch((error: Error) => {
        if (error.name !== StoreAwayError.NAME) throw error
        return error
      }),
      store.counts().catch((error: Error) => {
        if (error.name !== StoreAwayError.NAME) throw error
        return NO_COUNTS
      }),
      first,
    ])
    const known = position instanceof Error ? null : position
    return {
      place,
      away: position instanceof Error ? position.message : null,
      ...(mirrored !== null && { mirror: { head: mirrored, ...lagOf(known, mirrored, now()) } }),
      lanes: usage && countLanes(usage),
      usage,
      unmeasured,
      counts,
    }
  }
}

function lagOf(
  position: StorePosition | null,
  mirrored: number,
  now: number,
): { readonly missing: number | null; readonly lagMs: number | null } {
  if (position === null) return { missing: null, lagMs: null }
  const { head, missingSince } = position
  // Clocks of collectors differ.
  return { missing: Math.max(0, head - mirrored), lagMs: missingSince === null ? 0 : Math.max(0, now - missingSince) }
}

function countLanes({ lanes }: StoreUsage): NonNullable<Store['lanes']> {
  const own = lanes.filter(({ isOwn }) => isOwn).length
  const free = lanes.filter(({ owner }) => owner === null).length
  return { own, others: lanes.length - own - free, free }
}

/**
 * Adds the shared record to the report about its copy: the problem that it is away or full, and whether envelopes are
 * refused, which only the store decides.
 */
export function withStore(
  storage: () => Promise<StorageReport>,
  describe: () => Promise<Store>,
): () => Promise<StorageReport> {
  return async () => {
    const [{ status, notReady, ...report }, store] = await Promise.all([storage(), describe()])
    const problems = storeProblems(store, 'envelopes are refused with 503, and lists show the mirror of this collector')
    const state = stateOf(store)
    return {
      ...report,
      status: {
        ...status,
        store,
        state,
        trouble: [...problems, ...(status.trouble === null ? [] : [status.trouble])].join('. ') || null,
      },
      notReady: [...problems, ...notReady],
    }
  }
}

/** Each problem with what to do about it. @param whileAway the consequence of a store that is away */
export function storeProblems({ away, usage }: Store, whileAway: string): readonly string[] {
  return [
    ...(away === null ? [] : [`${away}; ${whileAway}`]),
    ...(usage !== null && isFull(usage)
      ? [
          `the database has ${formatMebibytes(usage.bytes)} and its budget is ${formatMebibytes(usage.budgetBytes ?? 0)}, so envelopes are refused with 503: raise WAYSTATION_STORE_SIZE, make the upstream reachable, or clear pending envelopes`,
        ]
      : []),
  ]
}

/** Envelopes are refused by the size of the database alone. */
export function stateOf({ usage }: Store): StorageReport['status']['state'] {
  if (usage === null) return 'ok'
  if (isFull(usage)) return 'full'
  return usage.partitions.oldest.some(({ state }) => state === 'due' || state === 'dropping') ? 'evicting' : 'ok'
}

const isFull = ({ bytes, budgetBytes }: StoreUsage): boolean => budgetBytes !== null && bytes >= budgetBytes
