import { type ParseArgsConfig, parseArgs } from 'node:util'
import { fail, type Result, succeed } from '../../lib/protocol/result'

type Options = NonNullable<ParseArgsConfig['options']>
type Values<Of extends Options> = ReturnType<typeof parseArgs<{ args: string[]; options: Of }>>['values']

/** What was typed behind a bench, by its names; a sentence where a word is none of them. */
export function flagsOf<const Of extends Options>(words: readonly string[], options: Of): Result<Values<Of>, string> {
  try {
    return succeed(parseArgs({ args: [...words], options }).values)
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

/** `--rate=N`; `null` where it was left out. */
export function rateOf(text: string | undefined): Result<number | null, string> {
  if (text === undefined) return succeed(null)
  const rate = Number(text)
  return rate >= 1 ? succeed(rate) : fail(`--rate=${text}: meant are envelopes a second, 1 or more`)
}

/** A flag that counts something. @param otherwise what it is when it was left out */
export function countOf(name: string, text: string | undefined, otherwise: number, least = 1): Result<number, string> {
  const count = text === undefined ? otherwise : Number(text)
  return Number.isInteger(count) && count >= least
    ? succeed(count)
    : fail(`--${name}=${text}: meant is a count, ${least} or more`)
}
