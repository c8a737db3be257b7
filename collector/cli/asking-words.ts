import { isStamp, STAMP_FORMAT } from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { TypedFlags } from './flags'
import { readSince, SINCE_MEANT, type Since } from './since'

/** Which collector is asked, for what of its record, and how that is told: of `check`, `wait` and `tail` alike. */
export const ASKING_FLAGS = {
  '--url': 'the address of a collector',
  '--stamp': STAMP_FORMAT,
  '--since': SINCE_MEANT,
  '--json': null,
} as const

/** What was typed of them. */
export interface AskingWords {
  readonly url: string | null
  readonly stamp: string | null
  readonly since: Since | null
  readonly json: boolean
}

/** @param now ms since the epoch */
export function readAsking({ value, has }: TypedFlags<typeof ASKING_FLAGS>, now: number): Result<AskingWords, string> {
  const stamp = value('--stamp')
  if (stamp !== null && !isStamp(stamp)) return fail(`--stamp ${stamp}: meant is ${STAMP_FORMAT}.`)
  const typed = value('--since')
  const since = typed === null ? null : readSince(typed, now)
  if (typed !== null && since === null) return fail(`--since ${typed}: meant is ${SINCE_MEANT}.`)
  return succeed({ url: value('--url'), stamp, since, json: has('--json') })
}
