import type { Dsn } from '../../lib/protocol/dsn'
import type { RecordedEnvelope } from '../store/read-envelopes'
import type { Owed } from '../store/read-totals'
import type { Reader } from '../store/reader'

/** What is larger than this waits on disk for its turn. */
const LARGEST_FRESH_BYTES = 64 * 1024

/** A record that became owed this moment, and is at hand. */
export interface FreshRecord {
  readonly seq: number
  /** The record that became owed to the same upstream before it. */
  readonly owedAfter: number
  readonly record: RecordedEnvelope
}

/** A record that is to be posted. */
export interface Waiting extends Owed {
  /** Where it is at hand still. */
  readonly record?: RecordedEnvelope
}

/**
 * What is owed to one upstream and not posted yet, oldest first. It is taken up a few at a time: from memory while the
 * relay keeps up with what arrives, else from the list of what is owed on disk.
 */
export class Backlog {
  readonly #dsn: Dsn
  readonly #reader: Pick<Reader, 'owed'>
  readonly #most: number
  #waiting: Waiting[] = []
  /** All that is owed up to here was taken up. */
  #upTo = 0
  #isReading = false
  #more = true

  /** @param most so many are taken up at once. */
  constructor(dsn: Dsn, reader: Pick<Reader, 'owed'>, most: number) {
    this.#dsn = dsn
    this.#reader = reader
    this.#most = most
  }

  get length(): number {
    return this.#waiting.length
  }

  /** The spool grew up to this record. */
  grew(upTo: number): void {
    if (upTo > this.#upTo) this.#more = true
  }

  /**
   * Takes it as it is, when nothing that is owed before it would be missed and it is the next; else it is read when its turn
   * comes. Whoever offers posts it at once: bytes that wait in memory would be posted also after a person cleared them.
   */
  offer({ seq, owedAfter, record }: FreshRecord): void {
    const isNext = owedAfter <= this.#upTo && seq > this.#upTo && !this.#isReading && this.#waiting.length === 0
    if (isNext && record.body.length <= LARGEST_FRESH_BYTES) {
      this.#upTo = seq
      this.#waiting.push({ seq, bytes: record.body.length, record })
    }
    this.grew(seq)
  }

  next(): Waiting | undefined {
    return this.#waiting.shift()
  }

  /** It stays owed: its turn comes again, before what is younger. Nobody knows when, so its bytes stay on disk. */
  putBack({ seq, bytes }: Waiting): void {
    const at = this.#waiting.findIndex((one) => one.seq > seq)
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, { seq, bytes })
  }

  /** Nothing more is handed out. */
  end(): void {
    this.#more = false
    this.#waiting = []
  }

  /** Reads on, where there may be more; resolves to whether anything came. */
  async read(): Promise<boolean> {
    if (!this.#more || this.#isReading) return false
    this.#isReading = true
    this.#more = false
    const { publicKey, projectId } = this.#dsn
    const found = await this.#reader.owed(publicKey, projectId, this.#upTo, this.#most)
    this.#isReading = false
    const last = found.at(-1)
    if (last === undefined) return this.#more
    this.#upTo = last.seq
    this.#more = true
    this.#waiting.push(...found)
    return true
  }
}
