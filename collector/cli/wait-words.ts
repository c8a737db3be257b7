import { hintAt } from '../../lib/config/nearest'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { isStamp, STAMP_MEANT } from '../../lib/protocol/stamp'
import { type Condition, readConditions } from './conditions'
import { readFlags, readSeconds } from './flags'
import { readSince, SINCE_MEANT, type Since } from './since'
import { ITEM_KINDS, itemKind } from './told-items'

const DEFAULT_TIMEOUT_MS = 30_000
const MOST_TIMEOUT_S = 86_400

/** What wait takes, and what stands behind it. */
export const WAIT_FLAGS = {
  '--url': 'the address of a collector',
  '--stamp': STAMP_MEANT,
  '--timeout': `seconds, 0 to ${MOST_TIMEOUT_S}`,
  '--since': SINCE_MEANT,
  '--json': null,
} as const

/** What `waystation wait` is to wait for. */
export interface WaitWords {
  readonly kind: string
  readonly conditions: readonly Condition[]
  /** As typed, for sentences. */
  readonly wanted: string
  readonly url: string | null
  readonly stamp: string | null
  readonly timeoutMs: number
  readonly since: Since
  readonly json: boolean
}

/** @param now ms since the epoch. @returns what was typed; `help`; or a sentence that says what was meant */
export function readWaitWords(typed: readonly string[], now: number): Result<WaitWords | 'help', string> {
  const read = readFlags(typed, { table: WAIT_FLAGS })
  if (!read.ok) return read
  const { help, value, has, words } = read.value
  if (help) return succeed('help')
  const [typedKind, ...rest] = words
  if (typedKind === undefined)
    return fail(`What is to be waited for? waystation wait KIND, of which there are ${ITEM_KINDS.join(', ')}.`)
  const kind = itemKind(typedKind)
  if (kind === null) return fail(`There is no kind ${JSON.stringify(typedKind)}: ${hintAt(typedKind, ITEM_KINDS)}`)
  const conditions = readConditions(rest)
  if (!conditions.ok) return conditions
  const stamp = value('--stamp')
  if (stamp !== null && !isStamp(stamp)) return fail(`--stamp ${stamp}: meant is ${WAIT_FLAGS['--stamp']}.`)
  const timeout = value('--timeout')
  const timeoutMs = timeout === null ? DEFAULT_TIMEOUT_MS : readSeconds(timeout, MOST_TIMEOUT_S)
  if (timeoutMs === null) return fail(`--timeout ${timeout}: meant is ${WAIT_FLAGS['--timeout']}.`)
  const typedSince = value('--since')
  const since: Since | null = typedSince === null ? { from: 'now' } : readSince(typedSince, now)
  if (since === null) return fail(`--since ${typedSince}: meant is ${SINCE_MEANT}.`)
  return succeed({
    kind,
    conditions: conditions.value,
    wanted: [kind, ...rest].join(' '),
    url: value('--url'),
    stamp,
    timeoutMs,
    since,
    json: has('--json'),
  })
}
