import { FILTERED } from './rule'
import { isSecretCookie, isSecretName } from './secret-names'

/** What every secret name has in it: most texts have none of them, and are not looked at further. */
const HAS_A_STEM =
  /pass|pwd|secret|token|auth|cred|otp|mfa|2fa|key|ssn|cv[cv]|csrf|xsrf|jwt|bearer|sessionid|factor|card|code|connect/i
/** A name, and what stands between it and its value; each run of a name's signs is looked at once. */
const NAME = /(?<![\w.%[\]-])([\w.%[\]-]+)(\\{0,3}["']?[ \t]{0,4}(?:=>?|:)[ \t]{0,4}\\{0,3}["']?)/g
const SCHEME = /(?:bearer|basic|digest|token)[ \t]+/iy
/** What no parameter's name says, but that of an address that is signed for its bearer. */
const SIGNATURES = new Set(['sig', 'signature', 'x-amz-signature', 'x-goog-signature', 'x-amz-security-token'])
const SAYS_NOTHING = /^(?:null|undefined|none|true|false|nil)$/i

/**
 * Values under secret names in a text: of a query (`?token=…`), a form, a header (`Authorization: Basic …`), a command's
 * options, JSON inside of a string. A value in quotes ends with them, another at a blank, a quote or `&`.
 */
export const scrubParameters = (text: string): string => scrubValues(text, 'any')

/** In a line of source a value is a secret where it is written out: `password = form.password` has none. */
export const scrubLiterals = (text: string): string => scrubValues(text, 'quoted')

function scrubValues(text: string, which: 'any' | 'quoted'): string {
  if (!text.includes('=') && !text.includes(':')) return text
  if (!HAS_A_STEM.test(text) && !/sig/i.test(text)) return text
  let out = ''
  let kept = 0
  NAME.lastIndex = 0
  for (let found = NAME.exec(text); found !== null; found = NAME.exec(text)) {
    const [whole, name = '', between = ''] = found
    if (which === 'quoted' && !QUOTED.test(between)) continue
    if (!saysSecret(name, between, text, found.index)) continue
    const from = found.index + whole.length
    const end = endOfValue(text, from, between)
    if (end === from || text.startsWith(FILTERED, from) || SAYS_NOTHING.test(text.slice(from, end))) continue
    out += text.slice(kept, from) + FILTERED
    kept = end
    NAME.lastIndex = end
  }
  return out + text.slice(kept)
}

function saysSecret(encoded: string, between: string, text: string, at: number): boolean {
  const name = decoded(encoded)
  if (between.startsWith('=') && SIGNATURES.has(name.toLowerCase())) return true
  const before = between.includes('=') ? '' : wordBefore(text, at)
  if (isProse(name, before, between)) return false
  // `Invalid API key: sk-1` says it in two words.
  return isSecretName(name) || (/^key$/i.test(name) && isSecretName(`${before} ${name}`))
}

/** `Unexpected token: }` and `auth: failed` are no headers. */
const isProse = (name: string, before: string, between: string): boolean =>
  between.startsWith(':') &&
  (/^auth$/i.test(name) || (/^token$/i.test(name) && /^(?:unexpected|illegal)$/i.test(before)))

const wordBefore = (text: string, at: number): string =>
  /([A-Za-z]{1,20}) $/.exec(text.slice(Math.max(0, at - 21), at))?.[1] ?? ''

function decoded(name: string): string {
  if (!name.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

const QUOTED = /(\\{0,3})(["'])$/
const UNQUOTED = /[^\s&"'<>\\]+/y
const CLOSERS = /[.,;)\]}]{1,8}$/

/** @param between ends in the quote that the value begins with, itself escaped where the text is JSON in JSON. */
function endOfValue(text: string, from: number, between: string): number {
  const quote = QUOTED.exec(between)
  if (quote !== null) return endOfQuoted(text, from, quote[1] ?? '', quote[2] ?? '')
  SCHEME.lastIndex = from
  UNQUOTED.lastIndex = SCHEME.test(text) ? SCHEME.lastIndex : from
  const value = UNQUOTED.exec(text)
  if (value === null) return from
  return value.index + value[0].replace(CLOSERS, '').length
}

/** Where the same quote stands again with as many backslashes before it, or the end of the text. */
function endOfQuoted(text: string, from: number, backslashes: string, quote: string): number {
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 1)) {
    let before = 0
    while (at - before > from && text[at - before - 1] === '\\') before += 1
    if (before === backslashes.length || (backslashes === '' && before % 2 === 0)) return at - before
  }
  return text.length
}

const COOKIE = /(^|[;,] {0,4})([^=;,\s]+)(=(?!\[Filtered\]))([^;]+)/g

/** A Cookie or Set-Cookie header: each by its name. */
export const scrubCookies = (text: string): string =>
  text.includes('=')
    ? text.replace(COOKIE, (whole: string, before: string, name: string, equals: string) =>
        isSecretCookie(name) ? `${before}${name}${equals}${FILTERED}` : whole,
      )
    : text
