import { addressOf, isDsn, type Upstream } from '../../lib/protocol/upstream-address'
import { type PublishedState, publishedStateSchema, type UpstreamState } from '../../lib/wire/overview'
import type { LaneResults, LaneStatus, OwnedLane, Pending } from '../spool/spool'
import type { FreshSubmission } from './backlog'
import { SendError } from './http-sender'
import { type RelayTools, type UnwrittenResults, UpstreamRelay } from './upstream-relay'

export interface ConfiguredUpstream {
  readonly upstream: Upstream
  readonly standIn: boolean
}

/** Limits the posts of a lane to the time in which this collector owns it. */
interface LaneFence {
  /** Read before each post. */
  readonly mayPost: () => boolean
  readonly results: LaneResults
}

/** Keeps posts of some records from starting, over a change of the relay, too. */
interface Withholding {
  readonly seqs: readonly number[]
  readonly releases: (() => void)[]
}

const NO_STATE: PublishedState = { state: 'idle', open: 0, deferred: 0, retryAt: null, paused: null, last: null }

/**
 * One configured upstream. It has a relay while this collector delivers its pending records: always with a record of its
 * own, and with a shared one while it owns the lane. Each relay starts from the oldest pending record.
 */
export class RelayedUpstream {
  readonly upstream: Upstream
  readonly standIn: boolean
  readonly label: string
  readonly #tools: RelayTools
  readonly #withholdings = new Set<Withholding>()
  /** Relays that were stopped, and whose posts or writes have not ended. */
  readonly #ending = new Set<UpstreamRelay>()
  #ended: Promise<unknown> = Promise.resolve()
  #relay: UpstreamRelay | null = null
  #lane: OwnedLane | null = null
  #unwritten: { readonly token: number; readonly results: UnwrittenResults } = { token: 0, results: new Map() }

  constructor({ upstream, standIn }: ConfiguredUpstream, label: string, tools: RelayTools) {
    this.upstream = upstream
    this.standIn = standIn
    this.label = label
    this.#tools = tools
  }

  /** Sentry has no OTLP endpoint for metrics. */
  get takesMetrics(): boolean {
    return !isDsn(addressOf(this.upstream))
  }

  /** Whether this collector delivers its records. */
  get isRelayed(): boolean {
    return this.#relay !== null
  }

  /** Whether the last post of this collector was answered and the DSN is not refused. */
  get isHealthy(): boolean {
    return this.#relay?.isHealthy ?? false
  }

  /** The record belongs to this collector alone: it relays from the first `wake` on. */
  own(): void {
    this.#open(this.#tools)
  }

  /** Relays as soon as an earlier relay of this upstream has written its last results. */
  gain(lane: OwnedLane, { mayPost, results }: LaneFence): void {
    const { send, spool } = this.#tools
    this.#lane = lane
    const fenced: RelayTools = {
      ...this.#tools,
      send: async (request) => {
        if (!mayPost()) throw new SendError('aborted', 'the lane is not owned any more', false)
        return send(request)
      },
      spool: { storeLimits: spool.storeLimits, ...results },
    }
    void this.#ended.then(() => {
      if (this.#lane !== lane) return
      // With the same token no other collector posted meanwhile, so results that could not be written are still valid.
      if (this.#unwritten.token !== lane.token) this.#unwritten = { token: lane.token, results: new Map() }
      this.#open(fenced, this.#unwritten.results).wake()
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
    await Promise.all(this.#relays().map((relay) => relay.close(graceMs)))
  }

  wake(upTo?: number): void {
    this.#relay?.wake(upTo)
  }

  resume(): void {
    this.#relay?.resume()
  }

  decided(seqs: readonly number[]): void {
    this.#relay?.decided(seqs)
  }

  rewind(first: number): void {
    this.#relay?.rewind(first)
  }

  /** A record became pending, and its bytes are in memory. Does nothing while another collector relays. */
  offer(fresh: FreshSubmission): void {
    this.#relay?.offer(fresh)
  }

  /** @returns whether this collector waited before it posts to it. */
  tryNow(): boolean {
    return this.#relay?.tryNow() ?? false
  }

  /** As `UpstreamRelay.withhold`, for the posts of this collector. */
  withhold(seqs: readonly number[]): ReturnType<UpstreamRelay['withhold']> {
    const each = this.#relays().map((relay) => relay.withhold(seqs))
    const withholding: Withholding = { seqs, releases: each.map(({ release }) => release) }
    this.#withholdings.add(withholding)
    return {
      ended: Promise.all(each.map(({ ended }) => ended)).then((counts) => counts.reduce((sum, n) => sum + n, 0)),
      release: () => {
        this.#withholdings.delete(withholding)
        for (const release of withholding.releases) release()
      },
    }
  }

  /** The state for other collectors, as JSON; `null` while this one does not relay. */
  published(): { readonly lane: OwnedLane; readonly state: string } | null {
    if (this.#relay === null || this.#lane === null) return null
    const { state, open, deferred, retryAt, paused, last } = this.#relay.state({ pending: 0, deadLetters: 0 })
    const own: PublishedState = { state, open, deferred, retryAt, paused, last }
    return { lane: this.#lane, state: JSON.stringify(own) }
  }

  /** @param status of the lane in the shared store, also of one that other collectors own; `null` without such a store */
  state(pending: Pending, status: LaneStatus | null): UpstreamState {
    const { label, standIn } = this
    const own = this.#relay?.state(pending) ?? null
    if (status === null) return own ?? { label, standIn, ...pending, ...NO_STATE }
    const { owner, unownedMs } = status
    if (own !== null) return { ...own, owner }
    if (owner !== null) return { label, standIn, ...pending, ...parsedState(status.state), owner }
    // Nobody posts or waits, but the last answer is still the last one.
    return { label, standIn, ...pending, ...NO_STATE, last: parsedState(status.state).last, owner, unownedMs }
  }

  #relays(): readonly UpstreamRelay[] {
    return [...this.#ending, ...(this.#relay === null ? [] : [this.#relay])]
  }

  #open(tools: RelayTools, unwritten?: UnwrittenResults): UpstreamRelay {
    const relay = new UpstreamRelay(this.upstream, this.standIn, this.label, tools, unwritten)
    for (const { seqs, releases } of this.#withholdings) releases.push(relay.withhold(seqs).release)
    this.#relay = relay
    return relay
  }
}

/** @param text JSON that a collector published, perhaps one of another version */
function parsedState(text: string | null): PublishedState {
  if (text === null) return NO_STATE
  try {
    return publishedStateSchema.safeParse(JSON.parse(text)).data ?? NO_STATE
  } catch {
    return NO_STATE
  }
}
