import { openBlocks } from '../protocol/body'
import { LIMITS } from '../protocol/limits'
import {
  isLoopbackName,
  isStamp,
  OWN_HEADER,
  PAGE_HEADER,
  requestStamp,
  STAMP_HEADER,
  stampNote,
  UNSEEN_HEADER,
} from '../protocol/request'
import { fail, type Result, succeed } from '../protocol/result'
import { type Answer, type BodyBlocks, problem, quote } from './post'

/**
 * The default: programs (no Origin), the app's own pages (page and tunnel have the same host), and pages of this
 * machine on any port. `Origin: null` (sandboxed frames, files) is foreign.
 */
export function isOwnOrLoopbackOrigin(origin: string | null, host: string | null): boolean {
  if (origin === null) return true
  if (!URL.canParse(origin)) return false
  const page = new URL(origin)
  return isLoopbackName(page.hostname) || isPageOfHost(origin, host)
}

/** True for a page that was loaded from the host of the request. */
export function isPageOfHost(origin: string | null, host: string | null): boolean {
  if (origin === null || !URL.canParse(origin)) return false
  const page = new URL(origin)
  const here = `${page.protocol}//${host ?? ''}`
  // Parsed, because the URL parser removes a default port.
  return host !== null && URL.canParse(here) && new URL(here).host === page.host
}

/** The collector's own limit of an envelope. */
export const DEFAULT_MAX_BYTES = LIMITS.wire

/**
 * Never holds more than the limit and one block.
 * @param hangUp receives a function that disconnects a sender which continues after a refusal
 */
export async function readBody(
  request: Request,
  maxBytes: number,
  hangUp: (cancel: () => Promise<void>) => void,
): Promise<Result<BodyBlocks, Answer>> {
  const header = request.headers.get('content-length')
  if (header !== null && !/^\d{1,15}$/.test(header))
    return fail(problem(400, `Content-Length must be a number of bytes, got ${quote(header)}`))
  const stated = header === null ? null : Number(header)
  if (stated !== null && stated > maxBytes) return fail(tooLarge(`has ${stated} bytes`, maxBytes))

  const read = await readStream(request.body, maxBytes, hangUp)
  if (!read.ok) return read
  const { byteLength } = read.value
  // Next cuts a body at 10 MB, without an error, when proxy.ts matches the path.
  if (stated !== null && stated !== byteLength)
    return fail(problem(400, `the body has ${byteLength} bytes, but Content-Length is ${stated}`))
  return byteLength === 0 ? fail(EMPTY) : read
}

/** Wraps a body that is already in memory, with the same limits. */
export function bodyOfBytes(bytes: Uint8Array, maxBytes: number): Result<BodyBlocks, Answer> {
  if (bytes.byteLength > maxBytes) return fail(tooLarge(`has ${bytes.byteLength} bytes`, maxBytes))
  return bytes.byteLength === 0 ? fail(EMPTY) : succeed({ blocks: [bytes], byteLength: bytes.byteLength })
}

async function readStream(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  hangUp: (cancel: () => Promise<void>) => void,
): Promise<Result<BodyBlocks, Answer>> {
  if (body === null) return succeed({ blocks: [], byteLength: 0 })
  const reader = body.getReader()
  const blocks = openBlocks(maxBytes)
  for (;;) {
    const step = await reader.read().catch((error: unknown) => ({ failure: error }))
    if ('failure' in step) return fail(problem(400, 'the body ended too early', [String(step.failure)]))
    if (step.done) return succeed({ blocks: blocks.close(), byteLength: blocks.byteLength() })
    if (blocks.byteLength() + step.value.byteLength > maxBytes) {
      hangUp(() => reader.cancel())
      return fail(tooLarge('is too large', maxBytes))
    }
    blocks.add(step.value)
  }
}

/** Is not counted: it contained nothing that could be lost. `waystation doctor` posts it. */
export const EMPTY = problem(400, 'empty body; expected an envelope or spans')

const tooLarge = (what: string, maxBytes: number): Answer =>
  problem(413, `the body ${what}; at most ${maxBytes} bytes are accepted`)

type IsValid = (value: string) => boolean

/** Longer headers are dropped, because the lifeboat stores headers in the first line of a file. */
const MAX_VALUE_LENGTH = 2048
const short: IsValid = (value) => value.length <= MAX_VALUE_LENGTH
const token: IsValid = (value) => /^[A-Za-z0-9_-]{1,64}$/.test(value)

/** The only headers that go on to the collector. Relay reads these client hints. Cookies and credentials never go on. */
const FORWARDED = new Map<string, IsValid>([
  ['content-type', short],
  ['content-encoding', short],
  ['user-agent', short],
  ['origin', short],
  ['sec-ch-ua', short],
  ['sec-ch-ua-arch', short],
  ['sec-ch-ua-bitness', short],
  ['sec-ch-ua-form-factors', short],
  ['sec-ch-ua-full-version-list', short],
  ['sec-ch-ua-mobile', short],
  ['sec-ch-ua-model', short],
  ['sec-ch-ua-platform', short],
  ['sec-ch-ua-platform-version', short],
  ['sec-ch-ua-wow64', short],
  [STAMP_HEADER, isStamp],
  [PAGE_HEADER, token],
  ['x-waystation-lab', (value) => value === '1'],
  [OWN_HEADER, (value) => value === '1'],
  [UNSEEN_HEADER, (value) => value === '1'],
  ['x-forwarded-for', (value) => /^[0-9A-Fa-f.:,[\] ]{1,512}$/.test(value)],
])

/** @param trustForwardedFor true only behind a trusted proxy, because any client can forge X-Forwarded-For */
export function forwardedHeaders(received: Headers, trustForwardedFor: boolean): Readonly<Record<string, string>> {
  const stamp = stampOf(received)
  const forwarded: Record<string, string> = {}
  for (const [name, isValid] of FORWARDED) {
    if (name === 'x-forwarded-for' && !trustForwardedFor) continue
    // Only the tunnel itself knows these.
    if (name === UNSEEN_HEADER || name === OWN_HEADER) continue
    const value = name === STAMP_HEADER ? stamp : received.get(name)
    if (value !== null && isValid(value)) forwarded[name] = value
  }
  return forwarded
}

export function noteOnStamp(received: Headers): string | null {
  const stamp = stampOf(received)
  return stamp === null || isStamp(stamp) ? null : stampNote(stamp)
}

/** Checks headers that were read from a lifeboat file by the same rules. */
export function areForwardedHeaders(headers: unknown): headers is Readonly<Record<string, string>> {
  if (typeof headers !== 'object' || headers === null) return false
  return Object.entries(headers).every(
    ([name, value]: [string, unknown]) =>
      typeof value === 'string' && !/[^\t\x20-\x7e\x80-\xff]/.test(value) && FORWARDED.get(name)?.(value) === true,
  )
}

const stampOf = (received: Headers): string | null => requestStamp(received.get('cookie'), received.get(STAMP_HEADER))
