import { readEnvironment } from '../../lib/config/environment'
import { dataFolder } from '../../lib/config/folders'
import { formatBytes, formatDurationMs, plainText } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { isRunName, MOST_RUN_NAME_CHARACTERS } from '../../lib/wire/run-text'
import { loadEnvironmentFiles } from '../launch/environment-files'
import { RECORDINGS_KEPT } from '../runs/run-folder'
import { deleteRun, findRun, type ListedRun, listRuns, nameRun, pinRun, unpinRun } from '../runs/run-list'
import { type ArgumentError, helpOrRefuse, parseArguments } from './arguments'
import { type CommandInput, refuse } from './collector-connection'
import { USAGE_ERROR } from './exit-codes'
import { RUNS_FLAGS } from './flags.js'
import { command as show } from './show'

/** `waystation runs`: lists the runs of a data folder, and pins, names, deletes or opens one. Returns the exit code. */
export async function command(input: CommandInput): Promise<number> {
  const read = readRunsArguments(input.words.slice(1))
  if (!read.ok) return helpOrRefuse('runs', read.error)
  const { action, reference, name, data, json } = read.value
  loadEnvironmentFiles(input.root, false)
  const environment = readEnvironment(process.env)
  const configured = data ?? (environment.ok ? environment.value.dataFolder : null)
  const folder = dataFolder(configured, data === null ? input.root : process.cwd())
  const runs = listRuns(folder)
  if (action === 'list') {
    console.log(plainTextLines(json ? JSON.stringify(runs) : tableOf(runs, folder)))
    return 0
  }
  const found = findRun(runs, reference)
  if (!found.ok) return refuse(USAGE_ERROR, [`${found.error}; waystation runs lists them`])
  const run = found.value
  if (action === 'open') return show({ ...input, words: ['show', run.folder, '--open'] })
  const done = change(action, run, name)
  if (!done.ok) return refuse(USAGE_ERROR, [done.error])
  console.error(plainText(done.value))
  return 0
}

function change(action: 'pin' | 'unpin' | 'name' | 'delete', run: ListedRun, name: string): Result<string, string> {
  switch (action) {
    case 'pin':
      pinRun(run)
      return succeed(`${run.id} is pinned: it stays until you delete or unpin it.`)
    case 'unpin':
      unpinRun(run)
      return succeed(`${run.id} is one of the newest ${RECORDINGS_KEPT} again, or will be removed.`)
    case 'name': {
      const named = nameRun(run, name)
      return named.ok ? succeed(`${run.id} has the name ${name}.`) : named
    }
    case 'delete': {
      const deleted = deleteRun(run)
      return deleted.ok ? succeed(`${run.id} is deleted.`) : deleted
    }
  }
}

/** A table: number, id, how it ended, size, name or command. */
function tableOf(runs: readonly ListedRun[], folder: string): string {
  if (runs.length === 0) return `No runs in ${folder}. waystation run -- CMD records one.`
  const rows = runs.map((run, index) => [
    String(index + 1),
    run.id,
    run.isPinned ? 'pinned' : '',
    endOf(run),
    run.facts === null ? '' : formatDurationMs(run.facts.endedAt - run.facts.startedAt),
    formatBytes(run.bytes),
    run.facts?.name ?? run.facts?.command ?? '',
  ])
  const head = ['', 'run', '', 'end', 'time', 'size', 'name or command']
  const widths = head.map((text, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0), text.length),
  )
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function endOf({ facts, isRecording }: ListedRun): string {
  if (isRecording) return 'recording'
  if (facts === null) return 'killed'
  const code = facts.exit.signal ?? `code ${facts.exit.code}`
  return facts.verdict === null ? `${code}, not judged` : `${code}, ${facts.verdict}`
}

const plainTextLines = (text: string): string => text.split('\n').map(plainText).join('\n')

const ACTIONS = ['list', 'pin', 'unpin', 'name', 'delete', 'open'] as const
type Action = (typeof ACTIONS)[number]

interface RunsArguments {
  readonly action: Action
  readonly reference: string
  /** The new name for `name`; empty otherwise. */
  readonly name: string
  readonly data: string | null
  readonly json: boolean
}

/** @returns a message for a wrong argument */
export function readRunsArguments(args: readonly string[]): Result<RunsArguments, ArgumentError> {
  const parsed = parseArguments(args, RUNS_FLAGS)
  if (!parsed.ok) return parsed
  const { value, has, positionals } = parsed.value
  const [word = 'list', reference = '', name = '', ...others] = positionals
  const action = ACTIONS.find((one) => one === word)
  const needs = action === 'list' ? 0 : action === 'name' ? 2 : 1
  if (action === undefined) return fail(`runs does ${ACTIONS.join(', ')}, got ${JSON.stringify(word)}`)
  if (positionals.length !== (positionals.length === 0 ? 0 : 1 + needs) || others.length > 0)
    return fail(`runs ${action} requires ${['nothing else', 'a run', 'a run and a name'][needs]}`)
  if (action === 'name' && !isRunName(name))
    return fail(`a name must have 1 to ${MOST_RUN_NAME_CHARACTERS} characters, got ${JSON.stringify(name)}`)
  return succeed({ action, reference, name, data: value('--data'), json: has('--json') })
}
