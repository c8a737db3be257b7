import type { FileUse, Storage } from '../../lib/wire/storage'
import type { RoomKeeper } from './room-keeper'
import type { Spool } from './spool'
import { overflowing, type RoomSeen, stateOf, troubles } from './trouble'

/** What the room looks like from outside. */
export interface RoomView {
  /** `GET /query/storage`. */
  readonly storage: () => Promise<Storage>
  /** Why the collector is not as it should be, for `/health/ready`; empty when all is well. */
  readonly notReady: () => Promise<readonly string[]>
}

/** Assembles it from the spool's running sums, the rows' and the keeper's. */
export function createRoomView(parts: {
  readonly spool: Pick<Spool, 'usage'>
  readonly rows: {
    readonly usage: () => FileUse
    readonly stuck: () => string | null
    readonly progress: () => Storage['rebuild']
  }
  readonly keeper: Pick<RoomKeeper, 'isFull' | 'isEvicting' | 'isSqueezed'>
  readonly cap: number
  readonly folder: string
  readonly now: () => number
}): RoomView {
  const { spool, rows, keeper, cap, folder } = parts
  const see = async (): Promise<RoomSeen> => ({
    usage: await spool.usage(),
    rows: rows.usage(),
    stuck: rows.stuck(),
    isFull: keeper.isFull,
    isSqueezed: keeper.isSqueezed,
    cap,
    folder,
  })
  return {
    storage: async () => {
      const seen = await see()
      const { usage } = seen
      return {
        now: parts.now(),
        cap,
        used: usage.spool.used + seen.rows.used,
        spool: usage.spool,
        rows: seen.rows,
        records: usage.records,
        oldest: usage.oldest,
        pending: usage.pending,
        deadLetters: usage.deadLetters,
        evicted: usage.evicted,
        overflow: usage.overflow,
        refused: usage.refused,
        state: stateOf(seen, keeper.isEvicting),
        trouble: troubles(seen).join('. ') || null,
        ballast: usage.ballast,
        rebuild: rows.progress(),
      }
    },
    notReady: async () => {
      const seen = await see()
      return [...troubles(seen), ...(seen.usage.isOverflowing ? [overflowing(seen.usage)] : [])]
    },
  }
}
