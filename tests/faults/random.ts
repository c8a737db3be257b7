/** Pseudo-random numbers, the same for the same seed. */
export interface Random {
  /** At least 0, less than 1. */
  readonly fraction: () => number
  /** A whole number, both ends included. */
  readonly between: (least: number, most: number) => number
  readonly bytes: (length: number) => Buffer
}

/** A linear congruential generator over 48 bits; it returns the upper 32. */
export function randomFrom(seed: number): Random {
  let state = (BigInt(Math.trunc(seed)) ^ 0x5deece66dn) & MASK
  const next = (): number => {
    state = (state * 0x5deece66dn + 0xbn) & MASK
    return Number(state >> 16n)
  }
  const fraction = (): number => next() / 2 ** 32
  const between = (least: number, most: number): number => least + Math.floor(fraction() * (most - least + 1))
  return {
    fraction,
    between,
    bytes: (length) => {
      const numbers = Uint32Array.from({ length: Math.ceil(length / 4) }, next)
      return Buffer.from(numbers.buffer, 0, length)
    },
  }
}

const MASK = (1n << 48n) - 1n
