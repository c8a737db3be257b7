import { meantBy } from '../../lib/config/nearest'
import { KNOWN_TYPES } from '../../lib/protocol/data-category'
import { usFromTimestamp } from '../../lib/protocol/json'
import { isStamp, STAMP_MEANT } from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { tokensOf } from '../../lib/protocol/search-tokens'

/** Reads the text of one parameter. @returns its value, or what is meant. */
export type ReadValue<Value> = (text: string, nowMs: number) => Result<Value, string>

const MOST_WORDS_ASKED = 8
const LONGEST_WORD_ASKED = 64
const MOST_LETTERS_SLIPPED = 2

const US_OF_UNIT: Readonly<Record<string, number>> = {
  us: 1,
  µs: 1,
  ms: 1000,
  s: 1e6,
  m: 60e6,
  h: 3600e6,
  d: 86_400e6,
}

/** A word that has to be the same as the thing's own. */
export const word: ReadValue<string> = (text) => succeed(text)

export const stamp: ReadValue<string> = (text) => (isStamp(text) ? succeed(text) : fail(STAMP_MEANT))

/** Senders have words of their own beside the known ones; a word that is nearly a known one is a slip. */
export const knownOrOwn =
  (known: readonly string[], fold: (text: string) => string = (text) => text): ReadValue<string> =>
  (text) => {
    const folded = fold(text)
    const meant = known.includes(folded) ? null : meantBy(folded.slice(0, 40), known, MOST_LETTERS_SLIPPED)
    return meant === null ? succeed(text) : fail(`${meant}, or a word that is less like it`)
  }

export const itemType: ReadValue<string> = knownOrOwn(KNOWN_TYPES)

export const oneOf =
  <Word extends string>(words: readonly Word[]): ReadValue<Word> =>
  (text) => {
    const found = words.find((one) => one === text)
    if (found !== undefined) return succeed(found)
    const meant = meantBy(text.slice(0, 40), words)
    return fail(`one of ${words.join(', ')}${meant === null ? '' : `; did you mean ${meant}?`}`)
  }

/** Gives a word the value it stands for. */
export const named =
  <Name extends string, Value>(values: Readonly<Record<Name, Value>>): ReadValue<Value> =>
  (text, nowMs) => {
    const name = oneOf(Object.keys(values) as Name[])(text, nowMs)
    return name.ok ? succeed(values[name.value]) : name
  }

/** Upstream's status; `null` where no answer came. */
export const answerStatus: ReadValue<number | null> = (text) => {
  if (text === 'none') return succeed(null)
  return /^[1-5]\d\d$/.test(text)
    ? succeed(Number(text))
    : fail('a status from 100 to 599, or none where no answer came')
}

export const envelopeNumber: ReadValue<number> = (text) =>
  /^\d{1,15}$/.test(text) ? succeed(Number(text)) : fail('the number of an envelope')

export const idOf =
  (read: (text: string) => string | null, meant: string): ReadValue<string> =>
  (text) => {
    const id = read(text)
    return id === null ? fail(meant) : succeed(id)
  }

/** µs; a bare number is ms. */
export const duration: ReadValue<number> = (text) => {
  const us = usOf(/^(\d{1,12}(?:\.\d{1,6})?)(us|µs|ms|s|m|h)?$/.exec(text), 'ms')
  return us === null ? fail('a duration such as 250ms, 1.5s, 90us or 2m; a bare number is ms') : succeed(us)
}

/** µs since the epoch. */
export const time: ReadValue<number> = (text, nowMs) => {
  const age = usOf(/^(\d{1,9}(?:\.\d{1,6})?)(s|m|h|d)$/.exec(text), '')
  if (age !== null) return succeed(Math.max(0, nowMs * 1000 - age))
  // A plus of a time zone that was not written as %2B arrives as a space.
  const read = /^\d+(?:\.\d+)?$/.test(text)
    ? usOfEpoch(Number(text))
    : usFromTimestamp(text.replace(/ (?=\d\d:?\d\d$)/, '+'))
  return read === null
    ? fail('a time such as 2026-11-20T10:00:00Z, seconds or ms since the epoch, or an age such as 15m, 2h or 1d')
    : succeed(read)
}

/** Seconds of a year beyond 5000 are milliseconds of ours. */
function usOfEpoch(value: number): number | null {
  const us = Math.round(value < 1e11 ? value * 1e6 : value * 1000)
  return Number.isSafeInteger(us) ? us : null
}

function usOf(found: RegExpExecArray | null, bare: string): number | null {
  if (found === null) return null
  const [, amount, unit = bare] = found
  return Math.round(Number(amount) * (US_OF_UNIT[unit] ?? Number.NaN))
}

/** Words, each of which has to begin one of the thing's. */
export const words: ReadValue<readonly string[]> = (text) => {
  const found = tokensOf(text)
  const meant = `1 to ${MOST_WORDS_ASKED} words of at most ${LONGEST_WORD_ASKED} characters`
  if (found.length === 0) return fail(`${meant}: letters or digits`)
  if (found.length > MOST_WORDS_ASKED) return fail(`${meant}; these are ${found.length}`)
  const long = found.find((one) => one.length > LONGEST_WORD_ASKED)
  return long === undefined ? succeed(found) : fail(`${meant}; one of these has ${long.length}`)
}
