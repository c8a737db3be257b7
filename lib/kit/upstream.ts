import { DATA_CATEGORIES } from '../protocol/data-category'
import type { CollectorClient } from '../wire/collector-client'
import { type GivenScript, limitingAnswer, type PlayedScript } from '../wire/stand-in'
import { answered } from './answered'
import type { Clock } from './clock'

/** What upstream is made to do. The collector has one upstream: what is played there is played to everybody on it. */
export interface Upstream {
  /**
   * The next post of that category is refused with a limit of so many seconds, which SDKs are told by the answer to what
   * they post next. SDK 11 streams spans, whose category is `span`; what has its `traceLifecycle: 'static'` is `transaction`.
   * @example await telemetry.upstream.limit({ category: 'span', seconds: 2 })
   */
  readonly limit: (limit: { readonly category: string; readonly seconds: number }) => Promise<PlayedScript>
  /** Replaces the script: rules in their order, the first that takes a post answers it. */
  readonly play: (script: GivenScript) => Promise<PlayedScript>
  /** Answers 200 to everything again. */
  readonly reset: () => Promise<PlayedScript>
}

const NO_STAND_IN =
  "upstream cannot be played: this collector has a real one or none. Start it with WAYSTATION_UPSTREAM=stand-in, or startCollector({ upstream: 'stand-in' })"

/** @throws Error where the collector does not play its own upstream; TypeError where a limit is none. */
export function upstreamOf(client: Pick<CollectorClient, 'standIn' | 'play'>, clock: Clock): Upstream {
  const play = async (script: GivenScript): Promise<PlayedScript> => {
    if ((await answered(clock, client.standIn)) === null) throw new Error(NO_STAND_IN)
    return answered(clock, (signal) => client.play(script, signal))
  }
  return {
    limit: async ({ category, seconds }) => {
      if (!DATA_CATEGORIES.has(category))
        throw new TypeError(
          `upstream.limit: ${JSON.stringify(category)} is no data category; it is meant as one of ${[...DATA_CATEGORIES].join(', ')}`,
        )
      if (!Number.isInteger(seconds) || seconds < 1)
        throw new TypeError(`upstream.limit: seconds is ${seconds}, and is meant as a whole number, at least 1`)
      return play({ answers: [limitingAnswer([category], seconds)] })
    },
    play,
    reset: () => play({ answers: [] }),
  }
}
