import { fail, type Result, succeed } from '../../lib/protocol/result'
import { runWithTimeout } from '../../lib/time'
import { differenceLines } from '../../lib/verdict/expectations/explain'
import { boardPath } from '../../lib/verdict/verdict'
import { stoppedCode } from '../launch/stop-requests.js'
import {
  ANSWER_TIMEOUT_MS,
  type AskedCollector,
  askedCollector,
  explainUnanswered,
  refuse,
  type Unanswered,
  WRONG_WORDS,
} from './asked-collector'
import type { CommandHandover } from './command-handover'
import { differencesFrom, nearestOf } from './conditions'
import { followRecorded } from './follow-recorded'
import { datedBy, journalSince } from './since'
import { waitingLine } from './terminal'
import { itemJson, itemLine, type ToldItem, toldItems } from './told-items'
import { readWaitWords, type WaitWords } from './wait-words'
import { WAIT_HELP } from './waystation-help.js'

const FOUND = 0
const NOT_FOUND = 1
/** For an answer, however short the wait is: a collector that is busy is not one that is away. */
const LEAST_TIMEOUT_MS = 5_000
/** Of those that came and were not it. */
const KEPT = 1000

/** `waystation wait`: waits for one item and prints it. @returns the exit code, as its help says */
export async function command({ root, words, stop, packaged }: CommandHandover): Promise<number> {
  const read = readWaitWords(words.slice(1), Date.now())
  if (!read.ok) return refuse(WRONG_WORDS, [read.error])
  if (read.value === 'help') {
    console.log(WAIT_HELP)
    return FOUND
  }
  const asked = read.value
  const collector = askedCollector(asked.url, { root, packaged })
  if (!collector.ok) return refuse(WRONG_WORDS, collector.error)
  const line = waitingLine()
  line.show(`for ${asked.wanted}`)
  const waited = await waitFor(asked, collector.value, stop.first)
  line.clear()
  if (!waited.ok) return refuse(waited.error.code, [waited.error.sentence])
  const { found, seen, localOnly } = waited.value
  if (found !== null) {
    console.log(asked.json ? itemJson(found) : itemLine(found, { localOnly }))
    const { appUrl } = collector.value
    if (!asked.json && appUrl !== null) console.error(`open ${appUrl}${boardPath(found)}`)
    return FOUND
  }
  if (stop.first.aborted) return stoppedCode(stop.first)
  return refuse(NOT_FOUND, explainMissing(asked, seen, collector.value))
}

/** What came of the kind that is waited for, and is not as it is wanted. */
interface Seen {
  readonly newest: readonly ToldItem[]
  /** With those that were let go. */
  readonly count: number
}

interface Waited {
  readonly found: ToldItem | null
  readonly seen: Seen
  readonly localOnly: boolean
}

async function waitFor(
  { kind, conditions, stamp, since, timeoutMs }: WaitWords,
  collector: AskedCollector,
  stop: AbortSignal,
): Promise<Result<Waited, Unanswered>> {
  const { client } = collector
  const newest: ToldItem[] = []
  let count = 0
  let localOnly = true
  const waited = (found: ToldItem | null): Waited => ({ found, seen: { newest, count }, localOnly })
  // Nobody who waits for a second is kept for half a minute by a collector that is frozen.
  const answerTimeoutMs = Math.min(ANSWER_TIMEOUT_MS, Math.max(timeoutMs, LEAST_TIMEOUT_MS))
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMs)
  try {
    const after = await journalSince(since, datedBy(client, stop, answerTimeoutMs))
    localOnly = (await runWithTimeout(answerTimeoutMs, stop, client.status)).upstreams.length === 0
    const given = { client, after, stamp, stop, late: late.signal, timeoutMs: answerTimeoutMs }
    for await (const { evidence } of followRecorded(given))
      for (const one of evidence)
        for (const told of toldItems(one, new Set([kind]))) {
          if (differencesFrom(told.value, conditions).length === 0) return succeed(waited(told))
          newest.push(told)
          count += 1
          if (newest.length > KEPT) newest.shift()
        }
    return succeed(waited(null))
  } catch (cause) {
    return stop.aborted ? succeed(waited(null)) : fail(explainUnanswered(cause, collector))
  } finally {
    clearTimeout(timer)
  }
}

/** What did not come, what came nearest and how it differs, and what may be missing. */
export function explainMissing(
  { kind, conditions, wanted, timeoutMs, stamp, since }: Omit<WaitWords, 'url' | 'json'>,
  { newest, count }: Seen,
  { appUrl }: Pick<AskedCollector, 'appUrl'>,
): readonly string[] {
  const inTime = `within ${timeoutMs / 1000} s`
  const looked = count > newest.length ? `the newest ${newest.length} of ${count} that came` : `${count} that came`
  const nearest = nearestOf(
    newest.map((told) => told.value),
    conditions,
  )
  const told = newest.find(({ value }) => value === nearest?.item)
  if (nearest === null || told === undefined)
    return [
      `No ${wanted} came ${inTime}${stamp === null ? '' : ` with the stamp ${stamp}`}, and no other ${kind} either.`,
      ...(since.from === 'now' ? ['What came before was not looked at: --since 0, or --since 5m, does.'] : []),
    ]
  return [
    `No ${wanted} came ${inTime}. Of ${looked} the nearest is ${told.name}:`,
    ...differenceLines(nearest.differences, []),
    ...nearest.almost.map(({ path }) => `  ${path}= wants the whole text, ${path}~ takes a part of it`),
    ...(appUrl === null ? [] : [`  open ${appUrl}${boardPath(told)}`]),
  ]
}
