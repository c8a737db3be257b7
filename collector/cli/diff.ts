import type { Call } from '../../lib/ask/calls'
import { compareAnswer } from '../../lib/ask/compare-answer'
import { plainText } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { countDifferences, DIFF_KINDS, type DiffKind, diffRuns } from '../../lib/verdict/compare/diff'
import { diffHeadline, diffMarkdown, diffText } from '../../lib/verdict/compare/diff-text'
import type { RunData } from '../../lib/verdict/compare/run-data'
import { openRun } from '../runs/open-run'
import { readRunData } from '../runs/read-run-data'
import { type ArgumentError, helpOrRefuse, parseArguments } from './arguments'
import { printBrief, readBrief } from './brief'
import { type CommandInput, refuse } from './collector-connection'
import { NO_COLLECTOR, VERDICT_EXIT_CODES } from './exit-codes'
import { DIFF_FLAGS } from './flags.js'

/** `waystation diff`: compares a run with one or more earlier ones. Returns the exit code. */
export async function command({ words }: Pick<CommandInput, 'words'>): Promise<number> {
  const read = readDiffArguments(words.slice(1))
  if (!read.ok) return helpOrRefuse('diff', read.error)
  const { bases, head, failOn, format, brief } = read.value
  const before: RunData[] = []
  for (const path of bases) {
    const run = await openAndRead(path)
    if (!run.ok) return refuse(NO_COLLECTOR, [run.error])
    before.push(run.value)
  }
  const run = await openAndRead(head)
  if (!run.ok) return refuse(NO_COLLECTOR, [run.error])
  const diff = diffRuns(before, run.value)
  const counts = countDifferences(diff)
  if (brief !== null) printBrief(compareAnswer({ bases: before, head: run.value }), brief)
  else if (format === 'json') console.log(plainText(JSON.stringify({ ...diff, result: diffHeadline(diff), counts })))
  else process.stdout.write((format === 'markdown' ? diffMarkdown : diffText)(diff))
  return failOn.some((kind) => counts[kind] > 0) ? VERDICT_EXIT_CODES.fail : VERDICT_EXIT_CODES.pass
}

/** Reads a run of a file or folder. @returns why it cannot be opened */
export async function openAndRead(path: string): Promise<Result<RunData, string>> {
  const run = await openRun(path, { log: (line) => console.error(plainText(line)) })
  if (!run.ok) return run
  try {
    return succeed(readRunData(path, run.value))
  } catch (error) {
    return fail(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    run.value.close()
  }
}

interface DiffArguments {
  readonly bases: readonly string[]
  readonly head: string
  readonly failOn: readonly DiffKind[]
  readonly format: 'text' | 'markdown' | 'json'
  readonly brief: Call | null
}

/** @returns a message for a wrong argument */
export function readDiffArguments(args: readonly string[]): Result<DiffArguments, ArgumentError> {
  const parsed = parseArguments(args, DIFF_FLAGS)
  if (!parsed.ok) return parsed
  const { value, has, wrong, positionals } = parsed.value
  const [head, ...bases] = positionals.toReversed()
  if (head === undefined || bases.length === 0)
    return fail(`diff requires a base run and a run to compare, files or folders, got ${JSON.stringify(positionals)}`)
  if (has('--markdown') && has('--json')) return fail('--markdown and --json exclude each other')
  const [base, ...others] = bases
  const isPair = base !== undefined && others.length === 0
  const brief = readBrief(
    isPair ? 'compare' : ['diff', ...bases.toReversed(), head].join(' '),
    parsed.value.given,
    isPair ? { from: base, to: head } : {},
  )
  if (!brief.ok) return brief
  const names = (value('--fail-on') ?? DIFF_FLAGS['--fail-on'].default).split(',')
  const failOn = DIFF_KINDS.filter((kind) => names.includes(kind))
  const isNone = names.length === 1 && names[0] === 'none'
  if (!isNone && failOn.length !== names.length) return fail(wrong('--fail-on'))
  const format = has('--markdown') ? 'markdown' : has('--json') ? 'json' : 'text'
  return succeed({ bases: bases.reverse(), head, failOn, format, brief: brief.value })
}
