import { copyFileSync, createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { unpackTar } from 'modern-tar/fs'
import { plainText } from '../../lib/format'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { FRAMES_FILE, MANIFEST_FILE } from '../../lib/wire/run'
import { openForWriting } from '../runtime/database'
import { explainMissingBinding, isMissingBinding } from '../runtime/native-binding'
import { migrate } from '../spool/files'
import { completeIndex, copyDatabases } from './copy-databases'
import { DATABASE_FILES, type RunManifest, type RunVerdict, readManifest, readVerdict, VERDICT_FILE } from './manifest'
import { partOf } from './save-run'

/** A run that was opened for reading. */
export interface OpenRun {
  /** A private copy with `spool.db` and `telemetry.db`; the index is complete and of this version. */
  readonly folder: string
  /** `null` for the folder of a collector that no command recorded. */
  readonly manifest: RunManifest | null
  /** `null` when nothing was judged. */
  readonly verdict: RunVerdict | null
  /** Removes the copy. */
  readonly close: () => void
}

/**
 * Opens a run: a file of `waystation run --save`, or the folder of a run or a collector, also while that is used. Works on a
 * copy in the temporary folder (mode 0700), so that nothing of the run can change.
 * @param log called with the progress of a long indexing @param needsIndex false leaves the index as it is
 * @returns a sentence about a path that is no run, or that is damaged
 */
export async function openRun(
  path: string,
  { log, needsIndex = true }: { readonly log: (line: string) => void; readonly needsIndex?: boolean },
): Promise<Result<OpenRun, string>> {
  const from = resolve(path)
  const found = statSync(from, { throwIfNoEntry: false })
  if (found === undefined) return fail(`${path} does not exist; expected a file of waystation run --save, or a folder`)
  if (found.isDirectory() && !existsSync(join(from, 'spool.db')))
    return fail(`${path} is not a run: the folder contains no spool.db`)
  const folder = mkdtempSync(join(tmpdir(), 'waystation-run-'))
  const close = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const manifest = found.isDirectory() ? readFolder(from, folder) : await extract(from, folder)
    if (!manifest.ok) {
      close()
      return fail(`${path} cannot be opened: ${manifest.error}`)
    }
    bringUpToDate(folder)
    if (needsIndex) completeIndex(folder, log)
    return succeed({
      folder,
      manifest: manifest.value,
      verdict: readVerdict(folder),
      close,
    })
  } catch (error) {
    close()
    return fail(`${path} cannot be opened: ${plainText(explain(error))}`)
  }
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return isMissingBinding(error) ? explainMissingBinding() : error.message
}

function readFolder(from: string, folder: string): Result<RunManifest | null, string> {
  const manifest = readManifest(from)
  if (!manifest.ok) return manifest
  copyDatabases(from, folder)
  for (const name of [MANIFEST_FILE, VERDICT_FILE])
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(folder, name))
  return manifest
}

/** Only these files are extracted, whatever the archive contains. */
const EXTRACTED = new Set<string>([MANIFEST_FILE, VERDICT_FILE, FRAMES_FILE, ...DATABASE_FILES])

async function extract(file: string, folder: string): Promise<Result<RunManifest, string>> {
  try {
    const filter = ({ name, type }: { readonly name: string; readonly type?: string }): boolean =>
      type === 'file' && EXTRACTED.has(name)
    await pipeline(createReadStream(file), unpackTar(folder, { filter, fmode: 0o600, dmode: 0o700 }))
  } catch (error) {
    return fail(`it is not a complete tar file (${error instanceof Error ? error.message : String(error)})`)
  }
  const manifest = readManifest(folder)
  if (!manifest.ok) return manifest
  if (manifest.value === null) return fail(`it contains no ${MANIFEST_FILE}, so waystation run --save did not write it`)
  const { parts = {} } = manifest.value
  for (const name of DATABASE_FILES) if (!(name in parts)) return fail(`its ${MANIFEST_FILE} names no ${name}`)
  for (const [name, { bytes, sha256 }] of Object.entries(parts)) {
    if (!EXTRACTED.has(name) || !existsSync(join(folder, name))) return fail(`it is incomplete: ${name} is missing`)
    const part = await partOf(join(folder, name))
    if (part.bytes !== bytes) return fail(`it is damaged: ${name} has ${part.bytes} bytes of ${bytes}`)
    if (part.sha256 !== sha256) return fail(`it is damaged: the SHA-256 of ${name} differs`)
  }
  return succeed(manifest.value)
}

/** Gives the record of an older version the tables of today. @throws when a newer version wrote it */
function bringUpToDate(folder: string): void {
  const db = openForWriting(join(folder, 'spool.db'), 'FULL')
  try {
    migrate(db)
  } finally {
    db.close()
  }
}
