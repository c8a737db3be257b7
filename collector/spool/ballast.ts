import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Enough for the log of the transactions that make room. */
export const BALLAST_BYTES = 4 * 1024 * 1024
/** The disk must have so much beside it before the ballast is taken aboard. */
const ROOM_BESIDE_BYTES = 8 * 1024 * 1024

/**
 * A file that is only there to be thrown away. Deleting from a database needs room on the disk; on a disk that is full
 * this is where that room comes from.
 */
export class Ballast {
  readonly #folder: string
  readonly #path: string

  constructor(folder: string) {
    this.#folder = folder
    this.#path = join(folder, 'ballast')
  }

  get released(): boolean {
    return !(statSync(this.#path, { throwIfNoEntry: false })?.size === BALLAST_BYTES)
  }

  /** Writes it where it is missing and the disk has room. @returns whether it is there. */
  take(): boolean {
    if (!this.released) return true
    try {
      const { bavail, bsize } = statfsSync(this.#folder)
      if (bavail * bsize < BALLAST_BYTES + ROOM_BESIDE_BYTES) return false
      this.#write()
      return true
    } catch {
      // A disk that fills up meanwhile: half a ballast is none.
      rmSync(`${this.#path}.new`, { force: true })
      return false
    }
  }

  /** @returns whether there was any to throw away. */
  release(): boolean {
    const wasThere = !this.released
    rmSync(this.#path, { force: true })
    return wasThere
  }

  #write(): void {
    const file = openSync(`${this.#path}.new`, 'w', 0o600)
    try {
      // Bytes that neither a sparse file nor a compressing file system could leave out.
      const bytes = randomBytes(BALLAST_BYTES)
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(`${this.#path}.new`, this.#path)
  }
}
