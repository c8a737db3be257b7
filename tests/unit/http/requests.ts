import { type BodyLimits, bodyLimits, createBodyReader } from '../../../collector/http/read-body'
import { fillZstd, measureZstd } from '../../../collector/http/zstd'
import { LIMITS } from '../../../lib/protocol/limits'

/** A timer that never fires. */
export const never = () => () => undefined
export const zstd = {
  measure: async (wire: Uint8Array, limit: number) => measureZstd(wire, limit),
  fill: async (wire: Uint8Array, size: number) => fillZstd(wire, size),
}
const readAny = createBodyReader({ limits: LIMITS, zstd, later: never })
export const readBody = (of: Request, limits: BodyLimits = bodyLimits('envelope', LIMITS)) => readAny(of, limits)

/** A request with a stream as its body. Node requires `duplex`, which the DOM types lack. */
export function streaming(body: ReadableStream<Uint8Array>, headers: Record<string, string> = {}): Request {
  const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' }
  return new Request('http://127.0.0.1/tunnel', init)
}

/** A request whose body arrives in blocks, without `content-length` unless given. */
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
