import { hashOf } from './hash'
import { bucketTerms, DURATION, rangeTerms, type Scale, TIME } from './term-ranges'
import type { Wanted } from './wanted'

/*
 * Values as terms, for both sorts of index: what a trace or a segment is found by (`terms.ts`), and what the events and
 * signals of a record are (`record-terms.ts`).
 */

/** Most values come again and again: of each kind so many are remembered with what was made of them. */
const MOST_REMEMBERED = 1000
/** Longer words are made anew: what is remembered stays for ever. */
const LONGEST_REMEMBERED = 200

export function remembering<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
  const made = new Map<Given, Made>()
  return (given) => {
    const known = made.get(given)
    if (known !== undefined) return known
    const value = make(given)
    if (typeof given === 'string' && given.length > LONGEST_REMEMBERED) return value
    if (made.size === MOST_REMEMBERED) made.clear()
    made.set(given, value)
    return value
  }
}

/** A word as a number, which it may share with another: what is found is compared with its row. */
export const valueTerm = remembering((value: string) => hashOf(value).toString(36))

const bucketsOf = (scale: Scale) => {
  const terms = remembering((bucket: number) => bucketTerms(scale, bucket))
  return (value: number): readonly string[] => terms(scale.bucketOf(value))
}
export const timeTerms = bucketsOf(TIME)
export const durationTerms = bucketsOf(DURATION)

/** A term in the language of the index. */
export const quoted = (term: string): string => `"${term}"`

/** What of durations and times is asked for, in the language of the index. @param before stands before each term. */
export function rangesOf(wanted: Wanted, before = ''): readonly string[] {
  const { sinceUs, untilUs, minDurationUs, maxDurationUs } = wanted
  return [
    ...oneOfRange(DURATION, minDurationUs, maxDurationUs, before),
    ...oneOfRange(TIME, sinceUs, untilUs === undefined ? undefined : untilUs - 1, before),
  ]
}

function oneOfRange(
  scale: Scale,
  least: number | undefined,
  most: number | undefined,
  before: string,
): readonly string[] {
  if (least === undefined && most === undefined) return []
  const terms = rangeTerms(scale, least, most).map((term) => quoted(before + term))
  return [`(${terms.join(' OR ')})`]
}
