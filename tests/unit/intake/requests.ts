import { type BodyLimits, bodyLimits, type CheckStart, createBodyReader } from '../../../collector/intake/read-body'
import { fillZstd, measureZstd, startZstd } from '../../../collector/intake/zstd'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'

/** A timer that never fires. */
export const never = () => () => undefined
const decoder = {
  measure: async (wire: Uint8Array, limit: number) => measureZstd(wire, limit),
  fill: async (wire: Uint8Array, size: number) => fillZstd(wire, size),
  start: async (wire: Uint8Array, most: number) => startZstd(wire, most),
}
export const zstd = { small: decoder, large: decoder }
const reader = createBodyReader({ sizeLimits: SIZE_LIMITS, zstd, later: never, monotonic: () => 0 })
export const readBody = (
  of: Request,
  sizeLimits: BodyLimits = bodyLimits('envelope', SIZE_LIMITS),
  checkStart?: CheckStart,
) => reader.readBody(of, sizeLimits, checkStart)

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
