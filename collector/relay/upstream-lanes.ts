import type { StartTimer } from '../../lib/time'
import { LaneLostError, type LaneResults, type LaneStatus, type LaneStore, type OwnedLane } from '../spool/spool'
import { LaneKeeper } from './lane-keeper'
import type { RelayedUpstream } from './relayed-upstream'

/** How long open posts may continue before their lane is given back: longer than any post. */
const GIVE_BACK_MS = 12_000
/** How often the states of owned upstreams are published, at most. */
const PUBLISH_MS = 1000

/** A record that several collectors share. */
export interface SharedRecord {
  readonly lanes: Omit<LaneStore, 'resultsOf'>
  readonly resultsOf: LaneStore['resultsOf']
  /** ms of a clock that nobody can set. */
  readonly monotonic: () => number
  /** This collector delivers one more lane. */
  readonly onGain: () => void
}

interface UpstreamLanesTools extends SharedRecord {
  readonly later: StartTimer
  readonly log: (line: string) => void
}

/** Connects the lanes of a shared store with the upstreams to which they belong. */
export class UpstreamLanes {
  readonly #tools: UpstreamLanesTools
  readonly #upstreams: readonly RelayedUpstream[]
  readonly #keeper: LaneKeeper
  /** The state that was published last, by owned lane. */
  #published = new Map<OwnedLane, string>()
  #cancelPublishing: () => void = () => undefined
  #hasEnded = false

  constructor(upstreams: readonly RelayedUpstream[], tools: UpstreamLanesTools) {
    this.#tools = tools
    this.#upstreams = upstreams
    this.#keeper = new LaneKeeper({
      store: tools.lanes,
      upstreams: this.#keys,
      onGain: (lane) => this.#gain(lane),
      onLoss: (lane) => void this.#upstreamOf(lane)?.lose(lane, 0),
      onGiveBack: async (lane) => this.#upstreamOf(lane)?.lose(lane, GIVE_BACK_MS),
      later: tools.later,
      monotonic: tools.monotonic,
      log: tools.log,
    })
  }

  start(): void {
    this.#keeper.start()
    this.#publishLater()
  }

  /** Takes no more lanes. */
  end(): void {
    this.#hasEnded = true
    this.#cancelPublishing()
    this.#keeper.end()
  }

  /** Other collectors may take the lanes at once. Call it after `end`, when no post is open. */
  async release(): Promise<void> {
    await this.#keeper.release()
  }

  /** Owners and states of the lanes of each upstream, from any collector. Of a lane that nobody ever owned there is none. */
  async statuses(): Promise<(upstream: RelayedUpstream) => readonly LaneStatus[]> {
    const statuses = await this.#tools.lanes.readLanes(this.#keys)
    return (upstream) => statuses.filter((status) => this.#upstreamOf(status) === upstream)
  }

  get #keys() {
    return this.#upstreams.map(({ upstream: { publicKey, projectId } }) => ({
      publicKey,
      project: projectId,
    }))
  }

  #upstreamOf({ publicKey, project }: Pick<OwnedLane, 'publicKey' | 'project'>): RelayedUpstream | undefined {
    return this.#upstreams.find(({ upstream }) => upstream.publicKey === publicKey && upstream.projectId === project)
  }

  #gain(lane: OwnedLane): void {
    const upstream = this.#upstreamOf(lane)
    if (upstream === undefined) return
    upstream.gain(lane, {
      mayPost: () => this.#keeper.mayPost(lane),
      pending: (_key, _project, after, limit) => this.#tools.lanes.pendingIn(lane, after, limit),
      results: this.#fencedResults(lane, upstream.label),
    })
    this.#tools.onGain()
  }

  /** A result that the store refuses is not an error: the owner that took the lane delivers the record. */
  #fencedResults(lane: OwnedLane, label: string): LaneResults {
    const { log } = this.#tools
    const results = this.#tools.resultsOf(lane)
    let refused = 0
    const ignoreLoss = async (writing: Promise<void>): Promise<void> => {
      try {
        await writing
      } catch (error) {
        if (!(error instanceof Error) || error.name !== LaneLostError.NAME) throw error
        refused += 1
        if (refused === 1) log(`${label}: another collector relays to it now; its results from here are not stored`)
        this.#keeper.refused(lane)
      }
    }
    return {
      recordAttempt: (attempt) => ignoreLoss(results.recordAttempt(attempt)),
      decideWithoutAttempt: (...decided) => ignoreLoss(results.decideWithoutAttempt(...decided)),
    }
  }

  #publishLater(): void {
    if (this.#hasEnded) return
    this.#cancelPublishing = this.#tools.later(() => {
      void this.#publish().then(() => this.#publishLater())
    }, PUBLISH_MS)
  }

  async #publish(): Promise<void> {
    const before = this.#published
    const current = this.#upstreams.flatMap((upstream) => upstream.published())
    const published = new Map(current.map(({ lane, state }) => [lane, state]))
    this.#published = published
    await Promise.all(
      current.map(async ({ lane, state }) => {
        if (before.get(lane) === state) return
        await this.#tools.lanes.publishLane(lane, state).catch(() => published.delete(lane))
      }),
    )
  }
}
