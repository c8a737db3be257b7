import { parseRecord } from '../../lib/protocol/record'
import type { SubmissionContent } from '../../lib/protocol/submission'
import type { PendingSubmission } from '../spool/spool'

/** An SDK's session update has about 300 bytes. Much larger ones are not from an SDK, and are not parsed here. */
const MAX_SESSION_BYTES = 16 * 1024
/** An SDK's session id has 32 or 36 characters. */
const MAX_SID_LENGTH = 100
/** SDKs send one update per envelope. The ids are kept while a record waits, and ten thousand records may wait. */
const MAX_SIDS = 8

const decoder = new TextDecoder()

/** The sessions (`sid`) that a record updates, at most 8. Parses only records that contain a session. */
export function sessionsOf(record: SubmissionContent): readonly string[] {
  const { endpoint, body, quantities } = record
  if (!quantities.some(({ category }) => category === 'session')) return []
  const framed = parseRecord(endpoint, body)
  if (!framed.ok) return []
  const sids = new Set<string>()
  for (const { header, payload } of framed.value.items) {
    if (header.type !== 'session' || payload.length > MAX_SESSION_BYTES) continue
    const sid = sidOf(payload)
    if (sid !== null) sids.add(sid)
    if (sids.size === MAX_SIDS) break
  }
  return [...sids]
}

function sidOf(payload: Uint8Array): string | null {
  try {
    const update: unknown = JSON.parse(decoder.decode(payload))
    if (typeof update !== 'object' || update === null || !('sid' in update)) return null
    const { sid } = update
    return typeof sid === 'string' && sid.length <= MAX_SID_LENGTH ? sid : null
  } catch {
    // Not JSON: upstream cannot find its session either.
    return null
  }
}

/**
 * Upstream takes the last update of a session that arrives for the newest, so a record is in the queue of each of its
 * sessions until it is settled, also while it waits for a retry. Only a record that is first in all its queues may be
 * posted. All queues grow in one order, so there is no deadlock.
 */
export class SessionOrder {
  readonly #queues = new Map<string, number[]>()
  readonly #entered = new Map<number, readonly string[]>()
  readonly #parked = new Map<number, PendingSubmission>()

  /** How many records wait for another one. */
  get parked(): number {
    return this.#parked.size
  }

  isParked(seq: number): boolean {
    return this.#parked.has(seq)
  }

  /** @returns whether the record may be posted now. If not, it is parked until the earlier ones are settled. */
  enter({ seq, bytes }: PendingSubmission, sids: readonly string[]): boolean {
    if (sids.length === 0) return true
    if (!this.#entered.has(seq)) {
      this.#entered.set(seq, sids)
      for (const sid of sids) {
        const queue = this.#queues.get(sid)
        if (queue === undefined) this.#queues.set(sid, [seq])
        else queue.push(seq)
      }
    }
    if (this.#isFirst(seq)) return true
    this.#parked.set(seq, { seq, bytes })
    return false
  }

  /** The record is settled, or gone. @returns the parked records that may be posted now. */
  leave(seq: number): readonly PendingSubmission[] {
    const sids = this.#entered.get(seq)
    if (sids === undefined) return []
    this.#entered.delete(seq)
    const freed: PendingSubmission[] = []
    for (const sid of sids) {
      const queue = this.#queues.get(sid) ?? []
      queue.splice(queue.indexOf(seq), 1)
      if (queue.length === 0) this.#queues.delete(sid)
    }
    for (const sid of sids) {
      const first = this.#queues.get(sid)?.[0]
      const parked = first === undefined ? undefined : this.#parked.get(first)
      if (parked === undefined || !this.#isFirst(parked.seq)) continue
      this.#parked.delete(parked.seq)
      freed.push(parked)
    }
    return freed
  }

  #isFirst(seq: number): boolean {
    return (this.#entered.get(seq) ?? []).every((sid) => this.#queues.get(sid)?.[0] === seq)
  }
}
