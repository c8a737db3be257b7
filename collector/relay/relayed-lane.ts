import type { LaneResults, OwnedLane } from '../spool/spool'
import { SendError } from './http-sender'
import type { RelayTools, UnwrittenResults, UpstreamRelay } from './upstream-relay'

/** Limits the posts of a lane to the time in which this collector owns it. */
export interface LaneFence {
  /** Read before each post. */
  readonly mayPost: () => boolean
  /** Of the lane alone. */
  readonly pending: RelayTools['reader']['pending']
  readonly results: LaneResults
}

/** Starts a relay that reads, posts and writes with these parts. */
export type OpenRelay = (tools: RelayTools, unwritten?: UnwrittenResults) => UpstreamRelay

/** One lane of an upstream at this collector. Each time that it is gained, a new relay starts from the oldest pending record. */
export class RelayedLane {
  readonly #tools: RelayTools
  readonly #open: OpenRelay
  /** Relays that were stopped, and whose posts or writes have not ended. */
  readonly #ending = new Set<UpstreamRelay>()
  #ended: Promise<unknown> = Promise.resolve()
  #relay: UpstreamRelay | null = null
  #lane: OwnedLane | null = null
  #unwritten: { readonly token: number; readonly results: UnwrittenResults } = { token: 0, results: new Map() }

  constructor(tools: RelayTools, open: OpenRelay) {
    this.#tools = tools
    this.#open = open
  }

  /** `null` while this collector does not deliver the lane. */
  get relay(): UpstreamRelay | null {
    return this.#relay
  }

  /** `null` while it is not owned, and with a record of this collector alone. */
  get owned(): OwnedLane | null {
    return this.#lane
  }

  /** Its relay, and earlier ones that have not ended. */
  get relays(): readonly UpstreamRelay[] {
    return [...this.#ending, ...(this.#relay === null ? [] : [this.#relay])]
  }

  /** The record belongs to this collector alone: it relays from the first `wake` on. */
  own(): void {
    this.#relay = this.#open(this.#tools)
  }

  /** Relays as soon as an earlier relay of this lane has written its last results. */
  gain(lane: OwnedLane, { mayPost, pending, results }: LaneFence): void {
    const { send, spool, reader } = this.#tools
    this.#lane = lane
    const fenced: RelayTools = {
      ...this.#tools,
      send: async (request) => {
        if (!mayPost()) throw new SendError('aborted', 'the lane is not owned any more', false)
        return send(request)
      },
      reader: { pending, record: reader.record },
      spool: { storeLimits: spool.storeLimits, ...results },
    }
    void this.#ended.then(() => {
      if (this.#lane !== lane) return
      // With the same token no other collector posted meanwhile, so results that could not be written are still valid.
      if (this.#unwritten.token !== lane.token) this.#unwritten = { token: lane.token, results: new Map() }
      this.#relay = this.#open(fenced, this.#unwritten.results)
      this.#relay.wake()
    })
  }

  /** Starts no more posts, aborts open ones after `graceMs`, with 0 at once, and resolves when the last result is written. */
  async lose(graceMs: number): Promise<void> {
    const relay = this.#relay
    this.#lane = null
    this.#relay = null
    if (relay !== null) this.#ending.add(relay)
    const closing = [...this.#ending].map(async (one) => {
      await one.close(graceMs)
      this.#ending.delete(one)
    })
    this.#ended = Promise.all([this.#ended, ...closing])
    await this.#ended
  }

  /** As `lose`, when the collector ends. Its relay still reports how it was. */
  async close(graceMs: number): Promise<void> {
    this.#lane = null
    await Promise.all(this.relays.map((relay) => relay.close(graceMs)))
  }
}
