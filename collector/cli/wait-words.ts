import { hintAt } from '../../lib/config/nearest'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { ASKING_FLAGS, type AskingWords, readAsking } from './asking-words'
import { type Condition, readConditions } from './conditions'
import { readFlags, readSeconds } from './flags'
import type { Since } from './since'
import { ITEM_KINDS, itemKind } from './told-items'

const DEFAULT_TIMEOUT_MS = 30_000
const MOST_TIMEOUT_S = 86_400

/** What wait takes, and what stands behind it. */
export const WAIT_FLAGS = {
  ...ASKING_FLAGS,
  '--timeout': `seconds, 0 to ${MOST_TIMEOUT_S}`,
} as const

/** What `waystation wait` is to wait for. */
export interface WaitWords extends AskingWords {
  readonly kind: string
  readonly conditions: readonly Condition[]
  /** As typed, for sentences. */
  readonly wanted: string
  readonly timeoutMs: number
  readonly since: Since
}

/** @param now ms since the epoch. @returns what was typed; `help`; or a sentence that says what was meant */
export function readWaitWords(typed: readonly string[], now: number): Result<WaitWords | 'help', string> {
  const read = readFlags(typed, { table: WAIT_FLAGS })
  if (!read.ok) return read
  const { help, value, words } = read.value
  if (help) return succeed('help')
  const [typedKind, ...rest] = words
  if (typedKind === undefined)
    return fail(`What is to be waited for? waystation wait KIND, of which there are ${ITEM_KINDS.join(', ')}.`)
  const kind = itemKind(typedKind)
  if (kind === null) return fail(`There is no kind ${JSON.stringify(typedKind)}: ${hintAt(typedKind, ITEM_KINDS)}`)
  const conditions = readConditions(kind, rest)
  if (!conditions.ok) return conditions
  const asking = readAsking(read.value, now)
  if (!asking.ok) return asking
  const timeout = value('--timeout')
  const timeoutMs = timeout === null ? DEFAULT_TIMEOUT_MS : readSeconds(timeout, MOST_TIMEOUT_S)
  if (timeoutMs === null) return fail(`--timeout ${timeout}: meant is ${WAIT_FLAGS['--timeout']}.`)
  return succeed({
    ...asking.value,
    kind,
    conditions: conditions.value,
    wanted: [kind, ...rest].join(' '),
    timeoutMs,
    since: asking.value.since ?? { from: 'now' },
  })
}
