import { frameRecord } from '../../lib/protocol/record'
import type { PendingRecord, RecordedEnvelope } from '../index/stored-record'

/** An update of a session has some 300 bytes. What is much larger is none that an SDK made, and is not read here. */
const MOST_SESSION_BYTES = 16 * 1024
/** An SDK's has 32 or 36 signs. */
const MOST_SID_LENGTH = 100
/** An SDK sends one update by itself. Each is remembered for as long as its record waits, and ten thousand may. */
const MOST_SIDS = 8

const decoder = new TextDecoder()

/** The sessions (`sid`) that a record has updates of, the first 8; a record without any is not framed. */
export function sessionsOf(record: RecordedEnvelope): readonly string[] {
  const { endpoint, body, quantities } = record
  if (!quantities.some(({ category }) => category === 'session')) return []
  const framed = frameRecord(endpoint, body)
  if (!framed.ok) return []
  const sids = new Set<string>()
  for (const { header, payload } of framed.value.items) {
    if (header.type !== 'session' || payload.length > MOST_SESSION_BYTES) continue
    const sid = sidOf(payload)
    if (sid !== null) sids.add(sid)
    if (sids.size === MOST_SIDS) break
  }
  return [...sids]
}

function sidOf(payload: Uint8Array): string | null {
  try {
    const update: unknown = JSON.parse(decoder.decode(payload))
    if (typeof update !== 'object' || update === null || !('sid' in update)) return null
    const { sid } = update
    return typeof sid === 'string' && sid.length <= MOST_SID_LENGTH ? sid : null
  } catch {
    // Not JSON: nobody can tell which session it is of, upstream neither.
    return null
  }
}

/**
 * Updates of one session do not overtake each other: whoever reads them takes the last one that came for the newest. A
 * record stands in the line of each of its sessions from its first start until it is settled, also while it waits for
 * its retry; only the first of all its lines may be posted. All lines grow in one order, so no two wait for each other.
 */
export class SessionOrder {
  readonly #lines = new Map<string, number[]>()
  readonly #standing = new Map<number, readonly string[]>()
  readonly #parked = new Map<number, PendingRecord>()

  /** How many wait for another. */
  get parked(): number {
    return this.#parked.size
  }

  isParked(seq: number): boolean {
    return this.#parked.has(seq)
  }

  /** @returns may it be posted now? Else it is parked here, by its number and its sessions, until those before it are settled. */
  enter({ seq, bytes }: PendingRecord, sids: readonly string[]): boolean {
    if (sids.length === 0) return true
    if (!this.#standing.has(seq)) {
      this.#standing.set(seq, sids)
      for (const sid of sids) {
        const line = this.#lines.get(sid)
        if (line === undefined) this.#lines.set(sid, [seq])
        else line.push(seq)
      }
    }
    if (this.#isFirst(seq)) return true
    this.#parked.set(seq, { seq, bytes })
    return false
  }

  /** It is settled, or gone. @returns those that waited for it, and for nobody else. */
  leave(seq: number): readonly PendingRecord[] {
    const sids = this.#standing.get(seq)
    if (sids === undefined) return []
    this.#standing.delete(seq)
    const freed: PendingRecord[] = []
    for (const sid of sids) {
      const line = this.#lines.get(sid) ?? []
      line.splice(line.indexOf(seq), 1)
      if (line.length === 0) this.#lines.delete(sid)
    }
    for (const sid of sids) {
      const first = this.#lines.get(sid)?.[0]
      const parked = first === undefined ? undefined : this.#parked.get(first)
      if (parked === undefined || !this.#isFirst(parked.seq)) continue
      this.#parked.delete(parked.seq)
      freed.push(parked)
    }
    return freed
  }

  #isFirst(seq: number): boolean {
    return (this.#standing.get(seq) ?? []).every((sid) => this.#lines.get(sid)?.[0] === seq)
  }
}
