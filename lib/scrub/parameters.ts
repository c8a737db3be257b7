import { scrubEncodedParameters } from './encoded-parameters'
import { endOfValue, isQuoted } from './end-of-value'
import { scrubOptions } from './options'
import { FILTERED, saysNothing } from './rule'
import { isSecretCookie, isSecretName } from './secret-names'

/** What every secret name has in it: most texts have none of them, and are not looked at further. */
const HAS_A_STEM =
  /pass|pwd|secret|token|auth|cred|otp|mfa|2fa|key|ssn|cv[cv]|csrf|xsrf|jwt|bearer|sessionid|factor|card|code|connect/i
/** A name, and what stands between it and its value; each run of a name's signs is looked at once. */
const NAME = /(?<![\w.%[\]-])([\w.%[\]-]+)(\\{0,3}["']?\]?[ \t]{0,4}(?:=>|={1,3}|:=?)[ \t]{0,4}\\{0,3}["']?)/g
/** What no parameter's name says, but that of an address that is signed for its bearer. */
const SIGNATURES = new Set(['sig', 'signature', 'x-amz-signature', 'x-goog-signature', 'x-amz-security-token'])
const QUOTE_OF_NAME = /^\\{0,3}["']/

/**
 * Values under secret names in a text: of a query (`?token=…`), a form, a header (`Authorization: Basic …`), a command's
 * options, JSON inside of a string; and of an address inside of an address.
 */
export const scrubParameters = (text: string): string => scrubParametersBut(text, () => false)

/** @param stays of the text, and of where a value begins in it. */
export function scrubParametersBut(text: string, stays: Stays): string {
  if (!HAS_A_STEM.test(text) && !/sig/i.test(text)) return text
  return scrubOptions(scrubEncodedParameters(scrubValues(text, stays)), stays)
}
type Stays = (text: string, at: number) => boolean

function scrubValues(text: string, stays: Stays): string {
  if (!text.includes('=') && !text.includes(':')) return text
  let out = ''
  let kept = 0
  NAME.lastIndex = 0
  for (let found = NAME.exec(text); found !== null; found = NAME.exec(text)) {
    const [whole, name = '', between = ''] = found
    if (!saysSecret(name, between, text, found.index)) continue
    const from = found.index + whole.length
    // What goes on before the end of a value must not look for the end again.
    if (text.startsWith(FILTERED, from) || stays(text, from)) continue
    const end = endOfValue(text, from, between)
    if (end === from || saysNothing(text.slice(from, end))) continue
    // JSON stays JSON where a list or a number goes.
    const quote = isQuoted(between) ? '' : (QUOTE_OF_NAME.exec(between)?.[0] ?? '')
    out += text.slice(kept, from) + quote + FILTERED + quote
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

/** Behind a comma another begins where headers were joined. */
const COOKIE_NAME = /(?:^|[;,] {0,4})([^=;,\s]+)=/g
/** A comma is in none, but for one of a date, which no `name=` follows. */
const COOKIE_VALUE = /(?:[^;,]|,(?! {1,4}[^=;,\s]+=))*/y

/** A Cookie or Set-Cookie header: each by its name. */
export function scrubCookies(text: string): string {
  if (!text.includes('=')) return text
  let out = ''
  let kept = 0
  COOKIE_NAME.lastIndex = 0
  for (let found = COOKIE_NAME.exec(text); found !== null; found = COOKIE_NAME.exec(text)) {
    const from = COOKIE_NAME.lastIndex
    if (text.startsWith(FILTERED, from) || !isSecretCookie(found[1] ?? '')) continue
    COOKIE_VALUE.lastIndex = from
    COOKIE_VALUE.test(text)
    const end = COOKIE_VALUE.lastIndex
    if (end === from) continue
    out += text.slice(kept, from) + FILTERED
    kept = end
    COOKIE_NAME.lastIndex = end
  }
  return out + text.slice(kept)
}
