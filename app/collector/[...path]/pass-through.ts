import { sessionHeader } from '../../../lib/guard/token'
import { problemResponse } from '../../../lib/wire/errors'
import { WIRE_HEADER } from '../../../lib/wire/wire-version'
import { withSmallBody } from '../../bodies'

export interface Collector {
  readonly collectorUrl: string
  readonly fetchLike: typeof fetch
}

/** Routes of the collector that the app passes on; telemetry goes through the tunnel. */
const ROUTES = new Set(['query', 'control', 'health'])
const MAX_CONTROL_BYTES = 64 * 1024
const REQUEST_HEADERS = ['authorization', 'accept', 'content-type', 'last-event-id', 'if-none-match']
const RESPONSE_HEADERS = [
  'content-type',
  'content-disposition',
  'etag',
  'retry-after',
  'x-accel-buffering',
  WIRE_HEADER,
]

/** Passes a request to the collector and streams the answer. Of its cookies only the session is passed on. A visitor's disconnect aborts it. */
export async function passThrough(request: Request, path: readonly string[], collector: Collector): Promise<Response> {
  // A dot segment would change the route once it is part of a URL.
  if (!ROUTES.has(path[0] ?? '') || path.some((part) => part === '.' || part === '..'))
    return problemResponse(
      404,
      `no route /collector/${path.join('/')}; valid are /collector/query, /control and /health`,
    )
  if (request.method === 'GET') return forward(request, path, null, collector)
  return withSmallBody(request, MAX_CONTROL_BYTES, (bytes) => forward(request, path, bytes, collector))
}

async function forward(
  request: Request,
  path: readonly string[],
  body: Buffer<ArrayBuffer> | null,
  collector: Collector,
): Promise<Response> {
  const address = `${collector.collectorUrl}/${path.map(encodeURIComponent).join('/')}${new URL(request.url).search}`
  try {
    const answer = await collector.fetchLike(address, {
      method: request.method,
      headers: requestHeaders(request.headers),
      body,
      signal: request.signal,
      redirect: 'manual',
      cache: 'no-store',
    })
    return new Response(bodyOf(answer), { status: answer.status, headers: responseHeaders(answer.headers) })
  } catch (error) {
    if (request.signal.aborted) return new Response(null, { status: 499 })
    return problemResponse(503, `the collector does not answer at ${collector.collectorUrl}`, causesOf(error))
  }
}

/** A live stream may end at any fact. A reader of any other body must notice that it is incomplete. */
function bodyOf({ body, headers }: Response): Response['body'] {
  const isLive = headers.get('content-type')?.startsWith('text/event-stream') === true
  return body !== null && isLive ? endQuietly(body) : body
}

function requestHeaders(received: Headers): Headers {
  const headers = pick(received, REQUEST_HEADERS)
  for (const [name, value] of Object.entries(sessionHeader(received))) headers.set(name, value)
  return headers
}

function responseHeaders(received: Headers): Headers {
  const headers = pick(received, RESPONSE_HEADERS)
  // `no-transform`: Next would compress a live stream, and buffer it until a block is full.
  headers.set('cache-control', 'no-store, no-transform')
  // Recorded bytes come from anyone who has the key: a browser that opens them must not run scripts.
  headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
  headers.set('x-content-type-options', 'nosniff')
  headers.set('cross-origin-resource-policy', 'same-origin')
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

/** `fetch failed` does not name the reason; its cause does. */
function causesOf(error: unknown): readonly string[] {
  const causes: string[] = []
  for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause.message || cause.name)
  return causes
}

/** Codes of fetch for a connection that the other side closed, or on which it stopped sending. */
const BREAKS = new Set(['UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT', 'ECONNRESET'])

/** Returns the same stream, but ends it normally when the connection breaks: its reader reconnects by itself. */
export function endQuietly(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          if (!isBreak(error)) throw error
          controller.close()
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Reads nothing before the reader does.
    { highWaterMark: 0 },
  )
}

/** fetch throws `terminated`; the code is in the cause. */
function isBreak(error: unknown): boolean {
  const cause = error instanceof TypeError ? error.cause : null
  return cause instanceof Error && 'code' in cause && BREAKS.has(String(cause.code))
}
