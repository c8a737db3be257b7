import { addressOf, isDsn, type Upstream } from '../../lib/protocol/upstream-address'
import type { UpstreamState } from '../../lib/wire/overview'
import { Successes } from './deferred-posts'
import { PostTotals } from './open-posts'
import { type BreakerTools, pauseMessage, UpstreamBreaker } from './upstream-breaker'

/** A relay of one lane. */
interface LanePosts {
  /** @returns whether it started a post */
  readonly startNext: () => boolean
  readonly readMore: () => void
}

/**
 * The relays of the lanes of one upstream share this in a collector: together they keep no more posts open than one
 * relay alone, and one breaker stops all of them. Lanes start their posts in turn.
 */
export class UpstreamPosts {
  readonly breaker: UpstreamBreaker
  readonly totals = new PostTotals()
  readonly successes = new Successes()
  /** The last answer, or lack of one, of any lane. */
  last: UpstreamState['last'] = null
  readonly #lanes: LanePosts[] = []
  #turn = 0

  constructor(upstream: Upstream, label: string, tools: BreakerTools & { readonly log: (line: string) => void }) {
    const credentials = isDsn(addressOf(upstream)) ? 'DSN' : 'address'
    const reportPause = (paused: UpstreamState['paused']) => tools.log(pauseMessage(label, paused, credentials))
    this.breaker = new UpstreamBreaker(tools, () => this.pump(), reportPause)
  }

  /** No lane is relayed: the next relay begins with another breaker. */
  get hasEnded(): boolean {
    return this.#lanes.length === 0
  }

  add(lane: LanePosts): void {
    this.#lanes.push(lane)
  }

  /** Ends the breaker after the last one. */
  remove(lane: LanePosts): void {
    const at = this.#lanes.indexOf(lane)
    if (at < 0) return
    this.#lanes.splice(at, 1)
    if (this.hasEnded) this.breaker.end()
  }

  /** Starts as many posts as the window allows, one of each lane in turn, and reads more pending records where few remain. */
  pump(): void {
    for (let idle = 0; idle < this.#lanes.length; ) {
      this.#turn = (this.#turn + 1) % this.#lanes.length
      idle = this.#lanes[this.#turn]?.startNext() === true ? 0 : idle + 1
    }
    for (const lane of this.#lanes) lane.readMore()
  }
}
