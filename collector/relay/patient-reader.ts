import type { StartTimer } from '../../lib/time'
import { type LaneStore, type Spool, STORE_AWAY } from '../spool/spool'

type RelayReader = Pick<Spool, 'pending' | 'record'> & Pick<LaneStore, 'pendingIn'>

/** Between two tries. */
const RETRY_MS = 500

/**
 * Reads pending records of a shared store, and waits while it is away: a relay ends the process when a read fails, because
 * otherwise its own disk has failed.
 */
export class PatientReader implements RelayReader {
  readonly #reader: RelayReader
  readonly #later: StartTimer
  readonly #waiting = new Set<() => void>()
  #hasEnded = false

  constructor(reader: RelayReader, later: StartTimer) {
    this.#reader = reader
    this.#later = later
  }

  readonly pending: RelayReader['pending'] = (...page) => this.#retry(() => this.#reader.pending(...page), [])
  readonly pendingIn: RelayReader['pendingIn'] = (...page) => this.#retry(() => this.#reader.pendingIn(...page), [])
  readonly record: RelayReader['record'] = (seq) => this.#retry(() => this.#reader.record(seq), null)

  /** Reads that wait find nothing: the records stay pending for the next start. */
  end(): void {
    this.#hasEnded = true
    for (const wake of this.#waiting) wake()
  }

  async #retry<Value>(read: () => Promise<Value>, nothing: Value): Promise<Value> {
    for (;;) {
      try {
        return await read()
      } catch (error) {
        if (!(error instanceof Error) || error.name !== STORE_AWAY) throw error
      }
      if (this.#hasEnded) return nothing
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          cancel()
          this.#waiting.delete(wake)
          resolve()
        }
        const cancel = this.#later(wake, RETRY_MS)
        this.#waiting.add(wake)
      })
      if (this.#hasEnded) return nothing
    }
  }
}
