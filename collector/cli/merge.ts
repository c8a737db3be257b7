import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { formatBytes, plainText, plural } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { attemptsOf } from '../../lib/verdict/arrival/attempts'
import { lastLine, programFailure } from '../../lib/verdict/reports/report-text'
import { terminalReport } from '../../lib/verdict/reports/terminal'
import { isRunName } from '../../lib/wire/run-text'
import { loadEnvironmentFiles } from '../launch/environment-files'
import { explainSystemError } from '../launch/explain-failure.js'
import { stoppedCode } from '../launch/stop-requests.js'
import {
  collectorsOf,
  mergedManifest,
  mergedReports,
  mergeRuns,
  openShard,
  type Shard,
  shardGaps,
  sharedRun,
  unrepeatableFailures,
} from '../runs/merge-runs'
import { saveRun } from '../runs/save-run'
import { runVerdict } from '../runs/suite-reports'
import { type ArgumentError, helpOrRefuse, parseArguments } from './arguments'
import { type CommandInput, messageLine, refuse } from './collector-connection'
import { NO_COLLECTOR, USAGE_ERROR, VERDICT_EXIT_CODES } from './exit-codes'
import { MERGE_FLAGS } from './flags.js'
import { gather } from './judge/gather'
import { judgeRecording } from './judge/judge-recording'
import { type JudgingArguments, type PlanWithBaseline, readJudgingArguments, readPlan } from './judge/judging-arguments'
import { prepareFile, prepareReports, writeReports } from './judge/write-reports'
import { readLossesOf } from './run/read-recording'
import { readRun } from './run-collector'
import { terminalOf } from './terminal'

/** `waystation merge`: writes several runs as one, and judges it. Returns the exit code. */
export async function command(input: CommandInput): Promise<number> {
  const read = readMergeArguments(input.words.slice(1))
  if (!read.ok) return helpOrRefuse('merge', read.error)
  const given = read.value
  const plan = await readPlan(given.judging, process.cwd())
  if (!plan.ok) return refuse(USAGE_ERROR, plan.error)
  if (existsSync(given.save))
    return refuse(USAGE_ERROR, [`--save ${given.save} exists: merge replaces no file, so delete it or choose another`])
  const prepared = prepareFile('--save', given.save)
  if (!prepared.ok) return refuse(USAGE_ERROR, [prepared.error])
  const writable = prepareReports(given.judging)
  if (!writable.ok) return refuse(USAGE_ERROR, [writable.error])
  loadEnvironmentFiles(input.root, false)
  const log = (line: string): void => {
    if (!given.judging.quiet) console.error(plainText(line))
  }
  const shards: Shard[] = []
  const folder = mkdtempSync(join(tmpdir(), 'waystation-merge-'))
  try {
    for (const path of given.paths) {
      const shard = await openShard(path, log)
      if (!shard.ok) return refuse(NO_COLLECTOR, [shard.error])
      shards.push(shard.value)
      if (input.stop.first.aborted) return stoppedCode(input.stop.first)
    }
    const shared = sharedRun(shards)
    if (shared !== null) return refuse(USAGE_ERROR, [shared])
    return await mergeShards(shards, folder, { input, given, plan: plan.value, log })
  } catch (cause) {
    if (input.stop.first.aborted) return stoppedCode(input.stop.first)
    const why = cause instanceof Error && 'syscall' in cause ? explainSystemError(cause) : messageLine(cause)
    return refuse(NO_COLLECTOR, [`The runs cannot be merged: ${why}.`])
  } finally {
    for (const { close } of shards) close()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Merge {
  readonly input: CommandInput
  readonly given: MergeArguments
  readonly plan: PlanWithBaseline
  readonly log: (line: string) => void
}

async function mergeShards(shards: readonly Shard[], folder: string, merge: Merge): Promise<number> {
  const { input, given, plan, log } = merge
  const { stop } = input
  const { submissions, duplicates } = mergeRuns(shards, folder, log)
  const manifest = mergedManifest(shards, given.name)
  const reports = mergedReports(shards)
  const observed = { ...reports, ...attemptsOf(reports.browsers), endedAt: manifest.endedAt }
  const contents = await readRun(folder, input, async (client) => {
    const collectorUrl = manifest.url
    const onProgress = (): void => undefined
    const gathered = await gather({ client, collectorUrl, stamp: null, after: null, stop: stop.first, onProgress })
    return { gathered, lossesOf: await readLossesOf(client, [...observed.earlier, ...observed.limited], stop.first) }
  })
  if (!contents.ok) return refuse(NO_COLLECTOR, [contents.error])
  const { gathered, lossesOf } = contents.value
  const now = Date.now()
  const { report } = judgeRecording(
    { ...gathered, given: { ...gathered.given, collectorUrl: collectorsOf(shards) } },
    {
      ...{ plan, observed, lossesOf, now, profile: null, browser: null },
      further: () => unrepeatableFailures(shards),
      moreGaps: (own) => shardGaps(shards, own),
    },
  )
  const saved = await saveRun(folder, given.save, {
    manifest: { ...manifest, verdict: report.verdict },
    verdict: runVerdict(report, reports),
    scrub: false,
  })
  const { quiet, writeBaseline } = given.judging
  const program = programFailure(manifest.exit)
  if (!quiet || report.verdict !== 'pass') {
    const terminal = { appUrl: manifest.url, writing: writeBaseline !== null, quiet, ...terminalOf(process.stdout) }
    process.stdout.write(terminalReport(report, terminal))
  }
  const twice = duplicates === 0 ? '' : `; ${plural(duplicates, 'submission')} that several runs have counted once`
  log(
    `${plural(shards.length, 'run')} with ${plural(submissions, 'submission')} merged into ${relative(process.cwd(), given.save)} (${formatBytes(saved.bytes)})${twice}.`,
  )
  const written = writeReports(report, { given: given.judging, env: process.env, now, log: console.error, program })
  if (!written.ok) return refuse(USAGE_ERROR, [written.error])
  if (writeBaseline === null) console.log(`\n${lastLine(report, program)}`)
  return program === null ? written.value : VERDICT_EXIT_CODES.fail
}

interface MergeArguments {
  readonly paths: readonly string[]
  /** Absolute. */
  readonly save: string
  readonly name: string | null
  readonly judging: JudgingArguments
}

/** @returns a message for a wrong argument */
export function readMergeArguments(args: readonly string[]): Result<MergeArguments, ArgumentError> {
  const parsed = parseArguments(args, MERGE_FLAGS)
  if (!parsed.ok) return parsed
  const { value, wrong, positionals: paths } = parsed.value
  const judging = readJudgingArguments(parsed.value)
  if (!judging.ok) return judging
  if (paths.length < 2) return fail(`merge requires two or more runs, files or folders, got ${JSON.stringify(paths)}`)
  const real = paths.map((path) => (existsSync(path) ? realpathSync(path) : resolve(path)))
  const again = paths.find((_, index) => real.indexOf(real[index] ?? '') !== index)
  if (again !== undefined) return fail(`${again} is given twice: a run is merged once`)
  const [save, name] = [value('--save'), value('--name')]
  if (save === null) return fail('merge requires --save with the file to write')
  if (name !== null && !isRunName(name)) return fail(wrong('--name'))
  return succeed({ paths, save: resolve(save), name, judging: judging.value })
}
