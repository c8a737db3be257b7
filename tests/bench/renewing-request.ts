import { randomFillSync } from 'node:crypto'
import { randomFrom } from '../faults/random'
import { PAGE_LOAD, transactionEnvelope } from './transaction-envelope'

/** Where random hex digits come from: many at once, for asking for each id costs more than sending it. */
export class HexSupply {
  readonly #random = Buffer.alloc(32 * 1024)
  #digits = Buffer.alloc(0)
  #taken = 0

  /** Writes so many fresh digits to each of some places. */
  write(target: Buffer, places: readonly number[], length: number): void {
    if (this.#taken + length > this.#digits.length) {
      this.#digits = Buffer.from(randomFillSync(this.#random).toString('hex'), 'latin1')
      this.#taken = 0
    }
    const digits = this.#digits
    const from = this.#taken
    for (const place of places) {
      // A loop of ours: for so few bytes the way into native code takes longer.
      for (let index = 0; index < length; index += 1) target[place + index] = digits[from + index] ?? 0
    }
    this.#taken += length
  }
}

/**
 * A whole HTTP request in one buffer, prepared before the clock starts: to be another envelope it only takes other ids,
 * and other times once a second. It must not be renewed before it was answered.
 */
export class RenewingRequest {
  readonly bytes: Buffer
  readonly bodyBytes: number
  readonly #ids: readonly { readonly length: number; readonly places: readonly number[] }[]
  readonly #times: readonly { readonly place: number; readonly plus: number }[]
  #second = 0

  constructor(given: { readonly host: string; readonly path: string; readonly seed: number }) {
    const made = transactionEnvelope(randomFrom(given.seed), PAGE_LOAD)
    const body = Buffer.from(made.text)
    const head = Buffer.from(
      [
        `POST ${given.path} HTTP/1.1`,
        `Host: ${given.host}`,
        'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
        'Accept: */*',
        'Origin: http://127.0.0.1:3000',
        'Content-Type: text/plain;charset=UTF-8',
        `Content-Length: ${body.length}`,
        '\r\n',
      ].join('\r\n'),
    )
    this.bytes = Buffer.concat([head, body])
    this.bodyBytes = body.length
    this.#ids = made.ids.map((id) => ({ length: id.length, places: placesOf(this.bytes, id) }))
    const text = this.bytes.toString('latin1')
    this.#times = [...text.matchAll(/(?<=timestamp":)1\d{9}(?=\.\d)/g)].map((found) => ({
      place: found.index,
      plus: Number(found[0]) - PAGE_LOAD.start,
    }))
  }

  /** @param second now, in s since the epoch. */
  renew(supply: HexSupply, second: number): void {
    for (const { length, places } of this.#ids) supply.write(this.bytes, places, length)
    if (second === this.#second) return
    this.#second = second
    for (const { place, plus } of this.#times) this.bytes.write(String(second + plus), place, 'latin1')
  }
}

function placesOf(bytes: Buffer, word: string): readonly number[] {
  const places: number[] = []
  for (let place = bytes.indexOf(word); place >= 0; place = bytes.indexOf(word, place + word.length)) places.push(place)
  return places
}
