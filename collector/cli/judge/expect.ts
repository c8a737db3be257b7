import type { Call } from '../../../lib/ask/calls'
import { waitForSpans } from '../../../lib/ask/items/wait-for-spans'
import { continuable, readContinued, spansAnswer } from '../../../lib/ask/wait'
import { plainText } from '../../../lib/format'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { parseSpanPattern } from '../../../lib/verdict/expectations/span-pattern'
import { boardPath } from '../../../lib/verdict/verdict'
import type { SpanExpectation } from '../../../lib/wire/span-expectation'
import {
  type ArgumentError,
  helpOrRefuse,
  parseArguments,
  type QueryArguments,
  readQueryArguments,
  readSeconds,
} from '../arguments'
import { printBrief, readBrief } from '../brief'
import {
  ANSWER_TIMEOUT_MS,
  type CollectorConnection,
  type CommandInput,
  connectCollector,
  refuse,
  refuseRequest,
} from '../collector-connection'
import { NO_COLLECTOR, USAGE_ERROR } from '../exit-codes'
import { EXPECT_FLAGS } from '../flags.js'
import { journalReader, journalSince } from '../since'
import { waitingLine } from '../terminal'

const EXIT_CODES = { match: 0, 'no match': 1, 'nothing recorded': NO_COLLECTOR } as const satisfies Readonly<
  Record<SpanExpectation['answer'], number>
>
const DEFAULT_TIMEOUT_MS = 30_000
const MOST_TIMEOUT_S = 86_400

/** `waystation expect`: waits until a trace contains the spans of a pattern. Returns the exit code. */
export async function command({ root, words, stop, packaged }: CommandInput): Promise<number> {
  const read = readExpectArguments(words.slice(1), Date.now())
  if (!read.ok) return helpOrRefuse('expect', read.error)
  const given = read.value
  const connection = connectCollector(given.url, { root, packaged })
  if (!connection.ok) return refuse(USAGE_ERROR, connection.error)
  const line = waitingLine()
  line.show(`for ${given.pattern}`)
  try {
    const { client } = connection.value
    const { since, continued } = given
    const after = continued ?? (since === null ? 0 : await journalSince(since, journalReader(client, stop.first)))
    const timeoutMs = continued === null ? given.timeoutMs : 0
    const plan = { ...given, after, timeoutMs, answerTimeoutMs: ANSWER_TIMEOUT_MS }
    const found = await waitForSpans(plan, client, stop.first)
    line.clear()
    return report(found, { ...given, after }, connection.value)
  } catch (cause) {
    line.clear()
    return refuseRequest(cause, connection.value, stop.first)
  }
}

interface ExpectArguments extends QueryArguments {
  readonly pattern: string
  readonly timeoutMs: number
  readonly brief: Call | null
  /** The journal number in the cursor of an answer that is continued without a wait; `null` for a new one. */
  readonly continued: number | null
}

export function readExpectArguments(args: readonly string[], now: number): Result<ExpectArguments, ArgumentError> {
  const parsed = parseArguments(args, EXPECT_FLAGS)
  if (!parsed.ok) return parsed
  const { value, wrong, positionals } = parsed.value
  const [pattern, second] = positionals
  if (pattern === undefined)
    return fail("PATTERN is missing, for example: waystation expect 'pageload > http.client GET /api/cart > db*'")
  if (second !== undefined)
    return fail(
      `unexpected argument ${JSON.stringify(second)}: the pattern is one argument, so write it in quotes, because a shell redirects output at >`,
    )
  try {
    parseSpanPattern(pattern)
  } catch (error) {
    if (error instanceof TypeError) return fail(error.message)
    throw error
  }
  const query = readQueryArguments(parsed.value, now)
  if (!query.ok) return query
  const timeout = value('--timeout')
  const timeoutMs = timeout === null ? DEFAULT_TIMEOUT_MS : readSeconds(timeout, MOST_TIMEOUT_S)
  if (timeoutMs === null) return fail(wrong('--timeout'))
  const brief = readBrief('wait', parsed.value.given, { pattern, since: '0' })
  if (!brief.ok) return brief
  const continued = readContinued(value('--cursor') ?? undefined)
  if (!continued.ok) return fail(`--cursor ${continued.error}`)
  return succeed({ ...query.value, pattern, timeoutMs, brief: brief.value, continued: continued.value })
}

function report(
  found: SpanExpectation,
  { json, brief, stamp, timeoutMs, after }: ExpectArguments & { readonly after: number },
  { appUrl }: CollectorConnection,
): number {
  const { answer, matched, message, from } = found
  if (brief !== null) {
    printBrief(continuable(spansAnswer(found, { timeoutMs, since: String(brief.args.since) }), after), brief)
    return EXIT_CODES[answer]
  }
  if (json) {
    console.log(plainText(JSON.stringify(found)))
    return EXIT_CODES[answer]
  }
  const last = matched.at(-1)
  const link = last === undefined || appUrl === null ? [] : [`open ${appUrl}${boardPath(last)}`]
  if (answer === 'match') {
    // A match of `db*{0}` has no spans.
    console.log(plainText(matched.map(({ label }) => label).join(' > ') || found.pattern))
    for (const one of link) console.error(one)
    return EXIT_CODES.match
  }
  const stamped = stamp === null ? '' : ` with the stamp ${stamp}`
  const within = `within ${timeoutMs / 1000} s`
  const lines =
    answer === 'nothing recorded'
      ? [`Nothing was recorded${stamped} ${within}.`]
      : [`No match${stamped} ${within} in ${from.submissions} envelopes: ${message}`, ...link]
  const part = from.isPart ? ['Only the newest envelopes were searched; limit the search with --stamp.'] : []
  return refuse(EXIT_CODES[answer], [...lines, ...part])
}
