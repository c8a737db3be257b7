import { describeItems, itemJson, itemLine, readKinds } from '../../lib/ask/items/describe-items'
import { followRecorded } from '../../lib/ask/items/follow-recorded'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { runWithTimeout } from '../../lib/time'
import { stoppedCode } from '../launch/stop-requests.js'
import { type ArgumentError, helpOrRefuse, parseArguments, type QueryArguments, readQueryArguments } from './arguments'
import { ANSWER_TIMEOUT_MS, type CommandInput, connectCollector, refuse, refuseRequest } from './collector-connection'
import { USAGE_ERROR } from './exit-codes'
import { TAIL_FLAGS } from './flags.js'
import { followOutcomes } from './follow'
import { journalReader, journalSince, type Since } from './since'

/** `waystation tail`: prints a line for each item that arrives, until it is stopped. Returns the exit code. */
export async function command({ root, words, stop, packaged }: CommandInput): Promise<number> {
  const read = readTailArguments(words.slice(1), Date.now())
  if (!read.ok) return helpOrRefuse('tail', read.error)
  const { url, kinds, stamp, since, json } = read.value
  const connection = connectCollector(url, { root, packaged })
  if (!connection.ok) return refuse(USAGE_ERROR, connection.error)
  const { client } = connection.value
  const stopped = AbortSignal.any([stop.first, outputClosed()])
  try {
    const after = await journalSince(since, journalReader(client, stopped))
    const localOnly = (await runWithTimeout(ANSWER_TIMEOUT_MS, stopped, client.status)).upstreams.length === 0
    if (process.stderr.isTTY === true) console.error(`Following ${connection.value.url}; Ctrl-C ends it.`)
    const outcomes = followOutcomes({ client, stop: stopped, now: Date.now })
    const printOutcomes = localOnly ? null : outcomes.follow(after, (line) => console.log(json ? line.json : line.text))
    const printItems = async (): Promise<void> => {
      for await (const { evidence, damaged } of followRecorded({
        client,
        after,
        stamp,
        stop: stopped,
        timeoutMs: ANSWER_TIMEOUT_MS,
      })) {
        for (const item of evidence.flatMap((one) => describeItems(one, kinds))) {
          console.log(json ? itemJson(item) : itemLine(item, { localOnly }))
          if (!item.copy) outcomes.expect(item.seq)
        }
        for (const seq of damaged) console.error(`The stored bytes of envelope ${seq} cannot be read.`)
      }
    }
    await Promise.all([printItems(), printOutcomes])
  } catch (cause) {
    if (!stopped.aborted) return refuseRequest(cause, connection.value, stopped)
  }
  return stop.first.aborted ? stoppedCode(stop.first) : 0
}

/** Aborts when the reader of the output has ended, such as `head`. */
function outputClosed(): AbortSignal {
  const closed = new AbortController()
  process.stdout.once('error', () => closed.abort())
  process.stdout.once('close', () => closed.abort())
  return closed.signal
}

interface TailArguments extends QueryArguments {
  /** Empty: all except parts of other items. */
  readonly kinds: ReadonlySet<string>
  readonly since: Since
}

function readTailArguments(args: readonly string[], now: number): Result<TailArguments, ArgumentError> {
  const parsed = parseArguments(args, TAIL_FLAGS)
  if (!parsed.ok) return parsed
  const { value, positionals } = parsed.value
  const [positional] = positionals
  if (positional !== undefined)
    return fail(`unknown argument ${JSON.stringify(positional)}; select kinds with --kind, such as --kind error,log`)
  const kinds = readKinds(value('--kind'))
  if (!kinds.ok) return kinds
  const query = readQueryArguments(parsed.value, now)
  return query.ok ? succeed({ ...query.value, kinds: kinds.value, since: query.value.since ?? { from: 'now' } }) : query
}
