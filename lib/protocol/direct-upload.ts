import type { Envelope, EnvelopeError } from './envelope'
import { parseObject } from './parse-json'
import { fail, type Result, succeed } from './result'

/** The file of a crash report, without which Sentry refuses it. */
const MINIDUMP_FIELD = 'name="upload_file_minidump"'
/** A minidump that is sent bare, and one that is compressed with gzip, zstd, bzip2 or xz, as its uploader left it. */
const MINIDUMP_STARTS = ['MDMP', 'PMDM', '\x1f\x8b', '\x28\xb5\x2f\xfd', 'BZh', '\xfd7zXZ']
/** Before the file there are only small form fields. */
const SEARCHED_BYTES = 1024 * 1024

/** Returns whether a body of `/minidump/` holds a minidump: in a multipart form, or bare. */
export function hasMinidump(body: Uint8Array): boolean {
  const view = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const start = view.toString('latin1', 0, 6)
  if (MINIDUMP_STARTS.some((magic) => start.startsWith(magic))) return true
  return boundaryOf(view) !== null && view.subarray(0, SEARCHED_BYTES).includes(MINIDUMP_FIELD)
}

const CRLF = '\r\n'
/** The end of the headers of a part. */
const HEAD_END = `${CRLF}${CRLF}`
/** A longer head is no file of an SDK. */
const MAX_HEAD_BYTES = 8 * 1024

/** Counts the files of a multipart form; 0 for a body that is none. It begins with its boundary (RFC 2046, section 5.1). */
export function countFiles(body: Uint8Array): number {
  const view = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const boundary = boundaryOf(view)
  if (boundary === null) return 0
  let files = 0
  for (let at = 0; at >= 0; at = view.indexOf(`${CRLF}${boundary}`, at + 1)) {
    const head = view.toString('latin1', at, at + MAX_HEAD_BYTES)
    if (/\bfilename\*?=/i.test(head.slice(0, Math.max(0, head.indexOf(HEAD_END))))) files += 1
  }
  return files
}

function boundaryOf(view: Buffer): string | null {
  const line = view.toString('latin1', 0, 256).split(CRLF, 1)[0] ?? ''
  return /^--[\x21-\x7e ]{1,200}$/.test(line) ? line : null
}

/** The id that an uploader gave its crash report in the form field `sentry` (JSON) or `sentry[event_id]`. */
export function eventIdOfForm(body: Uint8Array): string | null {
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, SEARCHED_BYTES)).toString('latin1')
  const found =
    /name="sentry\[event_id\]"\r\n\r\n([0-9A-Fa-f-]{32,36})\r\n/.exec(text) ??
    /name="sentry"\r\n(?:[^\r\n]+\r\n)*\r\n[^\r]*"event_id"\s*:\s*"([0-9A-Fa-f-]{32,36})"/.exec(text)
  return found?.[1]?.replaceAll('-', '').toLowerCase() ?? null
}

/** Fields of a check-in that its address may carry, with those that are numbers. */
const CHECK_IN_FIELDS = ['check_in_id', 'status', 'environment', 'release'] as const
const CHECK_IN_NUMBERS = ['duration'] as const

/**
 * Reads a check-in as an item of the type `check_in`: its address names the monitor, and its body, else the query of its
 * address, the rest. @param target `cron/{monitor}/?status=ok`, as stored; without it the monitor is unknown
 */
export function parseCheckInRequest(body: Uint8Array, target: string | null): Result<Uint8Array, EnvelopeError> {
  if (target === null) return succeed(body.length === 0 ? encoder.encode('{}') : body)
  const [path = '', query = ''] = target.split('?', 2)
  const given = body.length === 0 ? checkInOfQuery(new URLSearchParams(query)) : parseObject(body)
  if (given === null)
    return invalid('the check-in is not a JSON object; post JSON, or put status into the query of the address')
  if (typeof given.status !== 'string')
    return invalid('the check-in has no status; it must be ok, error or in_progress')
  return succeed(encoder.encode(JSON.stringify({ ...given, monitor_slug: monitorOf(path) })))
}

function checkInOfQuery(query: URLSearchParams): Readonly<Record<string, unknown>> {
  const texts = CHECK_IN_FIELDS.filter((name) => query.has(name)).map((name) => [name, query.get(name)] as const)
  const numbers = CHECK_IN_NUMBERS.map((name) => [name, Number(query.get(name) ?? Number.NaN)] as const)
  return Object.fromEntries<unknown>([...texts, ...numbers.filter(([, value]) => Number.isFinite(value))])
}

function monitorOf(path: string): string {
  const slug = path.split('/')[1] ?? ''
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
}

/** One item that spans the whole body. */
export const oneItem = (
  header: Envelope['header'],
  item: Envelope['items'][number]['header'],
  record: Uint8Array,
  payload: Uint8Array,
): Envelope => ({
  header,
  headerEnd: 0,
  items: [{ header: item, start: 0, payloadStart: 0, payloadEnd: record.length, payload }],
})

const invalid = (message: string) => fail<EnvelopeError>({ code: 'check_in_invalid', message, at: 0 })

const encoder = new TextEncoder()
