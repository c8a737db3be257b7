import { type BodyLimits, bodyLimits, createBodyReader } from '../../../collector/http/body'
import { fillZstd, measureZstd } from '../../../collector/http/zstd'
import { LIMITS } from '../../../lib/protocol/limits'

/** Timers that never end: what waits here waits for room. */
export const never = () => () => undefined
export const zstd = {
  measure: async (wire: Uint8Array, limit: number) => measureZstd(wire, limit),
  fill: async (wire: Uint8Array, size: number) => fillZstd(wire, size),
}
const readAny = createBodyReader({ limits: LIMITS, zstd, later: never })
export const readBody = (of: Request, limits: BodyLimits = bodyLimits('envelope', LIMITS)) => readAny(of, limits)

/** A request whose body is a stream; `duplex` is what Node demands then, and what the DOM's types do not know. */
export function streaming(body: ReadableStream<Uint8Array>, headers: Record<string, string> = {}): Request {
  const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' }
  return new Request('http://127.0.0.1/tunnel', init)
}

/** A request whose body comes in blocks; `content-length` only where it is named. */
export function request(body: Uint8Array | readonly Uint8Array[], headers: Record<string, string> = {}): Request {
  const blocks = body instanceof Uint8Array ? [body] : body
  return streaming(
    new ReadableStream({
      start: (stream) => {
        for (const block of blocks) stream.enqueue(block)
        stream.close()
      },
    }),
    headers,
  )
}
