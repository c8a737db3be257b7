import type { Call } from '../../lib/ask/calls'
import { type ItemConditions, nearestOf, readItem } from '../../lib/ask/items/conditions'
import { ITEM_KINDS, type ItemDescription, itemJson, itemLine } from '../../lib/ask/items/describe-items'
import { type Misses, waitForItem } from '../../lib/ask/items/wait-for-item'
import { continuable, foundAnswer, missingAnswer, readContinued } from '../../lib/ask/wait'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { runWithTimeout } from '../../lib/time'
import { differenceLines } from '../../lib/verdict/expectations/explain'
import { boardPath } from '../../lib/verdict/verdict'
import { stoppedCode } from '../launch/stop-requests.js'
import {
  type ArgumentError,
  helpOrRefuse,
  parseArguments,
  type QueryArguments,
  readQueryArguments,
  readSeconds,
} from './arguments'
import { printBrief, readBrief } from './brief'
import {
  ANSWER_TIMEOUT_MS,
  type CollectorConnection,
  type CommandInput,
  connectCollector,
  explainFailedRequest,
  type RequestFailure,
  refuse,
} from './collector-connection'
import { USAGE_ERROR } from './exit-codes'
import { WAIT_FLAGS } from './flags.js'
import { command as expectSpans } from './judge/expect'
import { journalReader, journalSince, type Since } from './since'
import { waitingLine } from './terminal'

const FOUND = 0
const NOT_FOUND = 1
/** Even with a short --timeout, a busy collector gets this time to answer. */
const LEAST_ANSWER_TIMEOUT_MS = 5_000
const DEFAULT_TIMEOUT_MS = 30_000
const MOST_TIMEOUT_S = 86_400

/** `waystation wait`: waits for one item and prints it. Returns the exit code. */
export async function command(input: CommandInput): Promise<number> {
  const { root, words, stop, packaged } = input
  const expected = expectWords(words.slice(1))
  if (expected !== null) return expectSpans({ ...input, words: expected })
  const read = readWaitArguments(words.slice(1), Date.now())
  if (!read.ok) return helpOrRefuse('wait', read.error)
  const given = read.value
  const connection = connectCollector(given.url, { root, packaged })
  if (!connection.ok) return refuse(USAGE_ERROR, connection.error)
  const line = waitingLine()
  line.show(`for ${given.pattern}`)
  const waited = await waitFor(given, connection.value, stop.first)
  line.clear()
  if (!waited.ok) return refuse(waited.error.code, [waited.error.message])
  const { found, misses, localOnly, after } = waited.value
  if (given.brief !== null && !stop.first.aborted) {
    const { timeoutMs, brief } = given
    const since = brief.args.since === undefined ? undefined : String(brief.args.since)
    const answer = found === null ? missingAnswer(misses, given, { timeoutMs, since }) : foundAnswer(found)
    printBrief(continuable(answer, after), brief)
    return found === null ? NOT_FOUND : FOUND
  }
  if (found !== null) {
    console.log(given.json ? itemJson(found) : itemLine(found, { localOnly }))
    const { appUrl } = connection.value
    if (!given.json && appUrl !== null) console.error(`open ${appUrl}${boardPath(found)}`)
    return FOUND
  }
  if (stop.first.aborted) return stoppedCode(stop.first)
  return refuse(NOT_FOUND, explainMissing(given, misses, connection.value))
}

/** `wait --pattern P` is `expect P` of what arrives from now on. @returns `null` without a pattern */
function expectWords(args: readonly string[]): readonly string[] | null {
  const parsed = parseArguments(args, WAIT_FLAGS)
  const pattern = parsed.ok ? parsed.value.value('--pattern') : null
  if (!parsed.ok || pattern === null) return null
  const flags = new Map([['--since', 'now'], ...parsed.value.given])
  flags.delete('--pattern')
  const words = [...flags].map(([flag, value]) => (value === '' ? flag : `${flag}=${value}`))
  return ['expect', ...words, '--', pattern, ...parsed.value.positionals]
}

interface WaitArguments extends QueryArguments, ItemConditions {
  /** Kind and conditions as typed, for messages. */
  readonly pattern: string
  readonly timeoutMs: number
  readonly since: Since
  readonly brief: Call | null
  /** The journal number in the cursor of an answer that is continued without a wait; `null` for a new one. */
  readonly continued: number | null
}

export function readWaitArguments(args: readonly string[], now: number): Result<WaitArguments, ArgumentError> {
  const parsed = parseArguments(args, WAIT_FLAGS)
  if (!parsed.ok) return parsed
  const { value, wrong, positionals } = parsed.value
  const [typedKind, ...rest] = positionals
  if (typedKind === undefined) return fail(`KIND is missing; valid kinds: ${ITEM_KINDS.join(', ')}`)
  const item = readItem(typedKind, rest)
  if (!item.ok) return item
  const query = readQueryArguments(parsed.value, now)
  if (!query.ok) return query
  const timeout = value('--timeout')
  const timeoutMs = timeout === null ? DEFAULT_TIMEOUT_MS : readSeconds(timeout, MOST_TIMEOUT_S)
  if (timeoutMs === null) return fail(wrong('--timeout'))
  const brief = readBrief('wait', parsed.value.given, {
    kind: typedKind,
    ...(rest.length > 0 && { fields: rest.join(' ') }),
  })
  if (!brief.ok) return brief
  const continued = readContinued(value('--cursor') ?? undefined)
  if (!continued.ok) return fail(`--cursor ${continued.error}`)
  return succeed({
    ...query.value,
    continued: continued.value,
    brief: brief.value,
    ...item.value,
    pattern: [item.value.kind, ...rest].join(' '),
    timeoutMs,
    since: query.value.since ?? { from: 'now' },
  })
}

interface Waited {
  readonly found: ItemDescription | null
  readonly misses: Misses
  readonly localOnly: boolean
  /** Only items after this journal number count. */
  readonly after: number
}

async function waitFor(
  { kind, conditions, stamp, since, timeoutMs, continued }: WaitArguments,
  connection: CollectorConnection,
  stop: AbortSignal,
): Promise<Result<Waited, RequestFailure>> {
  const { client } = connection
  let localOnly = true
  let after = 0
  // With a short --timeout, a stopped collector must not delay the end by half a minute.
  const answerTimeoutMs = Math.min(ANSWER_TIMEOUT_MS, Math.max(timeoutMs, LEAST_ANSWER_TIMEOUT_MS))
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), continued === null ? timeoutMs : 0)
  try {
    after = continued ?? (await journalSince(since, journalReader(client, stop, answerTimeoutMs)))
    localOnly = (await runWithTimeout(answerTimeoutMs, stop, client.status)).upstreams.length === 0
    const waited = await waitForItem({
      ...{ client, kind, conditions, after, stamp, stop },
      late: late.signal,
      timeoutMs: answerTimeoutMs,
    })
    return succeed({ ...waited, localOnly, after })
  } catch (cause) {
    if (stop.aborted) return succeed({ found: null, misses: { newest: [], count: 0 }, localOnly, after })
    return fail(explainFailedRequest(cause, connection))
  } finally {
    clearTimeout(timer)
  }
}

/** Explains what did not arrive, which item came nearest, and how it differs. */
export function explainMissing(
  { kind, conditions, pattern, timeoutMs, stamp, since }: Omit<WaitArguments, 'url' | 'json' | 'brief' | 'continued'>,
  { newest, count }: Misses,
  { appUrl }: Pick<CollectorConnection, 'appUrl'>,
): readonly string[] {
  const missing = `No ${pattern} arrived within ${timeoutMs / 1000} s`
  const nearest = nearestOf(
    newest.map(({ value }) => value),
    conditions,
  )
  const item = newest.find(({ value }) => value === nearest?.item)
  if (nearest === null || item === undefined)
    return [
      `${missing}${stamp === null ? '' : ` with the stamp ${stamp}`}, and no other ${kind}.`,
      ...(since.from === 'now' ? ['Earlier items do not count; include them with --since 0 or --since 5m.'] : []),
    ]
  const all = count > newest.length ? `the newest ${newest.length} of ${count}` : String(count)
  return [
    `${missing}. The nearest of ${all} that arrived is ${item.name}:`,
    ...differenceLines(nearest.differences, []),
    ...nearest.almost.map(({ path }) => `  ${path}= matches the whole text, ${path}~ matches a part of it`),
    ...(appUrl === null ? [] : [`  open ${appUrl}${boardPath(item)}`]),
  ]
}
