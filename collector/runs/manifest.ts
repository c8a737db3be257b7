import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { Judged, Report } from '../../lib/verdict/expectations/report'
import { boardPath } from '../../lib/verdict/verdict'
import { MANIFEST_FILE, type RecordedRun, runFactsSchema } from '../../lib/wire/run'
import { version } from '../../package.json'
import { DIGEST_VERSION } from '../index/files'
import { hasCode } from '../launch/processes.js'

/** The other files of a run, in its folder and in its archive. */
export const VERDICT_FILE = 'verdict.json'
export const DATABASE_FILES = ['spool.db', 'telemetry.db'] as const

/** Raised when an older Waystation could not read a new archive. */
const FORMAT = 1

/** Facts that no two runs share. */
const shardSchema = z.object({ url: z.string(), command: z.string(), startedAt: z.number(), endedAt: z.number() })
export type ShardFacts = z.infer<typeof shardSchema>

const manifestSchema = runFactsSchema.extend({
  format: z.literal(FORMAT),
  /** Versions that wrote it. `index` is the version of `telemetry.db`. */
  versions: z.object({ waystation: z.string(), node: z.string(), index: z.number() }),
  platform: z.string(),
  /** The address of its collector, to which links of its reports point. */
  url: z.string(),
  /** Of a merged run: the runs that it consists of. */
  shards: z.array(shardSchema).optional(),
  /** True after `--scrub`. */
  scrubbed: z.boolean(),
  /** Of an archive: its other files. */
  parts: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })).optional(),
})

/** The facts of a run, and how it ended. */
export type RunManifest = z.infer<typeof manifestSchema>

export const newManifest = (
  facts: Omit<RunManifest, 'format' | 'versions' | 'platform' | 'scrubbed' | 'parts'>,
): RunManifest => ({
  format: FORMAT,
  versions: { waystation: version, node: process.version, index: DIGEST_VERSION },
  platform: `${process.platform} ${process.arch}`,
  scrubbed: false,
  ...facts,
})

/** The verdict of a run, and what its tests reported. */
export interface RunVerdict {
  readonly report: Report
  /** Tests with their pages, as the kit for Playwright reported them, and entries of other kits. */
  readonly tests: readonly unknown[]
  readonly allowed: readonly unknown[]
  /** Tests that set a rate limit; missing in runs of earlier versions. */
  readonly limited?: readonly unknown[]
  /** Lines of the kits that could not be read. */
  readonly problems: readonly string[]
}

/**
 * Reads the manifest of a folder.
 * @returns `null` when there is none, as in the folder of a collector; a message for one that cannot be read
 */
export function readManifest(folder: string): Result<RunManifest | null, string> {
  const text = readIfThere(join(folder, MANIFEST_FILE))
  if (text === null) return succeed(null)
  const read = manifestSchema.safeParse(parseJson(text))
  if (read.success) return succeed(read.data)
  const [issue] = read.error.issues
  return fail(`its ${MANIFEST_FILE} cannot be read: ${issue?.path.join('.') || 'the file'}: ${issue?.message}`)
}

/** @throws the system error */
export const writeManifest = (folder: string, manifest: RunManifest): void =>
  writeFileSync(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })

/** The verdict of a folder; `null` when nothing was judged, or the file cannot be read. */
export function readVerdict(folder: string): RunVerdict | null {
  const text = readIfThere(join(folder, VERDICT_FILE))
  const parsed = text === null ? null : parseJson(text)
  if (typeof parsed !== 'object' || parsed === null || !('report' in parsed)) return null
  // Written by this module. Pages print it as text, whatever it contains.
  return parsed as RunVerdict
}

/** Findings that the boards show per check; the report of the run has more. */
const SHOWN_FINDINGS = 5

/** The run that a folder contains, for its boards; `null` for another folder, or when the manifest cannot be read. */
export function describeRun(folder: string): RecordedRun | null {
  const manifest = readManifest(folder)
  if (!manifest.ok || manifest.value === null) return null
  const { command, name, commit, startedAt, endedAt, exit, verdict } = manifest.value
  const report = readVerdict(folder)?.report
  return {
    ...{ command, name, commit, startedAt, endedAt, exit, verdict },
    reasons: [...(report?.reasons ?? [])],
    passed: (report?.judged ?? []).filter((one) => one.verdict.verdict === 'pass').length,
    checks: (report?.judged ?? []).flatMap(failedCheck).sort((a, b) => rankOf(a) - rankOf(b)),
  }
}

const rankOf = ({ severity }: RecordedRun['checks'][number]): number => (severity === 'error' ? 0 : 1)

function failedCheck({ id, title, severity, verdict }: Judged): RecordedRun['checks'] {
  if (verdict.verdict !== 'fail') return []
  const findings = verdict.findings.slice(0, SHOWN_FINDINGS).map(({ about, actual, expected, at }) => ({
    ...{ about, actual, expected },
    page: at === null ? null : boardPath(at),
  }))
  return [{ id, title, severity, found: verdict.found, findings }]
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
