import { openBlocks } from '../../lib/protocol/body'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { MemoryBudget, Reservation } from '../../lib/tunnel/memory-budget'
import { freeBuffer } from '../runtime/free-buffer'

/** A `Request`, or headers and stream of Node's own request, which take half as long. */
export interface IncomingBody {
  readonly headers: Pick<Headers, 'get'>
  readonly body: AsyncIterable<Uint8Array> | null
}

/** Small bodies have memory of their own, so that large ones cannot delay them. */
export interface Lanes {
  readonly small: MemoryBudget
  readonly large: MemoryBudget
}

/** A body up to this size, on the wire and decoded, is a small one. */
export const SMALL_BYTES = 64 * 1024

export interface Received {
  readonly bytes: Uint8Array
  /** Of the lane where the body is now. */
  readonly memory: Reservation
  readonly isSmall: boolean
}

export type Unreceived<Refused> = 'too large' | 'no memory' | 'aborted' | 'too slow' | { readonly refused: Refused }

/** A larger Content-Length is not trusted until this much has arrived: a false one costs a sender nothing. */
const TRUSTED_BYTES = 1024 * 1024

/**
 * Reserves the memory of each chunk before keeping it. Reads nothing more from the sender while it waits for memory. Each
 * body begins in the small lane, and changes to the large one when it exceeds 64 KiB.
 * @param given.stated the Content-Length
 * @param given.most bytes on the wire
 * @param given.check judges the first 64 KiB of a larger body, which then take no memory of the large lane if refused
 */
export async function receiveBytes<Refused>(
  incoming: IncomingBody,
  lanes: Lanes,
  given: {
    readonly stated: string | null
    readonly most: number
    readonly check: (start: Uint8Array) => Promise<Refused | null>
  },
): Promise<Result<Received, Unreceived<Refused>>> {
  const { stated, most, check } = given
  const announced = stated !== null && /^\d{1,15}$/.test(stated) ? Number(stated) : 0
  const blocks = openBlocks(most)
  const chunks = incoming.body?.[Symbol.asyncIterator]()
  let drop: (how: 'dropped') => void = () => undefined
  const dropped = new Promise<'dropped'>((resolve) => {
    drop = resolve
  })
  let memory = lanes.small.open(() => drop('dropped'))
  let isSmall = true
  let reserved = 0
  const refuse = (why: Unreceived<Refused>) => {
    memory.close()
    for (const block of blocks.close()) freeBuffer(block)
    return fail(why)
  }
  /** Leaves a body that is not read to its end. A chunk that is still awaited ends with its connection. */
  const leave = (): void => void chunks?.return?.().catch(() => undefined)

  try {
    for (;;) {
      const awaited = chunks?.next()
      const next = await Promise.race([awaited, dropped])
      if (next === 'dropped') {
        awaited?.catch(() => undefined)
        leave()
        return refuse('too slow')
      }
      if (next === undefined || next.done === true) break
      const chunk = next.value
      memory.arrived(chunk.length)
      const size = blocks.byteLength() + chunk.length
      if (size > most) {
        leave()
        return refuse('too large')
      }
      if (isSmall && size > SMALL_BYTES) {
        const refused = await check(Buffer.concat([...blocks.close(), chunk]))
        // Not kept while waiting for the other lane: small bodies would wait for large ones.
        memory.close()
        if (refused !== null) {
          leave()
          return refuse({ refused })
        }
        memory = lanes.large.open(() => drop('dropped'))
        isSmall = false
        reserved = 0
      }
      if (size > reserved) {
        const isTrusted =
          announced === size || (!isSmall && announced > size && (announced <= TRUSTED_BYTES || size >= TRUSTED_BYTES))
        const needed = isTrusted ? announced : size
        if (!(await memory.reserve(needed - reserved))) {
          leave()
          return refuse('no memory')
        }
        reserved = needed
        if (isTrusted) blocks.widen(announced)
      }
      blocks.add(chunk)
    }
  } catch (error) {
    const refused = refuse('aborted')
    if (!isAbort(error)) throw error
    return refused
  }
  memory.complete()
  const whole = await concatenate(blocks.close(), blocks.byteLength(), memory)
  return whole.ok ? succeed({ bytes: whole.value, memory, isSmall }) : refuse(whole.error)
}

/** Node's error of a request whose connection closed; after a time-out, and at a stop, the collector closed it. */
const isAbort = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === PREMATURE_CLOSE)
const PREMATURE_CLOSE = 'ERR_STREAM_PREMATURE_CLOSE'

async function concatenate(
  parts: readonly Uint8Array[],
  size: number,
  memory: Reservation,
): Promise<Result<Uint8Array, 'no memory'>> {
  const [first = new Uint8Array(), ...others] = parts
  if (others.length === 0) return succeed(first)
  if (size <= TRUSTED_BYTES) return succeed(Buffer.concat(parts, size))
  if (!(await memory.reserve(size))) return fail('no memory')
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
    freeBuffer(part)
  }
  memory.free(size)
  return succeed(whole)
}
