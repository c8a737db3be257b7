import { createHash } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { packTar } from 'modern-tar/fs'
import { FRAMES_FILE, MANIFEST_FILE } from '../../lib/wire/run'
import { completeIndex, copyDatabases } from './copy-databases'
import { DATABASE_FILES, type RunManifest, type RunVerdict, VERDICT_FILE, writeManifest } from './manifest'
import { scrubRun } from './scrub-run'

/** Writes manifest and verdict next to the databases of a run. @throws the system error */
export function writeRunFacts(folder: string, manifest: RunManifest, verdict: RunVerdict | null): void {
  writeManifest(folder, manifest)
  writeVerdict(folder, verdict)
}

function writeVerdict(folder: string, verdict: RunVerdict | null): void {
  if (verdict !== null) writeFileSync(join(folder, VERDICT_FILE), `${JSON.stringify(verdict)}\n`, { mode: 0o600 })
}

/** The bytes of an archive, and what scrubbing removed. */
export interface SavedRun {
  readonly bytes: number
  /** Records that were changed; `null` without scrubbing. */
  readonly scrubbed: number | null
}

/**
 * Packs the folder of a run into one tar file. The file gets its name when it is complete.
 * @param scrub removes secrets from the copy first; the folder keeps them
 * @throws the error of the system or of SQLite
 */
export async function saveRun(
  folder: string,
  file: string,
  facts: { readonly manifest: RunManifest; readonly verdict: RunVerdict | null; readonly scrub: boolean },
): Promise<SavedRun> {
  const copy = mkdtempSync(join(tmpdir(), 'waystation-save-'))
  const partial = `${file}.partial`
  try {
    copyDatabases(folder, copy)
    const scrubbed = facts.scrub ? scrubRun(copy, facts.verdict) : null
    completeIndex(copy, () => undefined)
    writeVerdict(copy, scrubbed === null ? facts.verdict : scrubbed.verdict)
    const names = [VERDICT_FILE, ...DATABASE_FILES, FRAMES_FILE].filter((name) => existsSync(join(copy, name)))
    const parts: Record<string, { bytes: number; sha256: string }> = {}
    for (const name of names) parts[name] = await partOf(join(copy, name))
    const manifest: RunManifest = { ...facts.manifest, scrubbed: facts.scrub || facts.manifest.scrubbed, parts }
    writeManifest(copy, manifest)
    const sources = [MANIFEST_FILE, ...names].map((name) => ({
      type: 'file' as const,
      source: join(copy, name),
      target: name,
      mode: 0o600,
      // The file does not contain the account that made it.
      uid: 0,
      gid: 0,
      uname: '',
      gname: '',
    }))
    await pipeline(packTar(sources), createWriteStream(partial, { mode: 0o600 }))
    renameSync(partial, file)
    return { bytes: statSync(file).size, scrubbed: scrubbed === null ? null : scrubbed.records }
  } finally {
    rmSync(copy, { recursive: true, force: true })
    rmSync(partial, { force: true })
  }
}

/** Length and SHA-256 of a file. */
export async function partOf(file: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file, { highWaterMark: READ_BYTES }), hash)
  return { bytes: statSync(file).size, sha256: hash.digest('hex') }
}

const READ_BYTES = 1024 * 1024
