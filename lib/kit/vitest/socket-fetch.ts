import { connect } from 'node:net'

/**
 * A `fetch` that SDKs and mocks in the same process cannot observe. SDKs instrument Node's `fetch` and `http`, so requests
 * of the kit would appear in the test's breadcrumbs and spans. Supports the part of HTTP/1.1 that the collector uses: one
 * request per connection, on loopback.
 */
export const socketFetch: typeof fetch = async (input, init = {}) => {
  const url = new URL(input instanceof Request ? input.url : input)
  if (url.protocol !== 'http:') throw new TypeError(`the collector address must start with http://, got ${url.origin}`)
  const { method = 'GET', body, signal } = init
  const payload = typeof body === 'string' ? Buffer.from(body) : Buffer.alloc(0)
  const headers = new Headers(init.headers)
  headers.set('host', url.host)
  headers.set('connection', 'close')
  if (method !== 'GET') headers.set('content-length', String(payload.length))
  const head = [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const sent = Buffer.concat([Buffer.from(`${method} ${url.pathname}${url.search} HTTP/1.1\r\n${head}\r\n`), payload])
  return answerIn(await exchange(url, sent, signal ?? undefined))
}

function exchange(url: URL, sent: Buffer, signal: AbortSignal | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortError())
    const socket = connect(Number(url.port || 80), url.hostname.replace(/^\[|\]$/g, ''))
    const chunks: Buffer[] = []
    const abort = (): void => {
      socket.destroy()
      reject(abortError())
    }
    signal?.addEventListener('abort', abort, { once: true })
    socket.on('connect', () => socket.write(sent))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => {
      signal?.removeEventListener('abort', abort)
      resolve(Buffer.concat(chunks))
    })
  })
}

const abortError = (): DOMException => new DOMException('This operation was aborted', 'AbortError')

const HEAD_END = Buffer.from('\r\n\r\n')

/** @throws Error if the connection was closed before the answer was complete */
function answerIn(bytes: Buffer): Response {
  const end = bytes.indexOf(HEAD_END)
  if (end < 0) throw new Error('the connection was closed before an answer came')
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = new Headers(lines.map((line): [string, string] => splitAt(line, line.indexOf(':'))))
  const rest = bytes.subarray(end + HEAD_END.length)
  const isChunked = headers.get('transfer-encoding') === 'chunked'
  const length = headers.get('content-length')
  if (!isChunked && length !== null && rest.length < Number(length))
    throw new Error('the connection was closed before the answer was complete')
  const status = Number(statusLine.split(' ')[1])
  const body = isChunked ? joinChunks(rest) : rest
  return new Response(status === 204 || status === 304 ? null : new Uint8Array(body), { status, headers })
}

const splitAt = (line: string, at: number): [string, string] => [line.slice(0, at), line.slice(at + 1).trim()]

function joinChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const from = lineEnd + 2
    if (Number.isNaN(size) || from + size > bytes.length)
      throw new Error('the connection was closed before the answer was complete')
    if (size === 0) return Buffer.concat(parts)
    parts.push(bytes.subarray(from, from + size))
    at = from + size + 2
  }
}
