import * as z from 'zod'
import { fail, type Result, succeed } from '../protocol/result'
import type { Difference } from '../verdict/expectations/criteria'
import { parseSpanPattern } from '../verdict/expectations/span-pattern'
import type { SpanExpectation } from '../wire/span-expectation'
import { type Answer, cursorInput, fact, joined, type Line, line, own, readCursor } from './answer'
import type { Call } from './calls'
import { type ItemConditions, nearestOf, readItem } from './items/conditions'
import { ITEM_KINDS, type ItemDescription } from './items/describe-items'
import { type Misses, waitForItem } from './items/wait-for-item'
import { waitForSpans } from './items/wait-for-spans'
import { label, received } from './received'
import { AskError } from './sources'
import { defineVerb } from './verb'

const DEFAULT_SECONDS = 30
const MOST_SECONDS = 86_400
/** For each answer of the collector, in addition to the wait. */
const ANSWER_TIMEOUT_MS = 5_000

/** `wait`: waits for spans or one item, and explains the nearest miss. */
export const waitVerb = defineVerb({
  name: 'wait',
  description:
    'Wait until a trace has the spans of pattern, or an item of kind arrives: the match, or the nearest miss and why.',
  input: {
    kind: z.string().max(40).optional().describe('error, transaction, span, log, metric, …'),
    fields: z.string().max(2000).optional().describe('conditions on the item: FIELD=VALUE FIELD~REGEX'),
    pattern: z.string().max(2000).optional().describe("instead of kind: 'pageload > http.client GET /api/cart >> db*'"),
    since: z.string().max(200).optional().describe('also what arrived after this: see status; default: now'),
    stamp: z.string().max(64).optional().describe('only the telemetry of a test with this stamp'),
    timeout: z.int().min(0).max(MOST_SECONDS).optional().describe(`seconds, default ${DEFAULT_SECONDS}`),
    cursor: cursorInput,
  },
  run: async (sources, { kind, fields, pattern, since, stamp = null, timeout, cursor }) => {
    const mostSeconds = Math.floor(sources.mostWaitMs / 1000)
    if (timeout !== undefined && timeout > mostSeconds)
      throw new AskError(
        `timeout must be from 0 to ${mostSeconds} seconds here, got ${timeout}; call wait again to wait longer`,
      )
    if ((kind === undefined) === (pattern === undefined))
      throw new AskError(`wait requires either pattern or kind; valid kinds: ${ITEM_KINDS.join(', ')}`)
    const timeoutMs = 1000 * (timeout ?? Math.min(DEFAULT_SECONDS, mostSeconds))
    const continued = readContinued(cursor)
    if (!continued.ok) throw new AskError(`cursor ${continued.error}`)
    const waitMs = continued.value === null ? timeoutMs : 0
    const start = (): Promise<number> | number => continued.value ?? sources.journalOf(since ?? 'now')
    if (pattern !== undefined) {
      checkPattern(pattern)
      if (fields !== undefined)
        throw new AskError('fields are conditions on an item of kind; a pattern has its own: [FIELD=VALUE]')
      const after = await start()
      const plan = { pattern, stamp, after, timeoutMs: waitMs, answerTimeoutMs: ANSWER_TIMEOUT_MS }
      const found = await waitForSpans(plan, sources.client, sources.signal)
      return continuable(spansAnswer(found, { timeoutMs, since }), after)
    }
    const item = itemConditions(kind ?? '', fields ?? '')
    const { client, signal: stop } = sources
    const after = await start()
    const late = AbortSignal.timeout(waitMs)
    const { found, misses } = await waitForItem({
      ...{ client, ...item, after, stamp, stop, late },
      timeoutMs: ANSWER_TIMEOUT_MS,
    })
    const answer = found === null ? missingAnswer(misses, item, { timeoutMs, since }) : foundAnswer(found)
    return continuable(answer, after)
  },
})

/** An answer whose rest begins after the same journal number. */
export const continuable = (answer: Answer, after: number): Answer => ({
  ...answer,
  page: { at: String(after), next: null },
})

/**
 * The journal number in the cursor of an answer: its rest searches what arrived after that, and does not wait.
 * @returns `null` without a cursor; a message for a cursor of another verb
 */
export function readContinued(cursor: string | undefined): Result<number | null, string> {
  if (cursor === undefined) return succeed(null)
  const at = readCursor(cursor)?.at ?? ''
  return /^\d{1,15}$/.test(at)
    ? succeed(Number(at))
    : fail(`must be the cursor of an earlier answer of wait, got ${JSON.stringify(cursor)}`)
}

function checkPattern(pattern: string): void {
  try {
    parseSpanPattern(pattern)
  } catch (error) {
    throw error instanceof TypeError ? new AskError(`pattern: ${error.message}`) : error
  }
}

/** Conditions are separated by spaces before a field; a value may contain spaces. */
function itemConditions(kind: string, fields: string): ItemConditions {
  const read = readItem(kind, fields.trim() === '' ? [] : fields.trim().split(/\s+(?=[\w.$-]+[=~])/))
  if (!read.ok) throw new AskError(read.error)
  return read.value
}

/** The time that was waited, and the start of what counts. */
interface Waited {
  readonly timeoutMs: number
  readonly since: string | undefined
}

/** The answer about a span pattern. */
export function spansAnswer({ answer, matched, message, pattern, from }: SpanExpectation, waited: Waited): Answer {
  const [first] = matched
  const last = matched.at(-1)
  const next = first === undefined ? [] : [getTrace(first.traceId)]
  const spans: readonly Line[] = matched.map(({ label: text, service, traceId, spanId }) =>
    joined([label('name', text), received('service', service), own(`${traceId}/${spanId}`)]),
  )
  const searched = own(`${from.submissions} envelopes were searched${from.isPart ? ', the newest ones only' : ''}`)
  if (answer === 'match')
    return {
      heading: own('Found'),
      verdict: 'pass',
      sections: [{ heading: null, rows: [line`${received('pattern', pattern)} matches`, searched, ...spans] }],
      next: last === undefined ? [] : [getTrace(last.traceId)],
    }
  if (answer === 'nothing recorded') return { ...nothing('Nothing was recorded', waited), verdict: 'incomplete' }
  return {
    heading: own(`Not found within ${waited.timeoutMs / 1000} s`),
    verdict: 'fail',
    sections: [
      { heading: null, rows: [line`no trace has ${received('pattern', pattern)}`, searched] },
      { heading: 'Nearest miss', rows: [{ block: received('message', message) }] },
      { heading: 'Spans that matched', rows: spans },
    ],
    next,
  }
}

/** The answer about an item that arrived. */
export function foundAnswer(item: ItemDescription): Answer {
  const { kind, name, detail, service, seq, item: index, traceId, eventId } = item
  return {
    heading: own(`Found: ${kind}`),
    verdict: 'pass',
    sections: [
      {
        heading: null,
        rows: [
          joined([label('name', name), detail === null ? null : label('detail', detail)]),
          fact('service', service === null ? null : received('service', service)),
          fact('event', eventId === null ? null : own(eventId)),
          fact('trace', traceId === null ? null : own(traceId)),
          fact('envelope', own(`${seq}, item ${index}`)),
        ],
      },
    ],
    next: [
      ...(eventId === null ? [] : [{ verb: 'get', args: { id: eventId } }]),
      ...(traceId === null ? [] : [getTrace(traceId)]),
      { verb: 'explain', args: { id: String(seq) } },
    ],
  }
}

/** The answer about an item that did not arrive: which one came nearest, and how it differs. */
export function missingAnswer({ newest, count }: Misses, { kind, conditions }: ItemConditions, waited: Waited): Answer {
  const nearest = nearestOf(
    newest.map(({ value }) => value),
    conditions,
  )
  const item = newest.find(({ value }) => value === nearest?.item)
  if (nearest === null || item === undefined) return { ...nothing(`No ${kind} arrived`, waited), verdict: 'fail' }
  const found = foundAnswer(item)
  return {
    heading: own(`Not found within ${waited.timeoutMs / 1000} s`),
    verdict: 'fail',
    sections: [
      {
        heading: null,
        rows: [
          joined(
            [own(`no ${kind} meets`), ...conditions.map(({ path, expected }) => received(path, `${path} ${expected}`))],
            ' ',
          ),
          own(
            count > newest.length ? `${count} arrived, the newest ${newest.length} were compared` : `${count} arrived`,
          ),
        ],
      },
      {
        heading: 'Nearest miss',
        rows: [...nearest.differences.map(differenceLine), ...(found.sections[0]?.rows ?? [])],
      },
      {
        heading: 'Hints',
        rows: nearest.almost.map(({ path }) => own(`${path}= matches the whole text, ${path}~ matches a part of it`)),
      },
    ],
    next: found.next ?? [],
  }
}

const differenceLine = ({ path, actual, expected }: Difference): Line =>
  joined([own(path), line`expected ${received('expected', expected)}`, line`got ${received(path, actual)}`], ': ')

const getTrace = (id: string): Call => ({ verb: 'get', args: { id } })

const nothing = (what: string, { timeoutMs, since }: Waited): Answer => ({
  heading: own(`${what} within ${timeoutMs / 1000} s`),
  sections: [
    {
      heading: null,
      rows: [
        since === undefined
          ? own('earlier telemetry does not count; set a mark before you act, and pass it as since')
          : line`nothing that can be compared arrived after ${received('since', since)}`,
      ],
    },
  ],
  next: [
    { verb: 'status', args: {} },
    { verb: 'explain', args: {} },
  ],
})
