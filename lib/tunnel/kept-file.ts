import { fail, type Result, succeed } from '../protocol/result'
import { isPassedOn, KEPT_HEADER } from './pass-on'
import type { Posted } from './post'

/** One file of the lifeboat: facts as one line of JSON, then the body's bytes as they came. */
const FORMAT = 'lifeboat/1'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const NEWLINE = 0x0a

/** A small file takes a block of the disk too, and a bound on bytes alone would allow any number of files. */
const DISK_BLOCK_BYTES = 4096

export const PART_SUFFIX = '.part'
export const UNREADABLE_SUFFIX = '.unreadable'
/** Finally refused by the collector: kept for when its configuration, or the app's, was mended. */
export const REFUSED_SUFFIX = '.refused'

const NAME = /^\d{15}-\d{6}-[0-9a-f-]{36}-(\d{1,12})\.envelope(\.part|\.unreadable|\.refused)?$/

const SUFFIXES = [PART_SUFFIX, UNREADABLE_SUFFIX, REFUSED_SUFFIX] as const
export type KeptSuffix = '' | (typeof SUFFIXES)[number]

export interface KeptName {
  readonly name: string
  /** What the file takes of the lifeboat's room. */
  readonly room: number
  readonly suffix: KeptSuffix
}

/** Sorts by time; tells its receipt, and its size, so that counting the room needs no look into each file. */
export function nameFor(keptAt: number, count: number, receipt: string, byteLength: number): KeptName {
  const time = String(Math.max(0, Math.floor(keptAt))).padStart(15, '0')
  const order = String(count % 1_000_000).padStart(6, '0')
  return { name: `${time}-${order}-${receipt}-${byteLength}.envelope`, room: roomOf(byteLength), suffix: '' }
}

/** `null` for a file that is not ours: it is neither counted nor touched. */
export function readName(name: string): KeptName | null {
  const found = NAME.exec(name)
  if (found === null) return null
  const suffix = SUFFIXES.find((one) => one === found[2]) ?? ''
  return { name, room: roomOf(Number(found[1])), suffix }
}

const roomOf = (byteLength: number): number => Math.ceil(byteLength / DISK_BLOCK_BYTES) * DISK_BLOCK_BYTES

/** The blocks of a file, in order. */
export function encodeKept({ receipt, headers, body }: Posted, keptAt: number): readonly Uint8Array[] {
  const facts = { format: FORMAT, receipt, keptAt: new Date(keptAt), byteLength: body.byteLength, headers }
  return [Buffer.from(`${JSON.stringify(facts)}\n`), ...body.blocks]
}

/** Reads a file back, with how long it was kept, or says why it is none of ours. */
export function decodeKept(file: Uint8Array, now: number): Result<Posted, string> {
  const end = file.indexOf(NEWLINE)
  if (end < 0) return fail('it has no line of facts')
  const facts = parseJson(file.subarray(0, end))
  if (typeof facts !== 'object' || facts === null || !('format' in facts) || facts.format !== FORMAT)
    return fail(`its first line is not a ${FORMAT} line of facts`)
  const { receipt, byteLength, headers, keptAt }: Facts = { ...NO_FACTS, ...facts }
  if (!isReceipt(receipt)) return fail('its facts name no receipt')
  if (!isPassedOn(headers)) return fail('its facts name headers that are never passed on')
  const bytes = file.subarray(end + 1)
  if (byteLength !== bytes.byteLength)
    return fail(`it has ${bytes.byteLength} bytes after its facts, which say ${String(byteLength)}`)
  const keptMs = Math.max(0, now - Date.parse(String(keptAt)))
  const kept = { [KEPT_HEADER]: String(Number.isNaN(keptMs) ? 0 : keptMs) }
  return succeed({ receipt, headers: { ...headers, ...kept }, body: { blocks: [bytes], byteLength: bytes.byteLength } })
}

interface Facts {
  readonly receipt: unknown
  readonly byteLength: unknown
  readonly headers: unknown
  readonly keptAt: unknown
}

const NO_FACTS: Facts = { receipt: null, byteLength: null, headers: null, keptAt: null }

const isReceipt = (value: unknown): value is string => typeof value === 'string' && UUID.test(value)

function parseJson(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line))
  } catch {
    // Not JSON: the caller says so, with the file's name.
    return null
  }
}
