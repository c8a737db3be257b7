import type { Database, Statement } from 'better-sqlite3'
import type { Journal } from './journal'
import type { Ledger, PendingRecord } from './ledger'
import { prepareAll } from './prepare'
import type { Room } from './room'

/**
 * What upstream refused for what it is. It is pending no more and stays pending: a person sends it again or drops it, and
 * only where room must be made it ends as `invalid`. Methods run inside a transaction of the writer.
 */
export class DeadLetters {
  readonly #ledger: Ledger
  readonly #room: Room
  readonly #journal: Journal
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(db: Database, parts: { readonly ledger: Ledger; readonly room: Room; readonly journal: Journal }) {
    this.#ledger = parts.ledger
    this.#room = parts.room
    this.#journal = parts.journal
    this.#sql = prepareAll(db, SQL)
  }

  /**
   * What was pending becomes a dead letter; what was not stays as it is.
   * @param at when it was refused, and by which status.
   */
  bury(seq: number, at: number, status: number): void {
    const pending = this.#ledger.release(seq)
    if (pending === null) return
    this.#sql.bury.run({ ...pending, at, status })
    this.#room.buried(pending.bytes)
  }

  /**
   * A person sends them again: they are pending as they were, with the age that they had. One that does not fit into the
   * share of what is pending stays.
   * @returns those that are pending again; who is no dead letter is passed over.
   */
  sendAgain(seqs: readonly number[]): readonly number[] {
    return seqs.filter((seq) => {
      const dead = this.#sql.read.get(seq) as PendingRecord | undefined
      if (dead === undefined || !this.#room.hasShareFor(dead.bytes)) return false
      this.#exhume(seq)
      this.#ledger.oweAgain(dead)
      this.#journal.add('pending', seq)
      return true
    })
  }

  /** A person drops them. @returns how many; who is no dead letter is passed over. */
  drop(seqs: readonly number[]): number {
    return seqs.filter((seq) => this.end(seq, 'dropped', 'dead_letter')).length
  }

  /** Room is made: it ends as upstream said. @returns whether it was a dead letter. */
  giveUp(seq: number): boolean {
    const status: unknown = this.#sql.status.pluck().get(seq)
    return status !== undefined && this.end(seq, 'invalid', `upstream_${String(status)}`)
  }

  /** @returns whether it was a dead letter. */
  end(seq: number, outcome: 'dropped' | 'invalid', reason: string): boolean {
    if (!this.#exhume(seq)) return false
    this.#ledger.decideAll(seq, outcome, reason)
    return true
  }

  #exhume(seq: number): boolean {
    const bytes: unknown = this.#sql.exhume.pluck().get(seq)
    if (bytes === undefined) return false
    this.#room.exhumed(Number(bytes))
    return true
  }
}

const SQL = {
  bury: `INSERT INTO dead_letters (seq, public_key, project, ran_at, stored_bytes, at, status)
    VALUES (@seq, @publicKey, @project, @ranAt, @bytes, @at, @status)`,
  read: `SELECT seq, public_key AS publicKey, project, ran_at AS ranAt, stored_bytes AS bytes FROM dead_letters
    WHERE seq = ?`,
  status: 'SELECT status FROM dead_letters WHERE seq = ?',
  exhume: 'DELETE FROM dead_letters WHERE seq = ? RETURNING stored_bytes',
} as const
