import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { KEPT_HEADER } from '../protocol/request'
import { fail, type Result, succeed } from '../protocol/result'
import { type Moment, waitedMs } from '../protocol/waited'
import { reasonOf, type TunnelEnvelope } from './post'
import { areForwardedHeaders } from './read-request'
import { ENVELOPE_PATH, isCollectorPath } from './trace-request'
import type { ReadUptime } from './uptime'

/** The disk space of all stored envelopes together. */
export const DEFAULT_LIFEBOAT_BYTES = 64 * 1024 * 1024

export interface LifeboatOptions {
  /** Absolute, because the processes of an app may have different working directories. Created when missing. */
  readonly folder: string
  readonly maxBytes?: number
}

export type Lasting = { readonly lasting: true } | { readonly lasting: false; readonly reason: string }

type FileRead = { readonly found: TunnelEnvelope } | { readonly gone: true } | { readonly unreadable: string }

/** Stores envelopes on disk while the collector is down: one file per envelope. */
export interface Lifeboat {
  /** Succeeds only after the envelope is synced to disk. */
  store(envelope: TunnelEnvelope): Promise<Result<void, string>>
  /** File names, oldest first. @param which `all` includes those that the collector refused */
  list(which?: 'waiting' | 'all'): Promise<Result<readonly string[], string>>
  read(name: string): Promise<Result<FileRead, string>>
  remove(name: string): Promise<Result<void, string>>
  /** Renames a damaged or refused file. Never deletes it: its sender got 200. */
  mark(name: string, suffix: typeof UNREADABLE_SUFFIX | typeof REFUSED_SUFFIX): Promise<Result<void, string>>
  /** Renames refused files back, so that a new start retries them: a setting may have been fixed. */
  restoreRefused(): Promise<Result<number, string>>
  /** Removes files that a crash left incomplete. */
  removeIncomplete(): Promise<Result<number, string>>
  lasting(): Promise<Lasting>
}

export function openLifeboat(options: LifeboatOptions, now: () => number, uptime: ReadUptime): Lifeboat {
  const { folder, maxBytes = DEFAULT_LIFEBOAT_BYTES } = options
  const path = (name: string): string => join(folder, name)
  let count = 0
  let lastWrite: Promise<unknown> = Promise.resolve()

  async function scan(): Promise<readonly LifeboatFileName[]> {
    const names = await readdir(folder)
    return names.map(parseFileName).filter((name) => name !== null)
  }

  async function write(envelope: TunnelEnvelope): Promise<Result<void, string>> {
    const storedAt = now()
    const blocks = encodeFile(envelope, { at: storedAt, ...uptime() })
    const byteLength = blocks.reduce((sum, block) => sum + block.byteLength, 0)
    const { name, diskBytes } = fileName(storedAt, count++, envelope.receipt, byteLength)
    return attempt(async () => {
      await makeFolder(folder)
      const used = (await scan()).reduce((sum, file) => sum + file.diskBytes, 0)
      if (used + diskBytes > maxBytes)
        return fail(`the lifeboat is full: ${used} of ${maxBytes} bytes are used, and this envelope needs ${diskBytes}`)
      try {
        await writeDurably(path(name + PART_SUFFIX), blocks)
        await rename(path(name + PART_SUFFIX), path(name))
        await syncFolder(folder)
      } catch (error) {
        // The sender gets an error, so the envelope must not be delivered later.
        await Promise.all([name, name + PART_SUFFIX].map((left) => rm(path(left), { force: true })))
        throw error
      }
      return succeed(undefined)
    })
  }

  /** @param whenMissing the result when the file or folder does not exist; without it that is an error */
  async function attempt<Value>(
    work: () => Promise<Result<Value, string>>,
    ...whenMissing: readonly [] | readonly [Value]
  ): Promise<Result<Value, string>> {
    try {
      return await work()
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      if (whenMissing.length === 1 && isMissing) return succeed(whenMissing[0])
      return fail(`the lifeboat ${folder} cannot be used: ${reasonOf(error)}`)
    }
  }

  return {
    store(envelope) {
      // One at a time; otherwise two writes could both use the last free bytes.
      const turn = lastWrite.then(() => write(envelope))
      lastWrite = turn
      return turn
    },
    list: (which = 'waiting') =>
      attempt(async () => {
        const suffixes = which === 'all' ? ['', REFUSED_SUFFIX] : ['']
        const complete = (await scan()).filter(({ suffix }) => suffixes.includes(suffix))
        return succeed(complete.map(({ name }) => name).sort())
      }, []),
    read: (name) =>
      attempt<FileRead>(
        async () => {
          const file = decodeFile(await readFile(path(name)), { at: now(), ...uptime() })
          return succeed(file.ok ? { found: file.value } : { unreadable: file.error })
        },
        { gone: true },
      ),
    // Not synced: when a power cut undoes a removal, the envelope is delivered again with the same receipt.
    remove: (name) => attempt(async () => succeed(await rm(path(name), { force: true }))),
    mark: (name, suffix) => attempt(async () => succeed(await rename(path(name), path(name + suffix))), undefined),
    restoreRefused: () =>
      attempt(async () => {
        const refused = (await scan()).filter(({ suffix }) => suffix === REFUSED_SUFFIX)
        for (const { name } of refused) await rename(path(name), path(name.slice(0, -REFUSED_SUFFIX.length)))
        return succeed(refused.length)
      }, 0),
    removeIncomplete: () =>
      attempt(async () => {
        // Another tunnel of this process may be writing; only files older than the process are leftovers.
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
  const created = await mkdir(folder, { recursive: true, mode: 0o700 })
  // Envelopes are personal data, so an existing folder becomes private too.
  if (created === undefined && ((await stat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700)
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
  // Windows cannot open a folder; its file system journals a rename.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * The format of a lifeboat file: one line of JSON with the facts, then the body. Files of older versions have no `path`;
 * they hold envelopes.
 */
const FORMAT = 'lifeboat/1'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const NEWLINE = 0x0a

/** Sizes are rounded up to disk blocks; a limit on bytes alone would allow any number of small files. */
const DISK_BLOCK_BYTES = 4096

const PART_SUFFIX = '.part'
export const UNREADABLE_SUFFIX = '.unreadable'
/** Refused by the collector. The file is retried at the next start, when a setting may have been fixed. */
export const REFUSED_SUFFIX = '.refused'

const NAME = /^\d{15}-\d{6}-[0-9a-f-]{36}-(\d{1,12})\.envelope(\.part|\.unreadable|\.refused)?$/

const SUFFIXES = [PART_SUFFIX, UNREADABLE_SUFFIX, REFUSED_SUFFIX] as const
type FileSuffix = '' | (typeof SUFFIXES)[number]

interface LifeboatFileName {
  readonly name: string
  readonly diskBytes: number
  readonly suffix: FileSuffix
}

/** A file name sorts by time, and contains receipt and size, so that the total size needs no read of any file. */
export function fileName(storedAt: number, count: number, receipt: string, byteLength: number): LifeboatFileName {
  const time = String(Math.max(0, Math.floor(storedAt))).padStart(15, '0')
  const order = String(count % 1_000_000).padStart(6, '0')
  return { name: `${time}-${order}-${receipt}-${byteLength}.envelope`, diskBytes: blocksOf(byteLength), suffix: '' }
}

/** @returns `null` for a file of another program; it is neither counted nor changed */
export function parseFileName(name: string): LifeboatFileName | null {
  const found = NAME.exec(name)
  if (found === null) return null
  const suffix = SUFFIXES.find((one) => one === found[2]) ?? ''
  return { name, diskBytes: blocksOf(Number(found[1])), suffix }
}

const blocksOf = (byteLength: number): number => Math.ceil(byteLength / DISK_BLOCK_BYTES) * DISK_BLOCK_BYTES

export function encodeFile({ receipt, path, headers, body }: TunnelEnvelope, stored: Moment): readonly Uint8Array[] {
  const { at, boot, uptimeMs } = stored
  const facts = {
    format: FORMAT,
    receipt,
    path,
    keptAt: new Date(at),
    boot,
    uptimeMs,
    byteLength: body.byteLength,
    headers,
  }
  return [Buffer.from(`${JSON.stringify(facts)}\n`), ...body.blocks]
}

/** Reads a file back and adds the header with its time in the lifeboat. Returns an error message for a damaged file. */
export function decodeFile(file: Uint8Array, now: Moment): Result<TunnelEnvelope, string> {
  const end = file.indexOf(NEWLINE)
  if (end < 0) return fail('it has no line of facts')
  const facts = parseJson(file.subarray(0, end))
  if (typeof facts !== 'object' || facts === null || !('format' in facts) || facts.format !== FORMAT)
    return fail(`its first line is not a ${FORMAT} line of facts`)
  const { receipt, path, byteLength, headers, keptAt, boot, uptimeMs }: Facts = { ...NO_FACTS, ...facts }
  if (!isReceipt(receipt)) return fail('its facts have no valid receipt')
  if (!isCollectorPath(path)) return fail('its facts have a path to which the tunnel never posts')
  if (!areForwardedHeaders(headers)) return fail('its facts have headers that the tunnel never forwards')
  const bytes = file.subarray(end + 1)
  if (byteLength !== bytes.byteLength)
    return fail(`it has ${bytes.byteLength} bytes after its facts, but they say ${String(byteLength)}`)
  const storedAt = {
    at: Date.parse(String(keptAt)),
    ...(typeof boot === 'string' && typeof uptimeMs === 'number' && { boot, uptimeMs }),
  }
  const kept = { [KEPT_HEADER]: String((waitedMs(storedAt, now) ?? 0) + Number(headers[KEPT_HEADER] ?? 0)) }
  const body = { blocks: [bytes], byteLength: bytes.byteLength }
  return succeed({ receipt, path, headers: { ...headers, ...kept }, body })
}

interface Facts {
  readonly receipt: unknown
  readonly path: unknown
  readonly byteLength: unknown
  readonly headers: unknown
  readonly keptAt: unknown
  readonly boot: unknown
  readonly uptimeMs: unknown
}

const NO_FACTS: Facts = {
  receipt: null,
  path: ENVELOPE_PATH,
  byteLength: null,
  headers: null,
  keptAt: null,
  boot: null,
  uptimeMs: null,
}

const isReceipt = (value: unknown): value is string => typeof value === 'string' && UUID.test(value)

/** @returns `null` for malformed JSON; the caller reports it with the file name */
function parseJson(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line))
  } catch {
    return null
  }
}
