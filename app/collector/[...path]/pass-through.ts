import { problem } from '../../problem'
import { endQuietly } from './end-quietly'

export interface Collector {
  readonly collectorUrl: string
  readonly token: string | undefined
  readonly fetchLike: typeof fetch
}

/** What may be asked of the collector through the app; telemetry itself has the tunnel. */
const ENDPOINTS = new Set(['query', 'control', 'health'])
const MAX_CONTROL_BYTES = 64 * 1024
const ASKED = ['accept', 'content-type', 'last-event-id', 'if-none-match']
const ANSWERED = ['content-type', 'content-disposition', 'etag', 'retry-after', 'x-accel-buffering']

/**
 * Passes one request on to the collector and its answer back as it comes, so that the browser knows one origin. When
 * the visitor goes away the collector's side is closed too. Cookies stay here, both ways.
 */
export async function passThrough(request: Request, path: readonly string[], collector: Collector): Promise<Response> {
  // A dot segment would be taken for another endpoint once it is part of an address.
  if (!ENDPOINTS.has(path[0] ?? '') || path.some((part) => part === '.' || part === '..'))
    return problem(404, `nothing at /collector/${path.join('/')}; there are /collector/query, /control and /health`)
  const body = request.method === 'GET' ? null : await request.arrayBuffer()
  if (body !== null && body.byteLength > MAX_CONTROL_BYTES)
    return problem(413, `a control message has at most ${MAX_CONTROL_BYTES} bytes, this one has ${body.byteLength}`)
  const address = `${collector.collectorUrl}/${path.map(encodeURIComponent).join('/')}${new URL(request.url).search}`
  try {
    const answer = await collector.fetchLike(address, {
      method: request.method,
      headers: askedHeaders(request.headers, collector.token),
      body,
      signal: request.signal,
      redirect: 'manual',
      cache: 'no-store',
    })
    return new Response(bodyOf(answer), { status: answer.status, headers: answeredHeaders(answer.headers) })
  } catch (error) {
    if (request.signal.aborted) return new Response(null, { status: 499 })
    return problem(503, `the collector does not answer at ${collector.collectorUrl}`, causesOf(error))
  }
}

/** A live stream may end at any fact. Of anything else the reader must learn that it is not whole. */
function bodyOf({ body, headers }: Response): Response['body'] {
  const isLive = headers.get('content-type')?.startsWith('text/event-stream') === true
  return body !== null && isLive ? endQuietly(body) : body
}

function askedHeaders(received: Headers, token: string | undefined): Headers {
  const headers = pick(received, ASKED)
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  return headers
}

function answeredHeaders(received: Headers): Headers {
  const headers = pick(received, ANSWERED)
  // `no-transform`: Next would compress a live stream, and hold it back until a block is full.
  headers.set('cache-control', 'no-store, no-transform')
  // Recorded bytes come from anybody who knows the key: a browser that opens them must run nothing.
  headers.set('content-security-policy', "default-src 'none'; sandbox")
  headers.set('x-content-type-options', 'nosniff')
  return headers
}

function pick(received: Headers, names: readonly string[]): Headers {
  const picked = new Headers()
  for (const name of names) {
    const value = received.get(name)
    if (value !== null) picked.set(name, value)
  }
  return picked
}

/** `fetch failed` says nothing; the reason is in its cause. */
function causesOf(error: unknown): readonly string[] {
  const causes: string[] = []
  for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause.message || cause.name)
  return causes
}
