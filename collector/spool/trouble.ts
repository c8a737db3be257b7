import type { FileUse, Storage } from '../../lib/wire/storage'
import { LOG_ALLOWANCE_BYTES } from './room'
import type { SpoolUsage } from './usage'

/** A log that is held is told of when it is as large as this, and before intake ends for it. */
const LARGE_LOG_BYTES = LOG_ALLOWANCE_BYTES / 2

/** What there is to say about room, as read at one moment. */
export interface RoomSeen {
  readonly usage: SpoolUsage
  readonly rows: FileUse
  readonly cap: number
  /** Why rows cannot be written just now. */
  readonly stuck: string | null
  readonly isFull: boolean
  /** The disk has no more, whatever the cap says. */
  readonly isSqueezed: boolean
  readonly folder: string
}

/** What is not as it should be, each in a sentence that says what to do. */
export function troubles(seen: RoomSeen): readonly string[] {
  const { usage, rows, stuck, isFull, isSqueezed, folder } = seen
  const { log } = usage
  const told: string[] = []
  if (isSqueezed)
    told.push(
      `the disk that holds ${folder} is full: ${inMiB(usage.spool.used + rows.used)} are kept, and the oldest that owes nothing makes room; free some of the disk, or set WAYSTATION_DATA to another folder`,
    )
  if (log.heldSince !== null && log.log >= LARGE_LOG_BYTES)
    told.push(
      `another program has been reading spool.db since ${clock(log.heldSince)}, so its log has grown to ${inMiB(log.log)}: end that program (lsof ${folder}/spool.db names it)`,
    )
  if (rows.wal >= LARGE_LOG_BYTES)
    told.push(
      `another program reads telemetry.db, so its log has grown to ${inMiB(rows.wal)}: end that program (lsof ${folder}/telemetry.db names it)`,
    )
  if (log.failed !== null) told.push(`the log of spool.db cannot be folded into it: ${log.failed}`)
  if (stuck !== null) told.push(`the digest cannot write its rows: ${stuck}; what is received is on disk all the same`)
  if (isFull)
    told.push(
      `the cap of ${inMiB(seen.cap)} is reached and nothing may be evicted, so envelopes are refused with 429: make the upstream reachable, raise WAYSTATION_MAX_DISK, or clear what is pending`,
    )
  return told
}

/** The state of the room, the worst first. */
export function stateOf(seen: RoomSeen, isEvicting: boolean): Storage['state'] {
  if (seen.isFull) return 'full'
  if (seen.usage.isOverflowing) return 'overflow'
  return isEvicting ? 'evicting' : 'room'
}

/** What `overflow` means, for whoever asks whether the collector is ready. */
export const overflowing = (usage: SpoolUsage): string =>
  `what is pending has its share of the disk (${inMiB(usage.pending.bytes)} of ${inMiB(usage.pending.cap)}): what arrives is stored and shown, but never relayed; make the upstream reachable, or raise WAYSTATION_MAX_DISK`

const inMiB = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`
const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 19)
