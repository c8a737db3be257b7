import type { PendingRecord } from '../index/listed-pending'
import type { BreakerTools } from './condition'
import { DelayedRecords } from './held-back'
import { SessionOrder } from './session-order'

/** What is remembered of records put aside is bounded: beyond so many nothing more is taken up until some of them go on. */
const MOST_ASIDE = 10_000

/** Records that are pending and wait for something else than their turn. They are known here alone, and not read meanwhile. */
export class DeferredPosts {
  /** Until a limit ends. */
  readonly held: DelayedRecords
  /** Tried in vain while others are taken: each waits by itself. */
  readonly apart: DelayedRecords
  /** Behind another update of their session. */
  readonly sessions = new SessionOrder()

  /** @param onEnd these of `held` and `apart` waited, and may be tried again. */
  constructor(tools: Pick<BreakerTools, 'now' | 'later'>, onEnd: (freed: readonly PendingRecord[]) => void) {
    this.held = new DelayedRecords(tools, onEnd)
    this.apart = new DelayedRecords(tools, onEnd)
  }

  get isFull(): boolean {
    return Math.max(this.held.size, this.apart.size, this.sessions.parked) >= MOST_ASIDE
  }

  has(seq: number): boolean {
    return this.held.has(seq) || this.apart.has(seq) || this.sessions.isParked(seq)
  }

  /** Something became of them meanwhile: those that wait for a time do no more. */
  release(seqs: readonly number[]): void {
    this.held.release(seqs)
    this.apart.release(seqs)
  }

  /** They stay pending, and nobody waits for them any more. */
  end(): void {
    this.held.end()
    this.apart.end()
  }
}
