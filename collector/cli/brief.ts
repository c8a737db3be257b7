import { type Answer, readCursor, renderAnswer } from '../../lib/ask/answer'
import type { Call } from '../../lib/ask/calls'
import { fail, type Result, succeed } from '../../lib/protocol/result'

/**
 * The call whose bounded answer `--brief` prints instead of the usual output, with all given flags; `null` without `--brief`.
 * @param given flags with their values; a switch has an empty one
 * @returns a message for a wrong cursor, and for `--json`, which excludes it
 */
export function readBrief(
  verb: string,
  given: ReadonlyMap<string, string>,
  positionals: Call['args'] = {},
): Result<Call | null, string> {
  const cursor = given.get('--cursor')
  if (!given.has('--brief')) return cursor === undefined ? succeed(null) : fail('--cursor requires --brief')
  if (given.has('--json')) return fail('--brief and --json exclude each other')
  if (readCursor(cursor) === null)
    return fail(`--cursor must be the cursor of an earlier answer, got ${JSON.stringify(cursor)}`)
  const flags = [...given].map(([flag, value]) => [flag.slice(2), value === '' ? true : value])
  return succeed({ verb, args: { ...positionals, ...Object.fromEntries(flags) } })
}

/** Prints the bounded answer of a verb. */
export const printBrief = (answer: Answer, call: Call): void =>
  void process.stdout.write(renderAnswer(answer, { asker: 'command', raw: false, call }))
