import { decodePercents } from './encoded-text'
import { endOfValue, isQuoted } from './end-of-value'
import { FILTERED, isNoSecretValue, type Removes } from './rules'
import { isCountOfTokens, isSecretCookie, isSecretName } from './secret-names'

/** Every secret name contains one of these. Most texts contain none and are not scanned further. */
const HAS_A_STEM =
  /pass|pwd|secret|token|auth|cred|otp|mfa|2fa|key|ssn|cv[cv]|csrf|xsrf|jwt|bearer|sessid|sessionid|factor|card|code|connect|webhook|kennwort|senha|contrase|wachtwoord|l[öo]senord|has[łl]o|heslo|jelszó|salasana|adgangskode|[şs]ifre|parola|пароль|密[码碼]|パスワード|비밀번호|mdp|clave/i
/** A name, and the text between it and its value. Each run of name characters is matched once. */
const NAME =
  /(?<![\w.%[\]\u00c0-\u024f\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af-])([\w.%[\]\u00c0-\u024f\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af-]+)(\\{0,63}["']?\]?[ \t]{0,4}(?:=>|={1,3}|:=?|[＝：])[ \t]{0,4}\\{0,63}["']?)/g
/** Names of signatures in signed URLs. They are secret in `name=value` only. */
const SIGNATURES = new Set(['sig', 'signature', 'x-amz-signature', 'x-goog-signature', 'x-amz-security-token'])
const QUOTE_OF_NAME = /^\\{0,63}["']/

/** In any text: a query (`?token=…`), a form, a header, options of a command, JSON in a string, a URL inside a URL. */
export const scrubParameters = (text: string, removes: Removes): string =>
  scrubParametersBut(text, () => false, removes)

export function scrubParametersBut(text: string, stays: Stays, removes: Removes): string {
  if (!HAS_A_STEM.test(text) && !/sig/i.test(text)) return text
  return scrubOptions(scrubEncodedParameters(scrubValues(text, stays, removes), removes), stays, removes)
}
type Stays = (text: string, at: number) => boolean

/** `Bearer [Filtered]`; the end of a value excludes a closing bracket. */
const IS_FILTERED = /^(?:\w{1,16}[ \t]{1,4})?\[Filtered\]?$/

/** A value that stays may contain others, as a list does. Each part of a text is read again at most this often. */
const MOST_NESTED = 8

/** A value that may be secret. */
interface NamedValue {
  readonly from: number
  readonly end: number
  readonly name: string
  /** The text between name and value. */
  readonly between: string
  /** Goes around the replacement. */
  readonly quote?: string
}

/** Replaces secret values. @param pattern a global one @param findValue `null` where the match has no secret name */
function replaceValues(
  text: string,
  pattern: RegExp,
  removes: Removes,
  findValue: (match: RegExpExecArray) => NamedValue | null,
): string {
  let out = ''
  let kept = 0
  let readAgain = 0
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const found = findValue(match)
    if (found === null) continue
    const { from, end, name, between, quote = '' } = found
    const value = text.slice(from, end)
    if (end === from || isNoSecretValue(value)) continue
    if (!removes({ rule: 'parameter', value, name, between, text, at: from })) {
      readAgain += value.length
      if (readAgain > MOST_NESTED * text.length) pattern.lastIndex = end
      continue
    }
    out += text.slice(kept, from) + quote + FILTERED + quote
    kept = end
    pattern.lastIndex = end
  }
  return out + text.slice(kept)
}

function scrubValues(text: string, stays: Stays, removes: Removes): string {
  if (!/[=:＝：]/.test(text)) return text
  return replaceValues(text, NAME, removes, ({ 0: whole, 1: name = '', 2: between = '', index }) => {
    if (!isSecretParameter(name, between, text, index)) return null
    const from = index + whole.length
    // Skipping the end of the value keeps this linear.
    if (text.startsWith(FILTERED, from) || stays(text, from)) return null
    const end = endOfValue(text, from, between)
    const value = text.slice(from, end)
    if (isCountOfTokens(name, value) || IS_FILTERED.test(value)) return null
    // Adds quotes where an array or a number is replaced, so that JSON stays valid.
    const quote = isQuoted(between) ? '' : (QUOTE_OF_NAME.exec(between)?.[0] ?? '')
    return { from, end, name: decodePercents(name), between, quote }
  })
}

/** In a selector the value names an element: `input#password.wide[name="password"]`. */
const OF_SELECTOR = /\[(?:name|type|id|for|class|role|title|alt|placeholder|autocomplete|(?:aria|data)-[\w-]{1,40})$/

function isSecretParameter(encoded: string, between: string, text: string, at: number): boolean {
  if (OF_SELECTOR.test(encoded.slice(-64))) return false
  const name = decodePercents(encoded)
  if (between.startsWith('=') && SIGNATURES.has(name.toLowerCase())) return true
  const before = between.includes('=') ? '' : wordBefore(text, at)
  if (isProse(name, before, between)) return false
  // `Invalid API key: sk-1` has the name in two words.
  return isSecretName(name) || (/^key$/i.test(name) && isSecretName(`${before} ${name}`))
}

/** `Unexpected token: }` and `auth: failed` are prose, not headers. */
const isProse = (name: string, before: string, between: string): boolean =>
  between.startsWith(':') &&
  (/^auth$/i.test(name) || (/^token$/i.test(name) && /^(?:unexpected|illegal)$/i.test(before)))

const wordBefore = (text: string, at: number): string =>
  /([A-Za-z]{1,20}) $/.exec(text.slice(Math.max(0, at - 21), at))?.[1] ?? ''

/** Joined headers separate cookies by commas. */
const COOKIE_NAME = /(?:^|[;,] {0,4})([^=;,\s]+)=/g
/** A value contains a comma only in a date, where no `name=` follows. */
const COOKIE_VALUE = /(?:[^;,]|,(?! {1,4}[^=;,\s]+=))*/y

export function scrubCookies(text: string, removes: Removes): string {
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
    COOKIE_NAME.lastIndex = end
    const value = text.slice(from, end)
    if (!removes({ rule: 'cookie', value, name: found[1] ?? '', between: '=', text, at: from })) continue
    out += text.slice(kept, from) + FILTERED
    kept = end
  }
  return out + text.slice(kept)
}

/** How often the percent sign itself was encoded: `%3D`, `%253D`, `%25253D`. */
const DEEP = '(?:25){0,2}'
const HAS_ENCODED = new RegExp(`%${DEEP}3[AD]`, 'i')
/** A name, and the text before its value: in JSON quotes, and in a header a blank and a scheme. */
const ENCODED_NAME = new RegExp(
  `(?:^|[^\\w.~%-]|%${DEEP}[0-9A-F]{2})([\\w.~-]+)((?:%${DEEP}(?:5D|22|27))?%(${DEEP})3[DA]` +
    `(?:%${DEEP}20|\\+)?(?:%${DEEP}(22|27)|(?:bearer|basic|digest|token)(?:%${DEEP}20|\\+))?)`,
  'gi',
)
/** By the depth of the encoding after the name. Only an end of the same or a lower depth ends the value. */
const UNQUOTED_BY_DEPTH = [0, 1, 2].map(
  (deep) => new RegExp(`(?:[^\\s&"'<>;%]|%(?!(?:25){0,${deep}}(?:26|23|22|27|20|0A|0D|2C|3B|3C|3E|5D|7D)))+`, 'iy'),
)
const QUOTED_BY_MARK = ['22', '27'].map(
  (quote) => new RegExp(`(?:[^\\s&"'<>%]|%${DEEP}5C%${DEEP}[0-9A-F]{2}|%(?!${DEEP}${quote}))+`, 'iy'),
)

/** Values after a percent-encoded `=` or `:`: a URL as the parameter of another one, JSON in a query. */
function scrubEncodedParameters(text: string, removes: Removes): string {
  if (!text.includes('%') || !HAS_ENCODED.test(text)) return text
  return replaceValues(text, ENCODED_NAME, removes, ([, name = '', between = '', deep = '', quote]) => {
    const from = ENCODED_NAME.lastIndex
    // The text after this name may be the next name.
    ENCODED_NAME.lastIndex = from - between.length
    if (text.startsWith(FILTERED, from) || !isSecretName(name)) return null
    const value = quote === undefined ? UNQUOTED_BY_DEPTH[deep.length / 2] : QUOTED_BY_MARK[quote === '22' ? 0 : 1]
    return { from, end: value === undefined ? from : encodedEnd(value, text, from), name, between: '=' }
  })
}

function encodedEnd(value: RegExp, text: string, from: number): number {
  value.lastIndex = from
  return value.test(text) ? value.lastIndex : from
}

/** The length limit keeps matching linear. */
const NAME_OF_OPTION = '--?([A-Za-z][\\w-]{1,63})'
/** An option, and the text before its value: blanks, or the separator of a list of strings. */
const OPTION = new RegExp(
  `(?<![\\w-])${NAME_OF_OPTION}(?![\\w-])([ \\t]{1,4}\\\\{0,3}["']?|\\\\{0,3}["'][ \\t]{0,4},[ \\t]{0,4}\\\\{0,3}["'])`,
  'g',
)
const ALONE = new RegExp(`^${NAME_OF_OPTION}$`)
/** Options about a secret that do not contain it: where it is stored, or how it is asked for. */
const ABOUT_ONE =
  /^(?:no|without|disable|skip|ask|prompt|use)-|-(?:file|path|stdin|type|prompt|env|name|url|method|mode|ttl|length|store|provider)$/i
/** Words that follow an option in prose. */
const PROSE_AFTER_OPTION =
  /(?:to|or|and|is|was|are|as|for|in|on|of|with|from|options?|flags?|arguments?|parameters?|not|must|should|will|can|cannot|requires?|needs?|if|when|instead|at|by|the|an?|via|has|twice)(?![^\s,.;:)])/iy

export const optionOfSecret = (text: string): string | null => {
  const name = text.startsWith('-') ? ALONE.exec(text)?.[1] : undefined
  return name !== undefined && isSecretOption(name) ? name : null
}

const isSecretOption = (name: string): boolean => !ABOUT_ONE.test(name) && isSecretName(name)

/** Removes option values that follow a blank, as on a command line, or that are the next string of a list. */
function scrubOptions(text: string, stays: Stays, removes: Removes): string {
  if (!text.includes('-')) return text
  return replaceValues(text, OPTION, removes, ([, name = '', between = '']) => {
    const from = OPTION.lastIndex
    if (!isSecretOption(name) || text.startsWith(FILTERED, from) || text[from] === '-' || stays(text, from)) return null
    PROSE_AFTER_OPTION.lastIndex = from
    if (!isQuoted(between) && PROSE_AFTER_OPTION.test(text)) return null
    return { from, end: endOfValue(text, from, between), name, between }
  })
}
