import { hintAt } from '../../lib/config/nearest'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { runWithTimeout } from '../../lib/time'
import { stoppedCode } from '../launch/stop-requests.js'
import { ANSWER_TIMEOUT_MS, askedCollector, explainUnanswered, refuse, WRONG_WORDS } from './asked-collector'
import { ASKING_FLAGS, type AskingWords, readAsking } from './asking-words'
import type { CommandHandover } from './command-handover'
import { readFlags } from './flags'
import { followOutcomes } from './follow-outcomes'
import { followRecorded } from './follow-recorded'
import { datedBy, journalSince, type Since } from './since'
import { ITEM_KINDS, itemJson, itemKind, itemLine, toldItems } from './told-items'
import { TAIL_HELP } from './waystation-help.js'

/** What tail takes, and what stands behind it. */
export const TAIL_FLAGS = {
  ...ASKING_FLAGS,
  '--kind': `kinds, separated by commas: ${ITEM_KINDS.join(', ')}`,
} as const

interface TailWords extends AskingWords {
  /** Empty: all that are no parts of another. */
  readonly kinds: ReadonlySet<string>
  readonly since: Since
}

/** `waystation tail`: prints what arrives, until it is stopped. @returns the exit code, as its help says */
export async function command({ root, words, stop, packaged }: CommandHandover): Promise<number> {
  const read = readTailWords(words.slice(1), Date.now())
  if (!read.ok) return refuse(WRONG_WORDS, [read.error])
  if (read.value === 'help') {
    console.log(TAIL_HELP)
    return 0
  }
  const { url, kinds, stamp, since, json } = read.value
  const collector = askedCollector(url, { root, packaged })
  if (!collector.ok) return refuse(WRONG_WORDS, collector.error)
  const { client } = collector.value
  const stopped = unread(stop.first)
  try {
    const after = await journalSince(since, datedBy(client, stopped))
    const localOnly = (await runWithTimeout(ANSWER_TIMEOUT_MS, stopped, client.status)).upstreams.length === 0
    if (process.stderr.isTTY === true) console.error(`Following ${collector.value.url}; Ctrl-C ends it.`)
    const outcomes = followOutcomes({ client, stop: stopped, now: Date.now })
    const ending = localOnly ? null : outcomes.follow(after, (line) => console.log(json ? line.json : line.text))
    const items = async (): Promise<void> => {
      for await (const { evidence, damaged } of followRecorded({ client, after, stamp, stop: stopped })) {
        for (const told of evidence.flatMap((one) => toldItems(one, kinds))) {
          console.log(json ? itemJson(told) : itemLine(told, { localOnly }))
          if (!told.copy) outcomes.expect(told.seq)
        }
        for (const seq of damaged) console.error(`Envelope ${seq} cannot be read any more.`)
      }
    }
    await Promise.all([items(), ending])
  } catch (cause) {
    if (!stopped.aborted) {
      const { code, sentence } = explainUnanswered(cause, collector.value)
      return refuse(code, [sentence])
    }
  }
  return stop.first.aborted ? stoppedCode(stop.first) : 0
}

/** Aborts as well when nobody reads our lines any more, as behind `head`. */
function unread(stop: AbortSignal): AbortSignal {
  const gone = new AbortController()
  process.stdout.once('error', () => gone.abort())
  process.stdout.once('close', () => gone.abort())
  return AbortSignal.any([stop, gone.signal])
}

/** @param now ms since the epoch. @returns what was typed; `help`; or a sentence that says what was meant */
function readTailWords(typed: readonly string[], now: number): Result<TailWords | 'help', string> {
  const read = readFlags(typed, { table: TAIL_FLAGS })
  if (!read.ok) return read
  const { help, value, words } = read.value
  if (help) return succeed('help')
  if (words.length > 0)
    return fail(`${JSON.stringify(words[0])} is not understood: kinds are named by --kind, such as --kind error,log.`)
  const kinds = new Set<string>()
  for (const typedKind of value('--kind')?.split(',') ?? []) {
    const kind = itemKind(typedKind.trim())
    if (kind === null) return fail(`There is no kind ${JSON.stringify(typedKind)}: ${hintAt(typedKind, ITEM_KINDS)}`)
    kinds.add(kind)
  }
  const asking = readAsking(read.value, now)
  if (!asking.ok) return asking
  return succeed({ ...asking.value, kinds, since: asking.value.since ?? { from: 'now' } })
}
