import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'

/** A shorter body grows, or costs more time than it saves space. */
const DEFLATE_FROM_BYTES = 512

/** zlib joins its output of several chunks; in one chunk, a body of 12 KB takes half the time. */
const MAX_CHUNK_BYTES = 1024 * 1024

const chunkSizeFor = (bytes: number): number => Math.max(64, Math.min(Math.ceil(bytes), MAX_CHUNK_BYTES))

/** A body as it is stored. */
export interface StoredBody {
  readonly deflated: boolean
  readonly body: Uint8Array
}

/** A stored body, or what is stored with it, cannot be read as it was received. Errors cross threads by their name. */
export class BodyDamagedError extends Error {
  static readonly NAME = 'BodyDamagedError'

  constructor(why: string) {
    super(`the record is damaged: ${why}`)
    this.name = BodyDamagedError.NAME
  }
}

export function deflateBody(body: Uint8Array): StoredBody {
  if (body.length < DEFLATE_FROM_BYTES) return { deflated: false, body }
  // The fastest level, because a sender waits for the answer.
  const small = deflateRawSync(body, { level: 1, chunkSize: chunkSizeFor(body.length / 2) })
  return small.length < body.length ? { deflated: true, body: small } : { deflated: false, body }
}

/** Everything of a record that is relayed or counted, as it is stored. */
interface StoredParts {
  readonly body: Uint8Array
  readonly facts: string
  readonly quantities: string
}

export interface CheckedRow extends StoredParts {
  readonly deflated: number
  readonly bytes: number
  /** `null` for a record of an earlier version. */
  readonly checksum: number | null
}

/** The CRC-32 of body, facts and quantities. */
export const checksumOf = ({ body, facts, quantities }: StoredParts): number =>
  crc32(quantities, crc32(facts, crc32(body)))

/** Bytes of a record besides its body and texts: keys, index entries, its first facts and outcome. */
const RECORD_OVERHEAD_BYTES = 512

/** Bytes that a record counts for in a disk budget. */
export const storedBytes = ({ body, facts, quantities }: StoredParts): number =>
  body.length + facts.length + quantities.length + RECORD_OVERHEAD_BYTES

/** The body as it was received. @throws BodyDamagedError also when facts or quantities have changed. */
export function readBody(row: CheckedRow): Uint8Array {
  if (row.checksum !== null && row.checksum !== checksumOf(row)) throw new BodyDamagedError('its checksum differs')
  return inflateBody(row)
}

/** @returns `null` when the record is damaged. The relay then reads it alone, and gets the error */
export function readBodyUnlessDamaged(row: CheckedRow): Uint8Array | null {
  try {
    return readBody(row)
  } catch (error) {
    if (error instanceof BodyDamagedError) return null
    throw error
  }
}

/** Without the checksum. @throws BodyDamagedError when it cannot be inflated or has another length than was received. */
export function inflateBody(row: {
  readonly deflated: number
  readonly bytes: number
  readonly body: Uint8Array
}): Uint8Array {
  const body = row.deflated === 1 ? inflate(row.body, row.bytes) : row.body
  if (body.length !== row.bytes) throw new BodyDamagedError(`it has ${body.length} bytes of ${row.bytes}`)
  return body
}

function inflate(body: Uint8Array, bytes: number): Uint8Array {
  try {
    // In one chunk, which zlib need not join. One byte more than the body has: zlib then sees the end without another chunk.
    return inflateRawSync(body, { chunkSize: Math.max(64, bytes + 1), maxOutputLength: Math.max(1, bytes + 1) })
  } catch (error) {
    throw new BodyDamagedError(error instanceof Error ? error.message : String(error))
  }
}
