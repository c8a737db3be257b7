import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, type Result, succeed } from '../protocol/result'
import {
  decodeKept,
  encodeKept,
  type KeptName,
  nameFor,
  PART_SUFFIX,
  REFUSED_SUFFIX,
  readName,
  type UNREADABLE_SUFFIX,
} from './kept-file'
import type { Posted } from './post'
import { codeOf, reasonOf } from './reason'

/** Kept envelopes together take at most so much of the disk. */
export const DEFAULT_LIFEBOAT_BYTES = 64 * 1024 * 1024

export interface LifeboatOptions {
  /** Absolute: an app's processes do not share a working directory. Made when missing. */
  readonly folder: string
  readonly maxBytes?: number
}

/** Does what is kept outlive the process? */
export type Lasting = { readonly lasting: true } | { readonly lasting: false; readonly reason: string }

export type KeptRead = { readonly found: Posted } | { readonly gone: true } | { readonly unreadable: string }

export interface Lifeboat {
  /** Succeeds when the envelope is on the disk, not before. */
  keep(envelope: Posted): Promise<Result<void, string>>
  /** Oldest first. */
  list(): Promise<Result<readonly string[], string>>
  read(name: string): Promise<Result<KeptRead, string>>
  remove(name: string): Promise<Result<void, string>>
  /** Puts a file out of the way that is corrupt or refused. It is never deleted: 200 was said to it. */
  setAside(name: string, as: typeof UNREADABLE_SUFFIX | typeof REFUSED_SUFFIX): Promise<Result<void, string>>
  /** Puts what was refused back in line, for a new start may mean that a setting was mended. */
  takeBackRefused(): Promise<Result<number, string>>
  /** Removes what a crash left half written. */
  removeLeftovers(): Promise<Result<number, string>>
  lasting(): Promise<Lasting>
}

export function openLifeboat(options: LifeboatOptions, now: () => number): Lifeboat {
  const { folder, maxBytes = DEFAULT_LIFEBOAT_BYTES } = options
  const path = (name: string): string => join(folder, name)
  let count = 0
  let lastWrite: Promise<unknown> = Promise.resolve()

  async function scan(): Promise<readonly KeptName[]> {
    const names = await readdir(folder)
    return names.map(readName).filter((name) => name !== null)
  }

  async function write(envelope: Posted): Promise<Result<void, string>> {
    const keptAt = now()
    const blocks = encodeKept(envelope, keptAt)
    const byteLength = blocks.reduce((sum, block) => sum + block.byteLength, 0)
    const { name, room } = nameFor(keptAt, count++, envelope.receipt, byteLength)
    return attempt(async () => {
      await makeFolder(folder)
      const taken = (await scan()).reduce((sum, kept) => sum + kept.room, 0)
      if (taken + room > maxBytes)
        return fail(`the lifeboat is full: ${taken} of ${maxBytes} bytes are taken, and this one needs ${room}`)
      try {
        await writeDurably(path(name + PART_SUFFIX), blocks)
        await rename(path(name + PART_SUFFIX), path(name))
        await syncFolder(folder)
      } catch (error) {
        // What is answered "not kept" must not come back later as if it had been.
        await Promise.all([name, name + PART_SUFFIX].map((left) => rm(path(left), { force: true })))
        throw error
      }
      return succeed(undefined)
    })
  }

  /** @param whenMissing what a file or folder that is not there means, where it means something. */
  async function attempt<Value>(
    work: () => Promise<Result<Value, string>>,
    ...whenMissing: readonly [] | readonly [Value]
  ): Promise<Result<Value, string>> {
    try {
      return await work()
    } catch (error) {
      if (whenMissing.length === 1 && codeOf(error) === 'ENOENT') return succeed(whenMissing[0])
      return fail(`the lifeboat ${folder} cannot be used: ${reasonOf(error)}`)
    }
  }

  return {
    keep(envelope) {
      // One at a time, so that two of them cannot both take the last of the room.
      const turn = lastWrite.then(() => write(envelope))
      lastWrite = turn
      return turn
    },
    list: () =>
      attempt(async () => {
        const kept = (await scan()).filter(({ suffix }) => suffix === '')
        return succeed(kept.map(({ name }) => name).sort())
      }, []),
    read: (name) =>
      attempt<KeptRead>(
        async () => {
          const kept = decodeKept(await readFile(path(name)), now())
          return succeed(kept.ok ? { found: kept.value } : { unreadable: kept.error })
        },
        { gone: true },
      ),
    // Not synced: a removal that a power cut undoes is a second delivery with the same receipt.
    remove: (name) => attempt(async () => succeed(await rm(path(name), { force: true }))),
    setAside: (name, as) => attempt(async () => succeed(await rename(path(name), path(name + as))), undefined),
    takeBackRefused: () =>
      attempt(async () => {
        const refused = (await scan()).filter(({ suffix }) => suffix === REFUSED_SUFFIX)
        for (const { name } of refused) await rename(path(name), path(name.slice(0, -REFUSED_SUFFIX.length)))
        return succeed(refused.length)
      }, 0),
    removeLeftovers: () =>
      attempt(async () => {
        // Another tunnel of this process may be writing just now: only what is older than the process was left behind.
        const started = Date.now() - process.uptime() * 1000
        let removed = 0
        for (const { name, suffix } of await scan()) {
          if (suffix !== PART_SUFFIX || (await stat(path(name))).mtimeMs >= started) continue
          await rm(path(name), { force: true })
          removed++
        }
        return succeed(removed)
      }, 0),
    async lasting() {
      const probed = await attempt(async () => {
        await makeFolder(folder)
        const probe = path(`.probe-${process.pid}`)
        await writeDurably(probe, [])
        return succeed(await rm(probe, { force: true }))
      })
      return probed.ok ? { lasting: true } : { lasting: false, reason: probed.error }
    },
  }
}

async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  // What is kept holds what people did: a folder that was there before is closed to others too.
  if (made === undefined && ((await stat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700)
}

async function writeDurably(path: string, blocks: readonly Uint8Array[]): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    for (const block of blocks) await file.appendFile(block)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folder; there the file system's own journal holds a rename.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
