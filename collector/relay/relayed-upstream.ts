import { addressOf, isDsn, type Upstream } from '../../lib/protocol/upstream-address'
import { type PublishedState, publishedStateSchema, type UpstreamState } from '../../lib/wire/overview'
import type { LaneStatus, OwnedLane, Pending } from '../spool/spool'
import type { FreshSubmission } from './backlog'
import { type LaneFence, RelayedLane } from './relayed-lane'
import { UpstreamPosts } from './upstream-posts'
import { type RelayTools, type UnwrittenResults, UpstreamRelay } from './upstream-relay'

/** The only lane of a record of its own, and the one that has every session. */
const FIRST_LANE = 0

export interface ConfiguredUpstream {
  readonly upstream: Upstream
  readonly standIn: boolean
}

/** Keeps posts of some records from starting, over a change of the relay, too. */
interface Withholding {
  readonly seqs: readonly number[]
  readonly releases: (() => void)[]
}

const NO_STATE: PublishedState = { state: 'idle', open: 0, deferred: 0, retryAt: null, paused: null, last: null }

/**
 * One configured upstream. It has a relay for each lane whose pending records this collector delivers: with a record of
 * its own always one, with a shared one the lanes that it owns. All of them share one window of posts and one breaker.
 */
export class RelayedUpstream {
  readonly upstream: Upstream
  readonly standIn: boolean
  readonly label: string
  readonly #tools: RelayTools
  readonly #withholdings = new Set<Withholding>()
  readonly #lanes = new Map<number, RelayedLane>()
  #posts: UpstreamPosts | null = null

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

  /** Whether this collector delivers records of it. */
  get isRelayed(): boolean {
    return this.#current().length > 0
  }

  /** Whether this collector reports to it what was cut: one of those that deliver its lanes does. */
  get isReported(): boolean {
    return (this.#lanes.get(FIRST_LANE)?.relay ?? null) !== null
  }

  /** Whether the last post of this collector was answered and the DSN is not refused. */
  get isHealthy(): boolean {
    return this.#current()[0]?.isHealthy ?? false
  }

  /** The record belongs to this collector alone: it relays from the first `wake` on. */
  own(): void {
    this.#laneOf(FIRST_LANE).own()
  }

  /** Relays a lane as soon as an earlier relay of it has written its last results. */
  gain(lane: OwnedLane, fence: LaneFence): void {
    this.#laneOf(lane.lane).gain(lane, fence)
  }

  /**
   * Starts no more posts of a lane, aborts open ones after `graceMs`, with 0 at once, and resolves when the last result
   * is written.
   */
  async lose({ lane }: OwnedLane, graceMs: number): Promise<void> {
    await this.#laneOf(lane).lose(graceMs)
  }

  /** As `lose`, for all lanes when the collector ends. Its relays still report how it was. */
  async close(graceMs: number): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lane) => lane.close(graceMs)))
  }

  wake(upTo?: number): void {
    for (const relay of this.#current()) relay.wake(upTo)
  }

  resume(): void {
    for (const relay of this.#current()) relay.resume()
  }

  decided(seqs: readonly number[]): void {
    for (const relay of this.#current()) relay.decided(seqs)
  }

  rewind(first: number): void {
    for (const relay of this.#current()) relay.rewind(first)
  }

  /** A record became pending, and its bytes are in memory. With a shared record its lane is read from there. */
  offer(fresh: FreshSubmission): void {
    for (const { relay, owned } of this.#lanes.values()) {
      if (owned === null) relay?.offer(fresh)
      else relay?.wake(fresh.seq)
    }
  }

  /** @returns whether this collector waited before it posts to it. */
  tryNow(): boolean {
    return this.#current()
      .map((relay) => relay.tryNow())
      .includes(true)
  }

  /** As `UpstreamRelay.withhold`, for the posts of this collector. */
  withhold(seqs: readonly number[]): ReturnType<UpstreamRelay['withhold']> {
    const relays = [...this.#lanes.values()].flatMap((lane) => lane.relays)
    const each = relays.map((relay) => relay.withhold(seqs))
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

  /** The state of each lane that this collector delivers, for other collectors, as JSON. */
  published(): readonly { readonly lane: OwnedLane; readonly state: string }[] {
    return [...this.#lanes.values()].flatMap(({ relay, owned }) => {
      if (relay === null || owned === null) return []
      const { state, open, deferred, retryAt, paused, last } = relay.state({ pending: 0, deadLetters: 0 })
      const own: PublishedState = { state, open, deferred, retryAt, paused, last }
      return [{ lane: owned, state: JSON.stringify(own) }]
    })
  }

  /** @param statuses of its lanes in the shared store, also of those that other collectors own; `null` without such a store */
  state(pending: Pending, statuses: readonly LaneStatus[] | null): UpstreamState {
    const { label, standIn } = this
    const own = this.#current().map((relay) => relay.state(pending))
    const whole = { label, standIn, ...pending }
    if (statuses === null || statuses.length === 0) return { ...whole, ...combined(own) }
    const others = statuses.map((status) => {
      if ((this.#lanes.get(status.lane)?.relay ?? null) !== null) return null
      // Nobody posts or waits, but the last answer is still the last one.
      return status.owner === null ? { ...NO_STATE, last: parsedState(status.state).last } : parsedState(status.state)
    })
    const state = { ...whole, ...combined([...own, ...others.filter((one) => one !== null)]) }
    const owners = new Set(statuses.flatMap(({ owner }) => owner ?? []))
    const free = statuses.filter(({ owner }) => owner === null)
    return {
      ...state,
      owner: owners.size === 0 ? null : [...owners].join(', '),
      ...(free.length > 0 && { unownedMs: Math.max(...free.map(({ unownedMs }) => unownedMs)) }),
    }
  }

  /** The relays of the lanes that this collector delivers. */
  #current(): readonly UpstreamRelay[] {
    return [...this.#lanes.values()].flatMap(({ relay }) => relay ?? [])
  }

  #laneOf(lane: number): RelayedLane {
    const known = this.#lanes.get(lane)
    if (known !== undefined) return known
    const added = new RelayedLane(this.#tools, (tools, unwritten) => this.#open(tools, unwritten))
    this.#lanes.set(lane, added)
    return added
  }

  #open(tools: RelayTools, unwritten?: UnwrittenResults): UpstreamRelay {
    if (this.#posts === null || this.#posts.hasEnded)
      this.#posts = new UpstreamPosts(this.upstream, this.label, this.#tools)
    const relay = new UpstreamRelay(this.upstream, this.standIn, this.label, tools, unwritten, this.#posts)
    for (const { seqs, releases } of this.#withholdings) releases.push(relay.withhold(seqs).release)
    return relay
  }
}

/** From the most to the least important one for a person. */
const STATES: readonly PublishedState['state'][] = ['paused', 'backing_off', 'relaying', 'idle']

/** The state of an upstream: of several lanes the worst, with the newest answer and the sums. */
function combined(lanes: readonly PublishedState[]): PublishedState {
  const rank = ({ state }: PublishedState): number => STATES.indexOf(state)
  const [worst = NO_STATE] = [...lanes].sort((one, other) => rank(one) - rank(other))
  const [last = null] = lanes.flatMap((lane) => lane.last ?? []).sort((one, other) => other.at - one.at)
  const sum = (read: (lane: PublishedState) => number): number => lanes.reduce((total, lane) => total + read(lane), 0)
  const { state, paused, retryAt } = worst
  return {
    state,
    open: sum(({ open }) => open),
    deferred: sum(({ deferred }) => deferred),
    retryAt,
    paused,
    last: state === 'backing_off' ? worst.last : last,
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
