import { FILTERED, saysNothing } from './rule'
import { isSecretName } from './secret-names'

/** How often a percent sign itself was encoded: `%3D`, `%253D`, `%25253D`. */
const DEEP = '(?:25){0,2}'
const HAS_ENCODED = new RegExp(`%${DEEP}3[AD]`, 'i')
/** A name, and what stands between it and its value; in JSON quotes, and after a header's name a blank and a scheme. */
const NAME = new RegExp(
  `(?:^|[^\\w.~%-]|%${DEEP}[0-9A-F]{2})([\\w.~-]+)((?:%${DEEP}(?:5D|22|27))?%(${DEEP})3[DA]` +
    `(?:%${DEEP}20|\\+)?(?:%${DEEP}(22|27)|(?:bearer|basic|digest|token)(?:%${DEEP}20|\\+))?)`,
  'gi',
)
/** By how deep the sign behind the name is: what ends a value is no deeper, and what is belongs to it. */
const UNQUOTED = [0, 1, 2].map(
  (deep) => new RegExp(`(?:[^\\s&"'<>;%]|%(?!(?:25){0,${deep}}(?:26|23|22|27|20|0A|0D|2C|3B|3C|3E|5D|7D)))+`, 'iy'),
)
const QUOTED = ['22', '27'].map(
  (quote) => new RegExp(`(?:[^\\s&"'<>%]|%${DEEP}5C%${DEEP}[0-9A-F]{2}|%(?!${DEEP}${quote}))+`, 'iy'),
)

/**
 * Values under secret names where `=` or `:` is percent-encoded: an address that is a parameter of another one, JSON in a
 * query.
 */
export function scrubEncodedParameters(text: string): string {
  if (!text.includes('%') || !HAS_ENCODED.test(text)) return text
  let out = ''
  let kept = 0
  NAME.lastIndex = 0
  for (let found = NAME.exec(text); found !== null; found = NAME.exec(text)) {
    const [, name = '', between = '', deep = '', quote] = found
    const from = NAME.lastIndex
    // What stands behind this name may be the next one.
    NAME.lastIndex = from - between.length
    if (text.startsWith(FILTERED, from) || !isSecretName(name)) continue
    const value = quote === undefined ? UNQUOTED[deep.length / 2] : QUOTED[quote === '22' ? 0 : 1]
    const end = value === undefined ? from : endOf(value, text, from)
    if (end === from || saysNothing(text.slice(from, end))) continue
    out += text.slice(kept, from) + FILTERED
    kept = end
    NAME.lastIndex = end
  }
  return out + text.slice(kept)
}

/** @returns `from` where nothing is there. */
function endOf(value: RegExp, text: string, from: number): number {
  value.lastIndex = from
  return value.test(text) ? value.lastIndex : from
}
