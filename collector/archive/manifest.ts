import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { Report } from '../../lib/verdict/expectations/report'

/** The files of a run, in its folder and in its archive. */
export const MANIFEST_FILE = 'manifest.json'
export const VERDICT_FILE = 'verdict.json'
export const DATABASE_FILES = ['spool.db', 'telemetry.db'] as const

/** Raised when an older Waystation could not read a new archive. */
const FORMAT = 1

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  /** Versions that wrote it. `index` is the version of `telemetry.db`. */
  versions: z.object({ waystation: z.string(), node: z.string(), index: z.number() }),
  platform: z.string(),
  /** The program with its arguments, without their secrets. */
  command: z.string(),
  name: z.string().nullable(),
  /** The commit of the working directory; `null` outside of a repository. */
  commit: z.string().nullable(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  endedAt: z.number(),
  /** How the program ended. */
  exit: z.object({ code: z.number(), signal: z.string().nullable() }),
  /** `null` when nothing was judged. */
  verdict: z.enum(['pass', 'fail', 'incomplete']).nullable(),
  /** True after `--scrub`. */
  scrubbed: z.boolean(),
  /** Of an archive: its other files. */
  parts: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })).optional(),
})

/** What a run was, and how it ended. */
export type RunManifest = z.infer<typeof manifestSchema>

export const newManifest = (facts: Omit<RunManifest, 'format' | 'platform' | 'scrubbed'>): RunManifest => ({
  format: FORMAT,
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

/** The verdict of a folder; `null` when nothing was judged, or the file cannot be read. */
export function readVerdict(folder: string): RunVerdict | null {
  const text = readIfThere(join(folder, VERDICT_FILE))
  const parsed = text === null ? null : parseJson(text)
  if (typeof parsed !== 'object' || parsed === null || !('report' in parsed)) return null
  // Written by this module. Pages print it as text, whatever it contains.
  return parsed as RunVerdict
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
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
