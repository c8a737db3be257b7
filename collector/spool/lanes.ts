import type { Discard } from '../../lib/protocol/submission'
import type { UpstreamKey } from './deliveries'
import type { PendingSubmission } from './stored-content'
import type { Attempt, Decision } from './submission'

/** Another collector may take a lane this long after its owner last renewed it, in ms. */
export const LEASE_MS = 20_000

/** One share of the pending records of an upstream. One collector at a time delivers it. */
export interface LaneKey extends UpstreamKey {
  /** From 0. Lane 0 has every record with a session, so that the order of its updates holds. */
  readonly lane: number
}

/** A lane that this collector delivers. */
export interface OwnedLane extends LaneKey {
  /**
   * Grows whenever a lane gets another owner than the last one, and after `releaseLane`. It stays the same where its owner
   * takes it again after the lease ended: no other collector posted meanwhile. Each start of a collector is another owner.
   */
  readonly token: number
}

export interface TakenLanes {
  /**
   * All that this collector owns now, also those beyond its share, which are the last ones. Lanes of one number come
   * together, so that collectors share each upstream. Their lease begins during the call.
   */
  readonly lanes: readonly OwnedLane[]
  /** How many lanes this collector should have. It releases the others when their posts have ended. */
  readonly share: number
}

/** The owner of a lane and the state that it published, for collectors that do not own it. */
export interface LaneStatus extends LaneKey {
  /** The name of the collector, for people; `null` while no lease runs. */
  readonly owner: string | null
  /**
   * Time since the last lease ended or was released, in ms; 0 while one runs. Of a lane that was never taken: the age of
   * its oldest pending record, 0 without one.
   */
  readonly unownedMs: number
  /** JSON of the last `publishLane`; `null` before the first. */
  readonly state: string | null
}

/** Results of the posts of one lane. Each rejects with LaneLostError, and stores nothing, when the token is no longer valid. */
export interface LaneResults {
  readonly recordAttempt: (attempt: Attempt) => Promise<void>
  readonly decideWithoutAttempt: (
    seq: number,
    decision: NonNullable<Decision>,
    toReport: readonly Discard[],
  ) => Promise<void>
}

/** Leases of lanes in a shared store. Every promise settles within seconds, also while the store is away. */
export interface LaneStore {
  /**
   * Notes that this collector is alive, renews every lane that it owns, and takes free ones up to its share of all lanes
   * in use. The collectors that called this within `LEASE_MS` and did not leave have equal shares; the older ones take
   * the rest of the division. Takes no lane from a running lease.
   *
   * A lane is in use when any live collector is configured for as many, or while it has a pending record: so the lanes of
   * all collectors are delivered, also when their settings differ.
   * @param upstreams that are configured, which must be the same at all collectors
   */
  readonly takeLanes: (upstreams: readonly UpstreamKey[]) => Promise<TakenLanes>
  /** Another collector may take it at once. Does nothing if the token is no longer valid. */
  readonly releaseLane: (lane: OwnedLane) => Promise<void>
  /** Releases all lanes of this collector, and counts it no more in the share of the others, until it takes lanes again. */
  readonly leave: () => Promise<void>
  /** Stores the state of its delivery. Does nothing if the token is no longer valid. @param state JSON */
  readonly publishLane: (lane: OwnedLane, state: string) => Promise<void>
  /** @returns the lanes in use; one that was never taken may be absent. */
  readonly readLanes: (upstreams: readonly UpstreamKey[]) => Promise<readonly LaneStatus[]>
  /** The pending records of a lane after a number, oldest first; fewer than `limit` when their bodies are large. */
  readonly pendingIn: (lane: LaneKey, after: number, limit: number) => Promise<readonly PendingSubmission[]>
  readonly resultsOf: (lane: OwnedLane) => LaneResults
}

/** Another collector has taken the lane, so the store refused a result of it. Errors cross threads by their name. */
export class LaneLostError extends Error {
  static readonly NAME = 'LaneLostError'

  constructor() {
    super('another collector delivers this lane now')
    this.name = LaneLostError.NAME
  }
}

/** Name of the error of every call of a shared store that is away. Errors cross threads by their name. */
export const STORE_AWAY = 'StoreAwayError'
