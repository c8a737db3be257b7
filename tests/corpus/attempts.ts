import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { decompress } from 'fzstd'
import { z } from 'zod'
import { parseDsn } from '../../lib/protocol/dsn'

/** One post of one body of a corpus. */
export interface Attempt {
  /** Path below the corpus. */
  readonly file: string
  /** As an SDK sent it; as an envelope; as a bare event; as a bare event that we wrapped into an envelope. */
  readonly how: 'captured' | 'envelope' | 'store' | 'wrapped'
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** The collector must have an upstream with this key and project. */
  readonly key: string
  readonly project: string
  /** SHA-256 of each acceptable record: the body, and the body without its encodings. */
  readonly forms: ReadonlySet<string>
}

const OWN = { key: 'corpus', project: '1' }
/** Files next to bodies that are not bodies. */
const NO_BODY = /\.(?:headers\.json|md|tsv)$|(?:^|\/)(?:README|LICENSE|KNOWN-BROKEN)[^/]*$/i
/** Headers about the body or its sender; others belong to the captured connection. */
const REPEATED = /^(?:content-type|content-encoding|x-sentry-auth|authorization|user-agent|origin|sec-ch-ua.*)$/

const headerSchema = z.union([z.string(), z.array(z.string()).transform((values) => values.join(', '))])
/** A capture that does not say where it was posted came through a tunnel. */
const capturedSchema = z.object({
  url: z.url().default('http://captured.invalid/tunnel'),
  headers: z.record(z.string(), headerSchema).default({}),
})

/** Every post that the bodies below a folder allow, ordered by file name. */
export function attemptsOf(folder: string): readonly Attempt[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((file) => !NO_BODY.test(file))
    .sort()
    .flatMap((file) => attemptsWith(folder, file))
}

function attemptsWith(folder: string, file: string): readonly Attempt[] {
  const body = readFileSync(join(folder, file))
  const headersFile = join(folder, `${file.replace(/\.[^./]+$/, '')}.headers.json`)
  if (existsSync(headersFile))
    return [captured(file, body, capturedSchema.parse(JSON.parse(readFileSync(headersFile, 'utf8'))))]
  const event = jsonObject(body)
  if (event === null) return [envelope(file, 'envelope', body)]
  const wrapped = envelope(file, 'wrapped', wrap(event, body))
  if (file.endsWith('.json')) return [store(file, body), wrapped]
  return [envelope(file, 'envelope', body), store(file, body)]
}

function captured(file: string, body: Buffer, request: z.infer<typeof capturedSchema>): Attempt {
  const url = new URL(request.url)
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => REPEATED.test(name)))
  const claimed = /sentry_key=([^,&\s]+)/.exec(`${url.search} ${headers['x-sentry-auth'] ?? ''}`)?.[1]
  const isIngest = url.pathname.startsWith('/api/')
  const plain = undo(body, headers['content-encoding'])
  const dsn = headerDsn(plain)
  return {
    file,
    how: 'captured',
    method: request.headers[':method'] ?? 'POST',
    // Any other path is the tunnel of an app.
    path: isIngest ? url.pathname + url.search : '/tunnel',
    headers,
    body,
    key: claimed ?? dsn?.key ?? OWN.key,
    project: /^\/api\/(\w+)\//.exec(url.pathname)?.[1] ?? dsn?.project ?? OWN.project,
    forms: formsOf(body, plain, Buffer.from(url.searchParams.get('sentry_data') ?? '')),
  }
}

function envelope(file: string, how: 'envelope' | 'wrapped', body: Buffer): Attempt {
  const { key, project } = headerDsn(body) ?? OWN
  const path = `/api/${encodeURIComponent(project)}/envelope/`
  const headers = { 'content-type': 'application/x-sentry-envelope', 'x-sentry-auth': `Sentry sentry_key=${key}` }
  return { file, how, method: 'POST', path, headers, body, key, project, forms: formsOf(body) }
}

function store(file: string, body: Buffer): Attempt {
  const { key, project } = OWN
  const headers = { 'content-type': 'application/json', 'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${key}` }
  return {
    file,
    how: 'store',
    method: 'POST',
    path: `/api/${project}/store/`,
    headers,
    body,
    ...OWN,
    forms: formsOf(body),
  }
}

function wrap(event: object, body: Buffer): Buffer {
  const id = 'event_id' in event && typeof event.event_id === 'string' ? { event_id: event.event_id } : {}
  const type = 'type' in event && event.type === 'transaction' ? 'transaction' : 'event'
  return Buffer.concat([Buffer.from(`${JSON.stringify(id)}\n${JSON.stringify({ type, length: body.length })}\n`), body])
}

/** `null` unless the whole body is one JSON object. */
function jsonObject(body: Buffer): object | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

function headerDsn(body: Buffer): { readonly key: string; readonly project: string } | null {
  const end = body.indexOf(10)
  const header = jsonObject(end < 0 ? body : body.subarray(0, end))
  const dsn = header !== null && 'dsn' in header && typeof header.dsn === 'string' ? parseDsn(header.dsn) : null
  return dsn?.ok ? { key: dsn.value.publicKey, project: dsn.value.projectId } : null
}

const DECODERS: Readonly<Record<string, readonly ((body: Uint8Array) => Uint8Array)[]>> = {
  gzip: [gunzipSync],
  deflate: [inflateSync, inflateRawSync],
  br: [brotliDecompressSync],
  zstd: [(body) => decompress(body)],
}

/** Without its content encoding, where it really has one. */
function undo(body: Buffer, encoding: string | undefined): Buffer {
  const decoders = DECODERS[encoding ?? ''] ?? []
  return decoders.map((decode) => tried(() => Buffer.from(decode(body)))).find((plain) => plain !== null) ?? body
}

/** A bare event may also be deflated and written in Base64, as the oldest SDKs do. */
function formsOf(...bodies: readonly Buffer[]): ReadonlySet<string> {
  const forms = bodies.flatMap((body) => {
    const packed = Buffer.from(body.toString('latin1'), 'base64')
    return [body, ...[inflateSync, inflateRawSync, gunzipSync].flatMap((undoIt) => tried(() => undoIt(packed)) ?? [])]
  })
  return new Set(forms.map((form) => createHash('sha256').update(form).digest('hex')))
}

function tried(decode: () => Buffer): Buffer | null {
  try {
    return decode()
  } catch {
    return null
  }
}

/** A short name for a report. */
export const titleOf = ({ file, how }: Attempt): string => `${basename(file)} (${how})`
