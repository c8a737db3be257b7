import { FILTERED, FILTERED_IP } from './rule'

const AT_SIGN = /@|%40/g
/** RFC 5321 §4.5.3.1: at most so much before the sign, and behind it. */
const LONGEST_LOCAL = 64
const LONGEST_DOMAIN = 253
const OF_LOCAL = /[\w.%+~\u0080-\uffff-]/
const DOMAIN = /^[\w.\u0080-\uffff-]*/
const TOP_LEVEL = /^(?:[A-Za-z]{2,}|xn--[\w-]+|[\u0080-\uffff]{2,})$/
/** What follows the name of a package, or of an image: `next@16.4.6`, `logo@2x.png`. */
const VERSION = /^v?\d+(?:\.\d|x\.)/

/**
 * Addresses in any text, `%40` for the sign as well. Left are the key in `https://key@host`, as no address has two slashes
 * in front, and `git@host`, who is nobody.
 */
export function scrubEmails(text: string): string {
  if (!text.includes('@') && !text.includes('%40')) return text
  let out = ''
  let kept = 0
  AT_SIGN.lastIndex = 0
  for (let sign = AT_SIGN.exec(text); sign !== null; sign = AT_SIGN.exec(text)) {
    const behind = sign.index + sign[0].length
    const start = startOfLocal(text, sign.index, kept)
    const local = text.slice(start, sign.index)
    const domain = domainAt(text, behind)
    if (local === '' || local === 'git' || domain === null || text.slice(Math.max(0, start - 2), start) === '//')
      continue
    out += text.slice(kept, start) + FILTERED
    kept = behind + domain.length
    AT_SIGN.lastIndex = kept
  }
  return out + text.slice(kept)
}

function startOfLocal(text: string, sign: number, from: number): number {
  let start = sign
  while (start > from && sign - start < LONGEST_LOCAL && OF_LOCAL.test(text[start - 1] ?? '')) start -= 1
  return start
}

function domainAt(text: string, at: number): string | null {
  const found = DOMAIN.exec(text.slice(at, at + LONGEST_DOMAIN))?.[0] ?? ''
  const domain = found.replace(/[.-]{1,8}$/, '')
  const labels = domain.split('.')
  const isDomain = labels.length > 1 && !labels.includes('') && TOP_LEVEL.test(labels.at(-1) ?? '')
  return isDomain && !VERSION.test(domain) ? domain : null
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|\[::1\]|::ffff:127(?:\.\d{1,3}){3})$/i
const IPV4 = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/
const IPV6 = /(?<![\w:])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:])/i

/** The text of a field that is an address. Loopback is nobody's, and `{{auto}}` asks Sentry to look. */
export const scrubAddress = (text: string): string =>
  !LOOPBACK.test(text.trim()) && (IPV4.test(text) || IPV6.test(text)) ? FILTERED_IP : text

/**
 * A user's folder, as Linux, macOS and Windows have it. A route may be called `/home/…` too: one that a host or a method
 * goes before is none.
 */
const UNIX_USER =
  /(?<![\w.~%-]|:\/|(?:GET|PUT|POST|HEAD|PATCH|DELETE|OPTIONS) )\/(home|Users)\/(?!\[Filtered\])([^\s/\\:"'<>|?*)]+)/g
/** A name may have blanks in it where a folder follows. */
const WINDOWS_USER =
  /(?<![A-Za-z])([A-Za-z]:[\\/]{1,2}(?:users|documents and settings)[\\/]{1,2})(?!\[Filtered\])([^\\/:*?"<>|\s]+(?: [^\\/:*?"<>|\s]+){0,4}(?=[\\/])|[^\\/:*?"<>|\s]+)/gi

export function scrubUserPath(text: string): string {
  if (!/\/home\/|[\\/]users[\\/]|and settings/i.test(text)) return text
  return text.replace(UNIX_USER, `/$1/${FILTERED}`).replace(WINDOWS_USER, `$1${FILTERED}`)
}
