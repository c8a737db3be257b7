import { describeExit } from './child-process'
import { afterDeath, DEATHS_IN_A_MINUTE, type Death } from './restart-policy'
import type { CollectorSeat, SeatedCollector } from './supervisor'

export interface Keeping {
  readonly seat: CollectorSeat
  /** From then on an end is wanted. */
  readonly over: AbortSignal
  /** Milliseconds on a clock that never jumps. */
  readonly now: () => number
  /** Settles after so long, or as soon as it is over. */
  readonly pause: (ms: number, over: AbortSignal) => Promise<void>
  readonly say: (line: string) => void
}

const MEANWHILE =
  'What comes by the tunnel meanwhile waits in the lifeboat; SDKs that send by DSN get no connection until it is back.'

/** One end: how, for the line that is said, and the sentence for the case that it was the last. */
interface End {
  readonly cause: Death['cause']
  readonly how: string
  readonly sentence: string
}

/**
 * Starts the collector again whenever it ends by itself. The app needs no restart: its tunnel keeps what pages send
 * meanwhile, and the address stays the same.
 * @returns the sentence that says why it is given up; `asked` when it was over before
 */
export async function keepCollector({ seat, over, now, pause, say }: Keeping): Promise<string> {
  const deaths: Death[] = []
  let end = await endOf(seat.current)
  while (!over.aborted) {
    deaths.push({ at: now(), cause: end.cause })
    const next = afterDeath(deaths)
    if (next === 'give up') return end.sentence
    if (end.cause === 'died')
      say(
        `The collector ended by itself (${end.how}); starting it again${next === 0 ? '' : ` in ${next / 1000} s`}. ${MEANWHILE}`,
      )
    await pause(next, over)
    const taken = over.aborted ? null : await seat.whyTaken()
    if (over.aborted) break
    if (taken !== null) {
      end = { cause: 'port taken', how: 'port taken', sentence: taken }
      continue
    }
    seat.current = seat.start()
    end =
      (await comesUp(seat.current, () => !over.aborted && say('The collector is back.'))) ?? (await endOf(seat.current))
  }
  return 'asked'
}

/** @returns `null` when it runs, else how it ended. */
async function comesUp({ ready, child, lines }: SeatedCollector, onUp: () => void): Promise<End | null> {
  const news = await ready
  if (news.ok) {
    lines.passOn()
    onUp()
    return null
  }
  if (news.error.explained) return { cause: 'refused', how: 'refused', sentence: news.error.sentence }
  lines.show()
  return died(describeExit(await child.exited))
}

const endOf = async ({ child }: SeatedCollector): Promise<End> => died(describeExit(await child.exited))

const died = (how: string): End => ({
  cause: 'died',
  how,
  sentence: `The collector ended by itself ${DEATHS_IN_A_MINUTE} times within a minute, the last time with ${how}.`,
})
