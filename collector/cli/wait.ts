import { differenceLines } from '../../lib/expectations/explain'
import { pathOf } from '../../lib/expectations/links'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { type AskedCollector, askedCollector, explainUnanswered, refuse, type Unanswered } from './asked-collector'
import type { CommandHandover } from './command-handover'
import { differencesFrom, nearestOf } from './conditions'
import { followRecorded } from './follow-recorded'
import { datedBy, journalSince } from './since'
import { itemJson, itemLine, type ToldItem, toldItems } from './told-items'
import { readWaitWords, type WaitWords } from './wait-words'
import { waitingLine } from './waiting-line'
import { WAIT_HELP } from './waystation-help.js'

const FOUND = 0
const NOT_FOUND = 1
const WRONG_WORDS = 2
const INTERRUPTED = 130
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
  const late = AbortSignal.timeout(asked.timeoutMs)
  const line = waitingLine()
  line.show(`for ${asked.wanted}`)
  const waited = await waitFor(asked, collector.value, { stop: stop.first, late })
  line.clear()
  if (!waited.ok) return refuse(waited.error.code, [waited.error.sentence])
  const { found, others, localOnly } = waited.value
  if (found !== null) {
    console.log(asked.json ? itemJson(found) : itemLine(found, { localOnly }))
    const { appUrl } = collector.value
    if (!asked.json && appUrl !== null) console.error(`open ${appUrl}${pathOf(found)}`)
    return FOUND
  }
  if (stop.first.aborted) return INTERRUPTED
  return refuse(NOT_FOUND, explainMissing(asked, others, collector.value))
}

interface Waited {
  readonly found: ToldItem | null
  /** Of the kind that is waited for, and not as it is wanted: the newest. */
  readonly others: readonly ToldItem[]
  readonly localOnly: boolean
}

async function waitFor(
  { kind, conditions, stamp, since }: WaitWords,
  collector: AskedCollector,
  { stop, late }: { readonly stop: AbortSignal; readonly late: AbortSignal },
): Promise<Result<Waited, Unanswered>> {
  const { client } = collector
  const others: ToldItem[] = []
  let localOnly = true
  try {
    const after = await journalSince(since, datedBy(client, stop))
    localOnly = (await client.standing(stop)).upstreams.length === 0
    for await (const { evidence } of followRecorded({ client, after, stamp, stop, late }))
      for (const one of evidence)
        for (const told of toldItems(one, new Set([kind]))) {
          if (differencesFrom(told.value, conditions).length === 0) return succeed({ found: told, others, localOnly })
          others.push(told)
          if (others.length > KEPT) others.shift()
        }
    return succeed({ found: null, others, localOnly })
  } catch (cause) {
    return stop.aborted ? succeed({ found: null, others, localOnly }) : fail(explainUnanswered(cause, collector))
  }
}

/** What did not come, what came nearest and how it differs, and what may be missing. */
function explainMissing(
  { kind, conditions, wanted, timeoutMs, stamp, since }: WaitWords,
  others: readonly ToldItem[],
  { appUrl }: AskedCollector,
): readonly string[] {
  const within = `within ${timeoutMs / 1000} s`
  const nearest = nearestOf(
    others.map((told) => told.value),
    conditions,
  )
  const told = others.find(({ value }) => value === nearest?.item)
  if (nearest === null || told === undefined)
    return [
      `No ${wanted} came ${within}${stamp === null ? '' : ` with the stamp ${stamp}`}, and no other ${kind} either.`,
      ...(since.from === 'now' ? ['What came before was not looked at: --since 0, or --since 5m, does.'] : []),
    ]
  return [
    `No ${wanted} came ${within}. Of ${others.length} that came the nearest is ${told.name}:`,
    ...differenceLines(nearest.differences, []),
    ...(appUrl === null ? [] : [`  open ${appUrl}${pathOf(told)}`]),
  ]
}
