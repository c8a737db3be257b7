import type { StartTimer } from '../../lib/time'
import {
  type LaneKey,
  type LaneStore,
  LEASE_MS,
  type OwnedLane,
  type TakenLanes,
  type UpstreamKey,
} from '../spool/spool'

const RENEW_MS = 5000
/** After a call that failed. */
const RETRY_MS = 1000
/** An owner that could not renew its lanes for this long stops posting, before another collector may take them. */
const TRUST_MS = LEASE_MS - 5000

interface LaneKeeperTools {
  readonly store: Pick<LaneStore, 'takeLanes' | 'releaseLane' | 'leave'>
  /** All that are configured. */
  readonly upstreams: readonly UpstreamKey[]
  /** This collector owns the lane now: its posts may start. */
  readonly onGain: (lane: OwnedLane) => void
  /** Another collector owns it, or may take it soon: open posts must be aborted at once. */
  readonly onLoss: (lane: OwnedLane) => void
  /** Starts no post of it any more. Resolves when the open ones have ended and their results are written. */
  readonly onGiveBack: (lane: OwnedLane) => Promise<void>
  readonly later: StartTimer
  /** ms of a clock that nobody can set, and that goes on while the process is stopped. */
  readonly monotonic: () => number
  readonly log: (line: string) => void
}

/**
 * Owns lanes of a shared store: renews all of them every 5 s and takes its share of free ones in the same call, gives back
 * those beyond its share, and counts all as lost when no renewal succeeded for 15 s. Calls the store one at a time.
 */
export class LaneKeeper {
  readonly #tools: LaneKeeperTools
  readonly #owned = new Map<string, { readonly lane: OwnedLane; isLeaving: boolean }>()
  #calls: Promise<void> = Promise.resolve()
  /** Monotonic ms until which this collector may post. */
  #trustedUntil = Number.NEGATIVE_INFINITY
  #cancelRenewal: () => void = () => undefined
  #cancelExpiry: () => void = () => undefined
  #isFailing = false
  #hasEnded = false

  constructor(tools: LaneKeeperTools) {
    this.#tools = tools
  }

  /** Takes lanes now, and every 5 s. */
  start(): void {
    this.#enqueue(() => this.#renew())
  }

  /**
   * Whether a post of the lane may start. Also compares the clock: after the process was stopped for a while, answers of
   * open posts are read before timers run. Counts all lanes as lost where the clock says so.
   */
  mayPost(lane: OwnedLane): boolean {
    this.#expireIfDue()
    return this.#owned.get(nameOf(lane))?.lane === lane
  }

  /** The store refused a result of the lane. */
  refused(lane: OwnedLane): void {
    if (this.#owned.get(nameOf(lane))?.lane !== lane) return
    this.#owned.delete(nameOf(lane))
    this.#tools.onLoss(lane)
  }

  /** Takes and renews no lane any more. Those that are owned may still be posted, as long as their lease runs. */
  end(): void {
    this.#hasEnded = true
    this.#cancelRenewal()
  }

  /** Releases all lanes, so that other collectors take them at once. Call it after `end`, when no post is open. */
  async release(): Promise<void> {
    await this.#enqueue(async () => {
      this.#cancelExpiry()
      this.#owned.clear()
      await this.#tools.store
        .leave()
        .catch((error: Error) => this.#tools.log(`lanes of the shared store could not be released: ${error.message}`))
    })
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#calls = this.#calls.then(work)
    return this.#calls
  }

  async #renew(): Promise<void> {
    if (this.#hasEnded) return
    const { store, upstreams, monotonic, later, log } = this.#tools
    const startedAt = monotonic()
    let nextAt = startedAt + RENEW_MS
    try {
      const taken = await store.takeLanes(upstreams)
      if (this.#isFailing) log('lanes of the shared store are renewed again')
      this.#isFailing = false
      this.#apply(taken, startedAt + TRUST_MS)
    } catch (error) {
      if (!this.#isFailing)
        log(`lanes of the shared store cannot be renewed: ${error instanceof Error ? error.message : String(error)}`)
      this.#isFailing = true
      nextAt = monotonic() + RETRY_MS
    }
    if (this.#hasEnded) return
    this.#cancelRenewal = later(() => this.#enqueue(() => this.#renew()), Math.max(0, nextAt - monotonic()))
  }

  /** @param trustedUntil counts from the start of the call, because the lease may have begun then. */
  #apply({ lanes, share }: TakenLanes, trustedUntil: number): void {
    const { monotonic, later } = this.#tools
    this.#cancelExpiry()
    this.#trustedUntil = trustedUntil
    this.#expireIfDue()
    // This answer is too old to trust; the next renewal follows at once.
    if (monotonic() >= trustedUntil) return
    this.#cancelExpiry = later(() => this.#expireIfDue(), trustedUntil - monotonic())

    this.#dropOthers(lanes)
    for (const lane of lanes) this.#add(lane)
    // In the order of the answer: the last ones go back first.
    const staying = lanes.flatMap((lane) => this.#owned.get(nameOf(lane)) ?? []).filter(({ isLeaving }) => !isLeaving)
    if (!this.#hasEnded) for (const excess of staying.slice(share)) this.#giveBack(excess)
  }

  /** Drops lanes that are not among these with the same token. */
  #dropOthers(lanes: readonly OwnedLane[]): void {
    const tokens = new Map(lanes.map((lane) => [nameOf(lane), lane.token]))
    for (const [name, { lane }] of this.#owned) {
      if (tokens.get(name) === lane.token) continue
      this.#owned.delete(name)
      this.#tools.onLoss(lane)
    }
  }

  #add(lane: OwnedLane): void {
    if (this.#owned.has(nameOf(lane))) return
    this.#owned.set(nameOf(lane), { lane, isLeaving: false })
    // At the end it is only released.
    if (!this.#hasEnded) this.#tools.onGain(lane)
  }

  #giveBack(owned: { readonly lane: OwnedLane; isLeaving: boolean }): void {
    const { lane } = owned
    owned.isLeaving = true
    const release = async (): Promise<void> => {
      // Lost, or released at the end, meanwhile.
      if (this.#owned.get(nameOf(lane)) !== owned) return
      this.#owned.delete(nameOf(lane))
      // After a failure, the next renewal finds the lane and gives it back again.
      await this.#tools.store
        .releaseLane(lane)
        .catch((error: Error) => this.#tools.log(`a lane of ${lane.project} could not be given back: ${error.message}`))
    }
    void this.#tools.onGiveBack(lane).then(() => this.#enqueue(release))
  }

  #expireIfDue(): void {
    if (this.#tools.monotonic() < this.#trustedUntil) return
    const lanes = [...this.#owned.values()].map(({ lane }) => lane)
    if (lanes.length === 0) return
    this.#owned.clear()
    this.#tools.log(`no lane could be renewed for ${TRUST_MS / 1000} s: posts stop until the shared store answers`)
    for (const lane of lanes) this.#tools.onLoss(lane)
  }
}

const nameOf = ({ publicKey, project, lane }: LaneKey): string => [publicKey, project, lane].join(' ')
