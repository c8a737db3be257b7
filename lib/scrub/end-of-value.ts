/** A string of JSON that is in six others has 63 backslashes before a quote. */
const QUOTED = /(\\{0,63})(["'])$/
const UNQUOTED = /[^\s&"'<>\\]+/y
const CLOSERS = /[.,;)\]}]{1,8}$/
const SCHEME = /(?:bearer|basic|digest|token|apikey|negotiate)[ \t]+/iy
const COUNTERPARTS: Readonly<Record<string, string>> = { '[': ']', '{': '}', '(': ')' }
/** Brackets, and quotes: a bracket inside quotes does not count. */
const SIGN = /[[\]{}()"']/g
const BEFORE_QUOTE = /[[{(,:=>]\s{0,8}\\{0,3}$/
const GOES_ON = /[^\s&"'<>\\,;:.)\]}]/y

export const isQuoted = (between: string): boolean => QUOTED.test(between)

/**
 * At the closing quote or bracket, or at a blank, a quote or `&`; without one, the end of the text (scanned once).
 * @param between the text before the value; its last quote, if any, opens the value and may be escaped (JSON in JSON).
 */
export function endOfValue(text: string, from: number, between: string): number {
  const quote = QUOTED.exec(between)
  if (quote !== null) return endOfQuoted(text, from, quote[1] ?? '', quote[2] ?? '')
  const counterpart = COUNTERPARTS[text[from] ?? '']
  if (counterpart !== undefined) {
    const end = endOfBrackets(text, from, counterpart)
    GOES_ON.lastIndex = end
    return GOES_ON.test(text) ? endOfUnquoted(text, end) : end
  }
  SCHEME.lastIndex = from
  if (!SCHEME.test(text)) return endOfUnquoted(text, from)
  // A program may append the value: `"Authorization: Bearer " + token`.
  const behind = SCHEME.lastIndex
  const end = endOfUnquoted(text, behind)
  return end === behind ? from : end
}

function endOfUnquoted(text: string, from: number): number {
  UNQUOTED.lastIndex = from
  const value = UNQUOTED.exec(text)
  return value === null ? from : value.index + value[0].replace(CLOSERS, '').length
}

/** The next quote of the same kind with as many backslashes, or the end of the text. */
function endOfQuoted(text: string, from: number, backslashes: string, quote: string): number {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 1)) {
    const before = backslashesBefore(text, at, from)
    if (before === backslashes.length || (backslashes === '' && before % 2 === 0)) return at - before
  }
  return text.length
}

function backslashesBefore(text: string, at: number, from: number): number {
  let before = 0
  while (at - before > from && text[at - before - 1] === '\\') before += 1
  return before
}

/** After the closing bracket for the one at `from`, with nested brackets as in JSON and printed objects. */
function endOfBrackets(text: string, from: number, counterpart: string): number {
  const opening = text[from]
  let depth = 0
  SIGN.lastIndex = from
  for (let found = SIGN.exec(text); found !== null; found = SIGN.exec(text)) {
    const { 0: sign, index } = found
    if (sign === '"' || sign === "'") SIGN.lastIndex = behindQuoted(text, index, from, sign)
    else if (sign === opening) depth += 1
    else if (sign === counterpart) depth -= 1
    if (depth === 0) return index + 1
  }
  return text.length
}

/** An apostrophe inside a word does not open a quote. */
function behindQuoted(text: string, at: number, from: number, quote: string): number {
  if (!BEFORE_QUOTE.test(text.slice(Math.max(from, at - 12), at))) return at + 1
  const backslashes = '\\'.repeat(backslashesBefore(text, at, from))
  const end = endOfQuoted(text, at + 1, backslashes, quote)
  const closing = text.indexOf(quote, end)
  return closing < 0 ? text.length : closing + 1
}
