import { endOfInterpolation } from './interpolated'
import { optionOfSecret } from './options'
import { scrubParametersBut } from './parameters'
import { FILTERED, saysNothing } from './rule'
import { isSecretName } from './secret-names'

/** What begins a literal: an apostrophe also behind `f` or `rb`, but not in `don't`. */
const QUOTE = /["`]|(?:(?<![A-Za-z0-9])|(?<=(?<![A-Za-z0-9])[bfru]{1,2}))'/gi
/**
 * `password = `, `"password": `, `env["PASSWORD"] = `, `password: str = `, `password == `, and `passwords = [`; looked for in
 * what is this long.
 */
const ASSIGNED =
  /(?<![\w.-])([\w.-]+)["'`]?\]?(?:[ \t]{0,4}:[ \t]{0,4}[A-Za-z][\w.<>[\]|]{0,32})?[ \t]{0,4}(?:=>|={1,3}|:=?)[ \t]{0,4}([[(]{0,2})[ \t]{0,4}[bfru]{0,2}$/i
const LONGEST_ASSIGNED = 160
/** Before the first argument of a call, `set_extra(`, or the first of a pair among pairs, `[[`, `), (`. */
const CALL = /(?:[\w\])]\(|(?:\[|[\])][ \t]{0,4},)[ \t]{0,4}[[(])[ \t]{0,4}$/
const LONGEST_CALL = 16
const COMMA = /^[ \t]{0,4},[ \t]{0,4}[bfru]{0,2}$/i
const LONGEST_COMMA = 11

interface Literal {
  readonly from: number
  /** Of its closing quote, or the end of the text. */
  readonly to: number
}

/**
 * In a line of source a value is a secret where it is written out: assigned to a secret name, behind one in a call, or within
 * a literal (`"?token=abc"`). `password = form.password` has none, nor has `f"?token={token}"`.
 */
export function scrubLiterals(text: string): string {
  let out = ''
  let kept = 0
  let before: Literal | null = null
  let isInSecretList = false
  for (const literal of literalsOf(text)) {
    const value = text.slice(literal.from, literal.to)
    const assigned = assignedTo(text, literal)
    isInSecretList = assigned === 'list' || (isInSecretList && before !== null && isBehindComma(text, before, literal))
    const isSecret = assigned !== null || isInSecretList || (before !== null && isArgument(text, before, literal))
    const scrubbed = isSecret && saysSomething(value) ? FILTERED : scrubParametersBut(value, isInterpolated)
    if (scrubbed !== value) {
      out += text.slice(kept, literal.from) + scrubbed
      kept = literal.to
    }
    before = literal
  }
  return out + text.slice(kept)
}

const saysSomething = (value: string): boolean =>
  value !== '' && !saysNothing(value) && endOfInterpolation(value, 0) < value.length

/** Does a program put the value in here when it runs? */
const isInterpolated = (text: string, at: number): boolean => endOfInterpolation(text, at) > at

/** Is it the value under a name that says secret, or the first of several? */
function assignedTo(text: string, { from }: Literal): 'value' | 'list' | null {
  const [, name = '', brackets] = ASSIGNED.exec(text.slice(Math.max(0, from - 1 - LONGEST_ASSIGNED), from - 1)) ?? []
  if (!isSecretName(name)) return null
  return brackets === '' ? 'value' : 'list'
}

function isBehindComma(text: string, before: Literal, { from }: Literal): boolean {
  const between = from - 1 - (before.to + 1)
  return between <= LONGEST_COMMA && COMMA.test(text.slice(before.to + 1, from - 1))
}

/** Is `value` what stands behind the name of a secret, which is the first argument of a call, or an option of a command? */
function isArgument(text: string, name: Literal, value: Literal): boolean {
  if (!isBehindComma(text, name, value)) return false
  const called = text.slice(name.from, name.to)
  if (optionOfSecret(called) !== null) return text[value.from] !== '-'
  return CALL.test(text.slice(Math.max(0, name.from - 1 - LONGEST_CALL), name.from - 1)) && isSecretName(called)
}

/** One that was cut off goes to the end of the text; an apostrophe that nothing closes is one of prose. */
function* literalsOf(text: string): Generator<Literal> {
  const quotes = new RegExp(QUOTE)
  let isLastApostrophe = false
  for (let found = quotes.exec(text); found !== null; found = quotes.exec(text)) {
    const [quote] = found
    const from = quotes.lastIndex
    const to = quote === "'" && isLastApostrophe ? null : closing(text, from, quote)
    const literal = { from, to: to ?? text.length }
    if (to === null && quote === "'" && assignedTo(text, literal) === null) {
      isLastApostrophe = true
      continue
    }
    yield literal
    quotes.lastIndex = literal.to + 1
  }
}

function closing(text: string, from: number, quote: string): number | null {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 1)) {
    let backslashes = 0
    while (at - backslashes > from && text[at - backslashes - 1] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return at
  }
  return null
}
