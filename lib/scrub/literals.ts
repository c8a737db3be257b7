import { optionOfSecret, scrubParametersBut } from './parameters'
import { FILTERED, isNoSecretValue, type Removes } from './rules'
import { isSecretName } from './secret-names'

/** Opens a literal: a quote, also after a prefix like `f` or `rb`, but not the apostrophe in `don't`. */
const QUOTE = /["`]|(?:(?<![A-Za-z0-9])|(?<=(?<![A-Za-z0-9])[bfru]{1,2}))'/gi
/** `password = `, `"password": `, `env["PASSWORD"] = `, `password: str = `, `password == `, `passwords = [`. */
const ASSIGNED =
  /(?<![\w.-])([\w.-]+)["'`]?\]?(?:[ \t]{0,4}:[ \t]{0,4}[A-Za-z][\w.<>[\]|]{0,32})?[ \t]{0,4}(?:=>|={1,3}|:=?)[ \t]{0,4}([[(]{0,2})[ \t]{0,4}[bfru]{0,2}$/i
const LONGEST_ASSIGNED = 160
/** Before the first argument of a call, `set_extra(`, or the first value in a list of pairs, `[[`, `), (`. */
const CALL = /(?:[\w\])]\(|(?:\[|[\])][ \t]{0,4},)[ \t]{0,4}[[(])[ \t]{0,4}$/
const LONGEST_CALL = 16
const COMMA = /^[ \t]{0,4},[ \t]{0,4}[bfru]{0,2}$/i
const LONGEST_COMMA = 11

interface Literal {
  readonly from: number
  readonly to: number
}

/**
 * In source code a value is a secret only as a literal: assigned to a secret name, after one in a call, or inside a
 * literal (`"?token=abc"`). `password = form.password` and `f"?token={token}"` contain no secret.
 */
export function scrubLiterals(text: string, removes: Removes): string {
  let out = ''
  let kept = 0
  let before: Literal | null = null
  /** The secret name of the list that contains the literal. */
  let listName: string | null = null
  for (const literal of literalsOf(text)) {
    const value = text.slice(literal.from, literal.to)
    const assigned = assignedTo(text, literal)
    const isNextInList = before !== null && isBehindComma(text, before, literal)
    if (assigned?.isList === true) listName = assigned.name
    else if (!isNextInList) listName = null
    const name = assigned?.name ?? listName ?? (before === null ? null : nameOfArgument(text, before, literal))
    const isRemoved =
      name !== null &&
      saysSomething(value) &&
      removes({ rule: 'parameter', value, name, between: '="', text, at: literal.from })
    const scrubbed = isRemoved ? FILTERED : scrubParametersBut(value, isInterpolated, removes)
    if (scrubbed !== value) {
      out += text.slice(kept, literal.from) + scrubbed
      kept = literal.to
    }
    before = literal
  }
  return out + text.slice(kept)
}

const saysSomething = (value: string): boolean =>
  value !== '' && !isNoSecretValue(value) && endOfInterpolation(value, 0) < value.length

const isInterpolated = (text: string, at: number): boolean => endOfInterpolation(text, at) > at

/** The secret name to which the literal is assigned, as a value or as the first of a list. */
function assignedTo(text: string, { from }: Literal): { readonly name: string; readonly isList: boolean } | null {
  const [, name = '', brackets] = ASSIGNED.exec(text.slice(Math.max(0, from - 1 - LONGEST_ASSIGNED), from - 1)) ?? []
  return isSecretName(name) ? { name, isList: brackets !== '' } : null
}

function isBehindComma(text: string, before: Literal, { from }: Literal): boolean {
  const between = from - 1 - (before.to + 1)
  return between <= LONGEST_COMMA && COMMA.test(text.slice(before.to + 1, from - 1))
}

/** The name of a secret that `value` follows: the first argument of a call, or an option of a command. */
function nameOfArgument(text: string, name: Literal, value: Literal): string | null {
  if (!isBehindComma(text, name, value)) return null
  const called = text.slice(name.from, name.to)
  const option = optionOfSecret(called)
  if (option !== null) return text[value.from] === '-' ? null : option
  const isCall = CALL.test(text.slice(Math.max(0, name.from - 1 - LONGEST_CALL), name.from - 1))
  return isCall && isSecretName(called) ? called : null
}

/** A literal without its end goes to the end of the text. An apostrophe that nothing closes belongs to prose. */
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

/** `{token}`, `${token}`, `#{token}`, `%s`, `%(token)s`, `$TOKEN`, also after the name of a scheme. */
const INTERPOLATION =
  /(?:(?:bearer|basic|digest|token)[ \t]{1,4})?(?:[$#]?\{{1,2}[^{}"]{0,64}\}{1,2}|%[sdrvq]\b|%\(\w{1,64}\)[sdr]?|\$(?:[A-Za-z_]\w{0,64}|\([^()]{0,64}\)))/iy

function endOfInterpolation(text: string, at: number): number {
  INTERPOLATION.lastIndex = at
  return INTERPOLATION.test(text) ? INTERPOLATION.lastIndex : at
}
