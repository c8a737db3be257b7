/** A seeded generator (mulberry32): the same numbers on every machine. */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const WORDS = (
  'amber anchor basil bridge candle cedar cobalt copper dune ember falcon fjord garnet harbor hazel indigo iris jasper ' +
  'kettle lagoon lantern maple marble meadow nutmeg oasis olive onyx pepper pine quartz raven river saffron slate sorrel ' +
  'thistle tundra velvet walnut willow winter zephyr zinc'
).split(' ')

/** Makes values of one seed. No value is a secret of a real service. */
export class Values {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = seeded(seed)
  }

  /** @returns an integer from `from` to `to`, both included */
  number(from: number, to: number): number {
    return from + Math.floor(this.#next() * (to - from + 1))
  }

  pick<Value>(list: readonly [Value, ...Value[]]): Value
  pick<Value>(list: readonly Value[]): Value | undefined
  pick<Value>(list: readonly Value[]): Value | undefined {
    return list[this.number(0, list.length - 1)]
  }

  signs(alphabet: string, length: number): string {
    let out = ''
    while (out.length < length) out += alphabet[this.number(0, alphabet.length - 1)] ?? ''
    return out
  }

  digits = (length: number): string => this.signs(DIGITS, length)
  hex = (length: number): string => this.signs('0123456789abcdef', length)
  upper = (length: number): string => this.signs(LOWER.toUpperCase() + DIGITS, length)
  lower = (length: number): string => this.signs(LOWER + DIGITS, length)
  /** Contains a digit, a small letter and a capital, as almost all random keys do. */
  alnum = (length: number): string => `a7K${this.signs(LOWER + LOWER.toUpperCase() + DIGITS, length - 3)}`
  uuid = (): string => [8, 4, 4, 4, 12].map((length) => this.hex(length)).join('-')
  word = (): string => WORDS[this.number(0, WORDS.length - 1)] ?? ''
  words = (many: number): string => Array.from({ length: many }, () => this.word()).join(' ')

  /** As people choose them; the longest run of letters and digits has eight signs or more. */
  password(): string {
    const word = `${this.word()}${this.word()}`
    const name = word[0]?.toUpperCase() + word.slice(1)
    return this.pick([
      `${name}${this.digits(2)}`,
      `${name}${this.digits(3)}!`,
      `${word}${this.digits(4)}`,
      `${this.digits(2)}-${name}#`,
    ])
  }

  /** With a valid check digit (ISO/IEC 7812-1). @param prefix digits of a card network, or others */
  luhn(prefix: string, length: number): string {
    const body = prefix + this.digits(length - prefix.length - 1)
    let sum = 0
    for (let index = 0; index < body.length; index += 1) {
      const digit = Number(body[body.length - 1 - index])
      const weighed = index % 2 === 0 ? digit * 2 : digit
      sum += weighed > 9 ? weighed - 9 : weighed
    }
    return `${body}${(10 - (sum % 10)) % 10}`
  }
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64')
const base64url = (text: string): string => Buffer.from(text).toString('base64url')

export const jwt = (values: Values): string =>
  [
    base64url('{"alg":"HS256","typ":"JWT"}'),
    base64url(`{"sub":"${values.digits(8)}","iat":1795000000}`),
    values.alnum(43),
  ].join('.')
