import { POSITIONALS } from '../../../lib/ask/calls'
import { type Verb, validValues } from '../../../lib/ask/verb'
import type { GivenArguments } from '../../../lib/ask/verbs'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { type ArgumentError, parseArguments } from '../arguments'
import { VERB_COMMANDS } from '../commands.js'
import { describeFlags, type FlagTable, FOUND_COLLECTOR } from '../flags.js'

export interface AskArguments {
  readonly url: string | null
  readonly raw: boolean
  readonly given: GivenArguments
}

/** The flags of a verb: one for each of its arguments that is no positional one. */
function flagsOf({ name, properties }: Verb): FlagTable {
  const positionals = POSITIONALS[name] ?? []
  const flags = Object.entries(properties).filter(([property]) => !positionals.includes(property))
  return {
    ...Object.fromEntries(
      flags.map(([property, of]) => [
        `--${property}`,
        {
          about: of.description ?? 'continues an earlier answer',
          ...(of.type === 'boolean' ? {} : { value: property.toUpperCase() }),
          ...(of.type === 'integer' && of.default !== undefined ? { default: String(of.default) } : {}),
          ...(of.enum === undefined && of.type !== 'integer' ? {} : { valid: validValues(of) }),
        },
      ]),
    ),
    '--raw': { about: 'leaves secrets and personal data in the answer' },
    '--url': { value: 'URL', about: 'address of the collector', default: FOUND_COLLECTOR },
  }
}

/** Reads the arguments of a command. The verb checks their values. The last positional one may have several words. */
export function readAskArguments(verb: Verb, args: readonly string[]): Result<AskArguments, ArgumentError> {
  const flags = flagsOf(verb)
  const parsed = parseArguments(args, flags)
  if (!parsed.ok) return parsed
  const { value, has, positionals: words } = parsed.value
  const names = POSITIONALS[verb.name] ?? []
  const isLong = names.length > 1
  if (words.length > names.length && !isLong)
    return fail(`unknown argument ${JSON.stringify(words[names.length])}; ${usageOf(verb)}`)
  const last = names.length - 1
  const positionals = names.flatMap((name, index) => {
    const word = index === last && isLong ? words.slice(index).join(' ') : words[index]
    return word === undefined || word === '' ? [] : [[name, word] as const]
  })
  const flagged = Object.entries(verb.properties).flatMap(([name, { type }]) => {
    if (!has(`--${name}`)) return []
    const text = value(`--${name}`) ?? ''
    const number = Number(text)
    return [[name, type === 'boolean' ? true : type === 'integer' && Number.isFinite(number) ? number : text] as const]
  })
  return succeed({
    url: value('--url'),
    raw: has('--raw'),
    given: Object.fromEntries([...positionals, ...flagged]),
  })
}

function usageOf({ name, required }: Verb): string {
  const words = (POSITIONALS[name] ?? []).map((word) =>
    required.includes(word) ? word.toUpperCase() : `[${word.toUpperCase()}]`,
  )
  return ['waystation', name, ...words, '[FLAG…]'].join(' ')
}

/** The text of `waystation VERB --help`. */
export const askHelp = (verb: Verb): string =>
  [
    usageOf(verb),
    VERB_COMMANDS[verb.name] ?? verb.description,
    ...(POSITIONALS[verb.name] ?? []).flatMap((name) => {
      const of = verb.properties[name]
      return of === undefined ? [] : [`${name.toUpperCase()}: ${of.description ?? validValues(of)}`]
    }),
    describeFlags(flagsOf(verb)),
    'The answer is Markdown of at most 12,000 bytes, scrubbed, for people and agents alike. docs/agents.md describes it.',
    'Exit code: 0 answered, 1 not found or a failed verdict, 2 wrong argument or setting, 3 no collector answers, or not judged.',
  ].join('\n\n')
