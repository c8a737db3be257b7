import { randomFillSync } from 'node:crypto'
import { randomFrom } from '../faults/random'
import type { SentBody } from './messages'
import { mixedEnvelope } from './mixed-envelope'
import { otlpRequest } from './otlp-request'
import { PAGE_LOAD, transactionEnvelope } from './transaction-envelope'

/** Supplies random hex digits from a buffer, because a system call for each id costs more than sending it. */
export class HexSupply {
  readonly #random = Buffer.alloc(32 * 1024)
  #digits = Buffer.alloc(0)
  #taken = 0

  /** Writes `length` new digits, the same ones to each offset. */
  write(target: Buffer, offsets: readonly number[], length: number): void {
    if (this.#taken + length > this.#digits.length) {
      this.#digits = Buffer.from(randomFillSync(this.#random).toString('hex'), 'latin1')
      this.#taken = 0
    }
    const digits = this.#digits
    const from = this.#taken
    for (const offset of offsets) {
      // For so few bytes a loop is faster than a call into native code.
      for (let index = 0; index < length; index += 1) target[offset + index] = digits[from + index] ?? 0
    }
    this.#taken += length
  }
}

interface MadeBody {
  readonly body: Buffer
  readonly ids: readonly string[]
  readonly contentType: string
}

const PLAIN_TEXT = 'text/plain;charset=UTF-8'
const MAKERS: Readonly<Record<SentBody, (seed: number) => MadeBody>> = {
  envelope: (seed) => {
    const { text, ids } = transactionEnvelope(randomFrom(seed), PAGE_LOAD)
    return { body: Buffer.from(text), ids, contentType: PLAIN_TEXT }
  },
  mixed: (seed) => {
    const text = mixedEnvelope(randomFrom(seed), seed)
    const ids = new Set([...text.matchAll(/(?<=")(?:[0-9a-f]{32}|[0-9a-f]{16})(?=")/g)].map(([id]) => id))
    return { body: Buffer.from(text), ids: [...ids], contentType: PLAIN_TEXT }
  },
  otlp: () => ({ ...otlpRequest(Date.now()), contentType: 'application/x-protobuf' }),
}

/**
 * An HTTP request in one buffer, prepared before the measurement. Renewing it replaces its ids, and once a second its
 * timestamps. Renew it only after its answer.
 */
export class RenewingRequest {
  readonly bytes: Buffer
  readonly bodyBytes: number
  readonly #ids: readonly { readonly length: number; readonly offsets: readonly number[] }[]
  readonly #times: readonly { readonly offset: number; readonly plus: number }[]
  #second = 0

  constructor(given: {
    readonly host: string
    readonly path: string
    readonly body: SentBody
    readonly seed: number
  }) {
    const { body, ids, contentType } = MAKERS[given.body](given.seed)
    const head = Buffer.from(
      [
        `POST ${given.path} HTTP/1.1`,
        `Host: ${given.host}`,
        'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
        'Accept: */*',
        'Origin: http://127.0.0.1:3000',
        `Content-Type: ${contentType}`,
        `Content-Length: ${body.length}`,
        '\r\n',
      ].join('\r\n'),
    )
    this.bytes = Buffer.concat([head, body])
    this.bodyBytes = body.length
    this.#ids = ids.map((id) => ({ length: id.length, offsets: offsetsOf(this.bytes, id) }))
    const text = this.bytes.toString('latin1')
    this.#times = [...text.matchAll(/(?<=timestamp":)1\d{9}(?=\.\d)/g)].map((found) => ({
      offset: found.index,
      plus: Number(found[0]) - PAGE_LOAD.start,
    }))
  }

  /** @param second now, in s since the epoch */
  renew(supply: HexSupply, second: number): void {
    for (const { length, offsets } of this.#ids) supply.write(this.bytes, offsets, length)
    if (second === this.#second) return
    this.#second = second
    for (const { offset, plus } of this.#times) this.bytes.write(String(second + plus), offset, 'latin1')
  }
}

function offsetsOf(bytes: Buffer, id: string): readonly number[] {
  const offsets: number[] = []
  for (let offset = bytes.indexOf(id); offset >= 0; offset = bytes.indexOf(id, offset + id.length)) offsets.push(offset)
  return offsets
}
