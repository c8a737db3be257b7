import { noLoss, pendingOf } from '../../verdict/expectations/no-loss'
import type { Losses } from '../../wire/losses'
import { checkNames } from '../check-options'
import { pause } from '../clock'
import type { Recording } from '../recording'
import { SETTLE_MS } from '../wait-until-settled'
import { judgeSettled, type MatcherResult, type MatcherState, recordingOf, resultOf } from './matcher'

const POLL_INTERVAL_MS = 50

export interface LossOptions {
  /** Allowed reasons, such as `network_error`. Items that were not sent by choice need none. */
  readonly allow?: readonly string[]
}

export async function toHaveNoLoss(
  this: MatcherState,
  received: unknown,
  options: LossOptions = {},
): Promise<MatcherResult> {
  const recording = recordingOf('toHaveNoLoss', received)
  checkNames('toHaveNoLoss', options, ['allow'])
  const until = recording.clock.now() + SETTLE_MS
  const judge = async () => noLoss(await decidedLosses(recording, until), options)
  return resultOf(await judgeSettled(recording, 'fail', judge), this)
}

/** The losses when nothing is pending, or after the time-out. */
async function decidedLosses({ losses, clock }: Recording, until: number): Promise<Losses> {
  for (;;) {
    const now = await losses()
    if (pendingOf(now).length === 0 || clock.now() >= until) return now
    await pause(clock, POLL_INTERVAL_MS)
  }
}
