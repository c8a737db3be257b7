import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { BUFFERED_MS } from '../../lib/verdict/arrival/server-answers'
import type { Judged } from '../../lib/verdict/expectations/report'
import { privacyRule } from '../../lib/verdict/rules/privacy'
import { FRAMES_FILE } from '../../lib/wire/run'
import { openForWriting } from '../runtime/database'
import { type MergedSpools, mergeSpools } from '../spool/files'
import { completeIndex } from './copy-databases'
import { newManifest, type RunManifest, type ShardFacts, VERDICT_FILE } from './manifest'
import { type OpenRun, openRun } from './open-run'
import { isBeingWritten } from './run-folder'
import { type SuiteReports, suiteReportsOf } from './suite-reports'

/** A run that is merged with others. */
export interface Shard extends Pick<OpenRun, 'folder' | 'verdict' | 'close'> {
  /** As a person gave it. */
  readonly path: string
  readonly manifest: RunManifest
}

/** Opens a run that has ended. @returns a message for anything else */
export async function openShard(path: string, log: (line: string) => void): Promise<Result<Shard, string>> {
  if (isBeingWritten(path)) return fail(`${path} is still being recorded: wait until its command ends`)
  const run = await openRun(path, { log, needsIndex: false })
  if (!run.ok) return run
  const { manifest } = run.value
  if (manifest !== null) return succeed({ ...run.value, path, manifest })
  run.value.close()
  return fail(`${path} is no run that has ended: it contains no manifest.json, which waystation run writes at its end`)
}

/** The runs of a shard: itself, or those that were merged into it. */
const runsOf = ({ manifest: { shards, url, command, startedAt, endedAt } }: Shard): readonly ShardFacts[] =>
  shards ?? [{ url, command, startedAt, endedAt }]

/**
 * Why these runs cannot be merged: two of them are or contain the same run, perhaps as a folder and as a file. Its totals of
 * evicted submissions and refusals would count twice. `null` when there is no such run.
 */
export function sharedRun(shards: readonly Shard[]): string | null {
  const seen = new Map<string, Shard>()
  for (const shard of shards)
    for (const { url, command, startedAt, endedAt } of runsOf(shard)) {
      const key = JSON.stringify([url, command, startedAt, endedAt])
      const other = seen.get(key)
      if (other !== undefined && other.manifest.shards === undefined && shard.manifest.shards === undefined)
        return `${other.path} and ${shard.path} are the same run: give it once`
      if (other !== undefined)
        return `${other.path} and ${shard.path} both contain the run of ${command} that started ${new Date(startedAt).toISOString()}: merge its shards once, without merged runs that share one`
      seen.set(key, shard)
    }
  return null
}

/**
 * Writes the record, the index and the mapped frames of all shards into an empty folder.
 * @param log called with the progress @throws the error of SQLite or of the system
 */
export function mergeRuns(shards: readonly Shard[], folder: string, log: (line: string) => void): MergedSpools {
  const folders = shards.map((shard) => shard.folder)
  const merged = mergeSpools(folders, folder, (done, of) => log(`merging: ${done} of ${of} submissions`))
  mergeFrames(folders, join(folder, FRAMES_FILE))
  completeIndex(folder, log)
  return merged
}

/** An event has one id in all shards, so the first answer stays. */
function mergeFrames(folders: readonly string[], file: string): void {
  const found = folders.map((folder) => join(folder, FRAMES_FILE)).filter((path) => existsSync(path))
  if (found.length === 0) return
  const db = openForWriting(file, 'NORMAL')
  try {
    for (const [index, path] of found.entries()) {
      db.prepare('ATTACH ? AS shard').run(path)
      if (index === 0) {
        const sql = "SELECT sql FROM shard.sqlite_schema WHERE type = 'table' AND name = 'mapped_frames'"
        db.exec(String(db.prepare(sql).pluck().get()))
      }
      db.exec('INSERT OR IGNORE INTO mapped_frames SELECT * FROM shard.mapped_frames')
      db.exec('DETACH shard')
    }
  } finally {
    db.close()
  }
}

/** The facts of a merged run: from the first start to the last end, and the first program that failed. */
export function mergedManifest(shards: readonly Shard[], name: string | null): RunManifest {
  const facts = shards.map(({ manifest }) => manifest)
  const only = <Value>(values: readonly Value[]): Value | null =>
    new Set(values).size === 1 ? (values[0] ?? null) : null
  const failed = facts.find(({ exit }) => exit.code !== 0 || exit.signal !== null)
  return {
    ...newManifest({
      command: [...new Set(facts.map(({ command }) => command))].join('; '),
      name,
      url: facts[0]?.url ?? '',
      shards: shards.flatMap(runsOf),
      commit: only(facts.map(({ commit }) => commit)),
      startedAt: Math.min(...facts.map(({ startedAt }) => startedAt)),
      endedAt: Math.max(...facts.map(({ endedAt }) => endedAt)),
      exit: failed?.exit ?? { code: 0, signal: null },
      verdict: null,
    }),
    scrubbed: facts.every(({ scrubbed }) => scrubbed),
  }
}

/** The addresses of the collectors that recorded the shards. */
export const collectorsOf = (shards: readonly Shard[]): string[] => [
  ...new Set(shards.flatMap(runsOf).map(({ url }) => url)),
]

/**
 * The reports of the tests of all shards, of each stamp once. Equal tests of two shards stay two tests, and none is a retry
 * of the other. Requests at the end of a shard may be unsent by its server, so they are left out.
 */
export function mergedReports(shards: readonly Shard[]): SuiteReports {
  const stamps = new Set<string>()
  const all = shards.map(({ verdict, manifest: { endedAt } }, index) => {
    const reports = verdict === null ? NO_REPORTS : suiteReportsOf(verdict)
    const browsers = reports.browsers.flatMap((test) => {
      if (stamps.has(test.stamp)) return []
      stamps.add(test.stamp)
      const traced = test.traced.filter((request) => endedAt - request.endedAt > BUFFERED_MS)
      return [{ ...test, testId: `${index} ${test.testId}`, traced }]
    })
    return { ...reports, browsers }
  })
  return {
    browsers: all.flatMap(({ browsers }) => browsers),
    allows: all.flatMap(({ allows }) => allows),
    limited: all.flatMap(({ limited }) => limited),
    problems: all.flatMap(({ problems }) => problems),
  }
}

const NO_REPORTS: SuiteReports = { browsers: [], allows: [], limited: [], problems: [] }

/** Why the verdict about the shards is incomplete, beside what judging them together finds. */
export const shardGaps = (shards: readonly Shard[], own: readonly string[]): readonly string[] =>
  shards.flatMap(({ path, verdict }) =>
    verdict === null
      ? [`${path} has no ${VERDICT_FILE}, so what its tests reported is unknown: record it without --no-check`]
      : verdict.report.gaps.filter((gap) => !own.includes(gap)).map((gap) => `${path}: ${gap}`),
  )

/** Failed checks that the merged record cannot repeat: comparisons with a profile, and secrets that were scrubbed since. */
export const unrepeatableFailures = (shards: readonly Shard[]): readonly Judged[] =>
  shards.flatMap(({ verdict, manifest: { scrubbed } }) =>
    (verdict?.report.judged ?? []).filter(
      (one) => one.verdict.verdict === 'fail' && (one.group === 'profile' || (scrubbed && one.id === privacyRule.id)),
    ),
  )
