/** One share of the pending records of an upstream. One collector at a time delivers it. */
export interface LaneKey {
  readonly publicKey: string
  readonly project: string
  /** 0 has every record with a session. */
  readonly lane: number
}

/** A lane that this collector delivers. */
export interface OwnedLane extends LaneKey {
  /** Grows with each owner: the store refuses results of an earlier one. */
  readonly token: number
  /** Monotonic ms at which another collector may take it, unless it is renewed. */
  readonly until: number
}

/** Leases of lanes in a shared store. */
export interface LaneStore {
  /** Renews those of this collector, and takes free ones up to its share. @param keys of the configured upstreams */
  readonly takeLanes: (keys: readonly LaneKey[]) => Promise<readonly OwnedLane[]>
  /** Another collector may take it at once. Does nothing if this collector does not own it. */
  readonly releaseLane: (lane: OwnedLane) => Promise<void>
  /** The state of its delivery, which all collectors show. @param state JSON */
  readonly publishLane: (lane: OwnedLane, state: string) => Promise<void>
}
