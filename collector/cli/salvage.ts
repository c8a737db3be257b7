import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeFolder } from '../../lib/config/folders'
import { plainText } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { explainSystemError } from '../launch/explain-failure.js'
import { explainMissingBinding, isMissingBinding } from '../runtime/native-binding'
import { lockFolder, type SalvageReport, salvageFolder } from '../spool/files'
import { type ArgumentError, helpOrRefuse, parseArguments } from './arguments'
import { type CommandInput, refuse } from './collector-connection'
import { USAGE_ERROR, VERDICT_EXIT_CODES } from './exit-codes'
import { SALVAGE_FLAGS } from './flags.js'

/** Record numbers that the report lists. */
const MOST_LISTED = 20

/** `waystation salvage`: copies the readable part of a data folder to a new one. Returns the exit code. */
export async function command({ words }: Pick<CommandInput, 'words'>): Promise<number> {
  const read = readSalvageArguments(words.slice(1))
  if (!read.ok) return helpOrRefuse('salvage', read.error)
  const { from, to } = read.value
  const wrong = problemOf(from, to)
  if (wrong !== null) return refuse(USAGE_ERROR, [wrong])
  return salvage(from, to)
}

function salvage(from: string, to: string): number {
  try {
    const unlock = lockFolder(from)
    try {
      makeFolder(to)
      const report = salvageFolder(from, to)
      if (report === null)
        return refuse(VERDICT_EXIT_CODES.incomplete, [
          `${join(from, 'spool.db')} contains no readable table: put back a copy`,
        ])
      for (const line of describeReport(report, from, to)) console.log(plainText(line))
      return isWhole(report) ? VERDICT_EXIT_CODES.pass : VERDICT_EXIT_CODES.fail
    } finally {
      unlock()
    }
  } catch (error) {
    return refuse(VERDICT_EXIT_CODES.incomplete, [`${from} could not be copied to ${to}: ${explain(error)}`])
  }
}

function explain(error: unknown): string {
  if (!(error instanceof Error) || 'syscall' in error) return explainSystemError(error)
  return isMissingBinding(error) ? explainMissingBinding() : error.message
}

const isWhole = ({ incomplete, damaged, lostPending }: SalvageReport): boolean =>
  incomplete.length + damaged.length + lostPending === 0

/** @returns the folders as absolute paths */
export function readSalvageArguments(
  args: readonly string[],
): Result<{ readonly from: string; readonly to: string }, ArgumentError> {
  const parsed = parseArguments(args, SALVAGE_FLAGS)
  if (!parsed.ok) return parsed
  const { positionals, value } = parsed.value
  const [from, ...others] = positionals
  const to = value('--to')
  if (from === undefined || others.length > 0)
    return fail(`salvage requires one data folder, got ${JSON.stringify(positionals)}`)
  if (to === null) return fail('salvage requires --to with a new or empty folder')
  return succeed({ from: resolve(from), to: resolve(to) })
}

function problemOf(from: string, to: string): string | null {
  if (!existsSync(join(from, 'spool.db'))) return `${from} is not a data folder: it contains no spool.db`
  const found = existsSync(to) ? readdirSync(to) : []
  return found.length === 0 ? null : `--to must be a new or empty folder, but ${to} contains ${found[0]}`
}

/** The report as lines of text. */
export function describeReport(report: SalvageReport, from: string, to: string): readonly string[] {
  const { rows, incomplete, unreadable, damaged, pending, lostPending, pendingAgain } = report
  const copied = rows.get('submissions') ?? 0
  return [
    `Copied ${count(copied, 'record')} from ${from} to ${to}, ${pending} of them pending.`,
    ...(isWhole(report) ? ['Every table could be read.'] : []),
    ...(incomplete.length === 0 ? [] : [`Tables that could not be read completely: ${incomplete.join(', ')}.`]),
    ...(unreadable.length === 0
      ? []
      : [
          `Lost: up to ${count(unreadable.length, 'record')} on damaged pages (numbers ${listed(unreadable)}); evicted ones are counted, too.`,
        ]),
    ...(lostPending === 0 ? [] : [`Lost: ${count(lostPending, 'record')} that had not been delivered.`]),
    ...(damaged.length === 0
      ? []
      : [
          `Copied with a wrong checksum: ${count(damaged.length, 'record')} (${listed(damaged)}); pending ones end as damaged_record and are not relayed.`,
        ]),
    ...(pendingAgain === 0 ? [] : [`Pending again, because no outcome was found: ${count(pendingAgain, 'record')}.`]),
    `Start with WAYSTATION_DATA=${to}. The index is built at the start. ${from} is unchanged.`,
  ]
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

const listed = (numbers: readonly number[]): string =>
  numbers.length <= MOST_LISTED ? numbers.join(', ') : `${numbers.slice(0, MOST_LISTED).join(', ')}, …`
