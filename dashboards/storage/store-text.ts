import { formatBytes, formatCount, formatDurationMs, formatSeconds, plural } from '../../lib/format'
import type { Storage } from '../../lib/wire/storage'
import type { Store, StoreLane, StorePartition, StoreState, StoreUsage } from '../../lib/wire/store'
import type { diskSpaceText } from '../ui/status-lines'

/** Below this a mirror follows as it should: each poll for new facts is 50 ms after the last. */
const USUAL_LAG_MS = 1000

type SpaceText = ReturnType<typeof diskSpaceText>

/** The state of a shared record: whether it answers, and whether its database has space. */
export function storeSpaceText({ away, usage }: Pick<Store, 'away' | 'usage'>, state: Storage['state']): SpaceText {
  if (away !== null)
    return {
      word: 'away',
      tone: 'bad',
      meaning: 'The collector connects again by itself; a tunnel keeps envelopes meanwhile.',
      remedy: 'Sizes and owners below are the last ones that it read.',
    }
  if (state === 'full')
    return {
      word: 'full',
      tone: 'bad',
      meaning: 'The database has reached its budget: new envelopes are refused with 503 until a partition is dropped.',
      remedy: 'Raise WAYSTATION_STORE_SIZE, make the upstream reachable, or drop pending envelopes.',
    }
  if (state === 'evicting')
    return {
      word: 'dropping',
      tone: 'good',
      meaning: 'The oldest partition is being dropped, with all its records. Pending envelopes keep their partition.',
      remedy: null,
    }
  if (usage !== null && usage.budgetBytes === null)
    return {
      word: 'no budget',
      tone: 'good',
      meaning: 'The database grows until its disk is full.',
      remedy: 'WAYSTATION_STORE_SIZE, such as 100GiB, bounds it.',
    }
  return {
    word: 'enough space',
    tone: 'good',
    meaning: 'At 90 % of its budget, the oldest partition of the database is dropped.',
    remedy: null,
  }
}

/** How far the copy is behind the store. */
export function mirrorText(mirror: NonNullable<StoreState['mirror']>): string {
  const { missing, lagMs } = mirror
  if (missing === null || lagMs === null) return `has fact ${formatCount(mirror.head)}; the newest one is unknown`
  if (missing === 0) return `complete, up to fact ${formatCount(mirror.head)}`
  return `${plural(missing, 'fact')} behind, ${formatDurationMs(lagMs)}`
}

/** Whether a mirror needs the attention of a person. */
export const isMirrorLate = ({ lagMs }: NonNullable<StoreState['mirror']>): boolean =>
  lagMs === null || lagMs > USUAL_LAG_MS

/** Number range, size and count of all partitions. */
export function partitionsText({ count, first, last, bytes }: StoreUsage['partitions']): string {
  return `${plural(count, 'partition')}, numbers ${formatCount(first)} to ${formatCount(last)}, ${formatBytes(bytes)}`
}

export const waitingText = (waiting: number): string =>
  waiting === 0
    ? 'none waits to be dropped'
    : `${formatCount(waiting)} ${waiting === 1 ? 'waits' : 'wait'} to be dropped`

const PARTITION_STATES: Readonly<Record<StorePartition['state'], string>> = {
  newest: 'takes new numbers',
  kept: 'kept',
  due: 'is dropped next',
  held: 'waits to be dropped: it has pending records or dead letters',
  dropping: 'is being dropped',
  emptied: 'its records were dropped; its facts wait for older partitions',
}

/** Partitions are made ahead, so those of the newest numbers may be empty. */
export const partitionStateText = ({ state, newestAt }: Pick<StorePartition, 'state' | 'newestAt'>): string =>
  state === 'newest' && newestAt === null ? 'empty, for later numbers' : PARTITION_STATES[state]

/** The owner of a lane, and how long it stays or has been without one. */
export function ownerText({ owner, isOwn, leaseMs, freeMs }: StoreLane): string {
  if (owner !== null)
    return `${owner}${isOwn ? ' (this collector)' : ''}, for another ${formatSeconds((leaseMs ?? 0) / 1000)} unless renewed`
  return freeMs === null ? 'none yet' : `none for ${formatSeconds(freeMs / 1000)}`
}

/** A collector that gave no sign of life for three of its intervals has probably ended. */
const GONE_AFTER_MS = 30_000

export const seenText = (seenMs: number): string =>
  seenMs < GONE_AFTER_MS ? 'runs' : `last seen ${formatSeconds(seenMs / 1000)} ago`

interface StorePart {
  readonly id: 'record' | 'rows' | 'free'
  readonly name: string
  readonly bytes: number
  /** Part of the whole bar, 0 to 1. */
  readonly share: number
}

/** The parts of the database's budget; `null` without a budget. */
export function storeBar({ bytes, budgetBytes, partitions }: StoreUsage): readonly StorePart[] | null {
  if (budgetBytes === null) return null
  const whole = Math.max(1, budgetBytes, bytes)
  const inPartitions = Math.min(bytes, partitions.bytes)
  const parts = [
    { id: 'record', name: 'partitions', bytes: inPartitions },
    { id: 'rows', name: 'other tables of the database', bytes: bytes - inPartitions },
    { id: 'free', name: 'free', bytes: Math.max(0, budgetBytes - bytes) },
  ] as const
  return parts.map((part) => ({ ...part, share: part.bytes / whole }))
}
