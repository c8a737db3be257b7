import type { FreshSubmission } from '../../../collector/relay/backlog'
import type { UpstreamAnswer } from '../../../collector/relay/http-sender'
import { RateLimits } from '../../../collector/relay/running-limits'
import { type RelayTools, UpstreamRelay } from '../../../collector/relay/upstream-relay'
import type { Attempt } from '../../../collector/spool/submission'
import type { SubmissionContent } from '../../../lib/protocol/submission'
import { aRecord, LABEL, theUpstream } from './made-record'

/** Parts of a relay: an upstream that accepts everything, a spool that stores nothing, a stopped clock. */
export function relayTools(given: Partial<RelayTools> & { readonly seqs?: readonly number[] } = {}): RelayTools {
  const { seqs = [1], ...more } = given
  return {
    spool: {
      storeLimits: async () => undefined,
      recordAttempt: async () => undefined,
      decideWithoutAttempt: async () => undefined,
    },
    reader: {
      pending: async (_key, _project, after, most) =>
        seqs
          .filter((seq) => seq > after)
          .slice(0, most)
          .map((seq) => ({ seq, bytes: 2 })),
      record: async () => aRecord(),
    },
    rateLimits: new RateLimits([], { now: () => 0, monotonic: () => 0 }),
    holdErrors: false,
    scrub: null,
    isIntakeBusy: () => false,
    send: async () => answered(200),
    log: () => undefined,
    now: () => 0,
    uptime: () => ({ boot: 'now', uptimeMs: 0 }),
    random: () => 0,
    later: () => () => undefined,
    onDeath: (error) => {
      throw error
    },
    ...more,
  }
}

/** A relay to one upstream with these parts. */
export const aRelay = (given: Parameters<typeof relayTools>[0]): UpstreamRelay =>
  new UpstreamRelay(theUpstream, false, LABEL, relayTools(given))

export const answered = (status: number, headers: UpstreamAnswer['headers'] = {}, text = ''): UpstreamAnswer => ({
  status,
  headers,
  bytes: new TextEncoder().encode(text),
})

/** Timers on a clock that a test advances. */
export class HandClock {
  #now = 0
  #timers: { readonly at: number; readonly work: () => void }[] = []

  readonly now = (): number => this.#now

  readonly later = (work: () => void, ms: number): (() => void) => {
    const timer = { at: this.#now + ms, work }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer)
    }
  }

  /** ms until the next timer; `null` when there is none. */
  get next(): number | null {
    const [first] = this.#inOrder()
    return first === undefined ? null : first.at - this.#now
  }

  /** Advances the clock; timers run in order. */
  pass(ms: number): void {
    const end = this.#now + ms
    for (let [first] = this.#inOrder(); first !== undefined && first.at <= end; [first] = this.#inOrder()) {
      const due = first
      this.#timers = this.#timers.filter((one) => one !== due)
      this.#now = Math.max(this.#now, due.at)
      due.work()
    }
    this.#now = end
  }

  #inOrder() {
    return [...this.#timers].sort((one, other) => one.at - other.at)
  }
}

/** Pending records in memory, as spool and reader together, and each attempt that was written. */
export class PendingInMemory {
  readonly attempts: Attempt[] = []
  readonly dead = new Set<number>()
  /** Settled without an attempt: every item was cut. */
  readonly settled: number[] = []
  readonly #records = new Map<number, SubmissionContent>()
  readonly #pending = new Set<number>()
  #newest = 0
  #lastPending = 0

  /** Makes a record pending. @returns what a relay is offered. */
  receive(record: SubmissionContent): FreshSubmission {
    this.#newest += 1
    const seq = this.#newest
    this.#records.set(seq, record)
    this.#pending.add(seq)
    const pendingAfter = this.#lastPending
    this.#lastPending = seq
    return { seq, pendingAfter, content: record }
  }

  get pending(): readonly number[] {
    return [...this.#pending].sort((one, other) => one - other)
  }

  /** Makes a dead letter pending again. */
  again(seq: number): void {
    this.dead.delete(seq)
    this.#pending.add(seq)
  }

  /** Clears a pending record. */
  clear(seq: number): void {
    this.#pending.delete(seq)
    this.#records.delete(seq)
  }

  get spool(): RelayTools['spool'] {
    return {
      storeLimits: async () => undefined,
      recordAttempt: async (attempt) => {
        this.attempts.push(attempt)
        if (attempt.dead) this.dead.add(attempt.seq)
        if (attempt.dead || attempt.decision !== null) this.#pending.delete(attempt.seq)
      },
      decideWithoutAttempt: async (seq) => {
        this.settled.push(seq)
        this.#pending.delete(seq)
      },
    }
  }

  get reader(): RelayTools['reader'] {
    return {
      pending: async (_key, _project, after, most) =>
        this.pending
          .filter((seq) => seq > after)
          .slice(0, most)
          .map((seq) => ({ seq, bytes: this.#records.get(seq)?.body.length ?? 0 })),
      record: async (seq) => this.#records.get(seq) ?? null,
    }
  }
}
