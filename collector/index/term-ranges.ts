/*
 * Numbers as terms of an index that knows no order: each stands in buckets of several sizes, and a range is the few
 * buckets that fill it. The outermost buckets reach beyond the range, so what they find is compared with its row.
 */

/** How a kind of number is put into buckets. */
export interface Scale {
  readonly letter: string
  /** The number of the smallest bucket that a value is in; never falls as values grow. */
  readonly bucketOf: (value: number) => number
  readonly last: number
  /** Sizes, from the smallest: as many as 2 to the power of this of the smallest ones are one. */
  readonly sizes: readonly number[]
}

/**
 * Of 17 s; larger ones are 16 of the next smaller: 4.5 min, 72 min, 19 h, 13 d, 204 d. All times before September 2005
 * are one bucket, and so are all from 2041 on: a range without an end is so many fewer.
 */
const TIME_BUCKET_US = 2 ** 24
const FIRST_TIME = 2 ** 26
const LAST_TIME = 2 ** 26 - 1

export const TIME: Scale = {
  letter: 't',
  bucketOf: (us) => Math.min(LAST_TIME, Math.max(0, Math.floor(us / TIME_BUCKET_US) - FIRST_TIME)),
  last: LAST_TIME,
  sizes: [0, 4, 8, 12, 16, 20],
}

const float = new DataView(new ArrayBuffer(8))
/** Of 1: what a 64-bit float begins with, its exponent and 3 bits of its fraction. */
const FIRST_DURATION = 1023 * 8

const LAST_DURATION = 53 * 8 + 7

/**
 * Eight buckets for each doubling, so that the largest of one is a ninth to an eighth above the smallest. Durations of
 * three centuries and more are one bucket.
 */
export const DURATION: Scale = {
  letter: 'd',
  bucketOf: (us) => {
    float.setFloat64(0, Math.max(0, us) + 1)
    return Math.min(LAST_DURATION, (float.getUint32(0) >>> 17) - FIRST_DURATION)
  },
  last: LAST_DURATION,
  sizes: [0, 3, 6],
}

const termOf = (scale: Scale, size: number, bucket: number): string =>
  `${scale.letter}${size.toString(36)}${bucket.toString(36)}`

/** A smallest bucket, and the larger ones that it is in. */
export const bucketTerms = (scale: Scale, bucket: number): readonly string[] =>
  scale.sizes.map((size) => termOf(scale, size, bucket >>> size))

/** Buckets that together hold every value from `least` to `most`, both included; `undefined` is without end. */
export function rangeTerms(scale: Scale, least: number | undefined, most: number | undefined): readonly string[] {
  let low = least === undefined ? 0 : scale.bucketOf(least)
  let high = most === undefined ? scale.last : scale.bucketOf(most)
  const terms: string[] = []
  for (const [index, size] of scale.sizes.entries()) {
    const next = scale.sizes[index + 1]
    // The largest ones fill what is left.
    const many = next === undefined ? Number.POSITIVE_INFINITY : 2 ** (next - size)
    while (low <= high && (many === Number.POSITIVE_INFINITY || low % many !== 0)) {
      terms.push(termOf(scale, size, low))
      low += 1
    }
    while (low <= high && (high + 1) % many !== 0) {
      terms.push(termOf(scale, size, high))
      high -= 1
    }
    if (low > high) break
    low /= many
    high = (high + 1) / many - 1
  }
  // A range that ends before it begins holds nothing: no value is in this bucket.
  return terms.length === 0 ? [scale.letter] : terms
}
