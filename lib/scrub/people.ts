import { FILTERED, FILTERED_IP } from './rule'

const AT_SIGN = /@|%40/g
/** RFC 5321 §4.5.3.1: at most so much before the sign, and behind it. */
const LONGEST_LOCAL = 64
const LONGEST_DOMAIN = 253
const OF_LOCAL = /[\w.%+~\u0080-\uffff-]/
const DOMAIN = /^[\w.\u0080-\uffff-]*/
const TOP_LEVEL = /^(?:[A-Za-z]{2,}|xn--[\w-]+|[\u0080-\uffff]{2,})$/
/** How names of files end, which no domain does: `ada@example.org.txt` holds an address before it, `@sentry_dev_index._.js` none. */
const OF_FILE =
  /(?:\.(?:[cm]?[jt]sx?|map|css|s[ac]ss|less|json|html?|wasm|woff2?|ttf|otf|eot|svg|png|jpe?g|gif|webp|avif|ico|txt|xml|pdf|csv|vue|svelte|webmanifest|min|module|chunk|bundle))+$/i
/** A scope of npm in a path that is itself encoded: `node_modules%2F%40scope`. */
const NOBODY = /^(?:|git|.*%(?:25)?2[Ff])$/
/** What follows the name of a package, or of an image: `next@16.4.6`, `logo@2x.png`. */
const VERSION = /^v?\d+(?:\.\d|x\.)/

/**
 * Addresses in any text, `%40` for the sign as well. Left are the key in `https://key@host`, as no address has two slashes
 * in front, and `git@host`, who is nobody; and a scope of npm, in a path or in the name of a chunk
 * (`node_modules_%40sentry_browser_index._.js`).
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
    if (NOBODY.test(local) || domain === null || text.slice(Math.max(0, start - 2), start) === '//') continue
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
  return isOrBeginsWithDomain(domain) && !VERSION.test(domain) ? domain : null
}

/** The name of a file goes on behind a domain in it, with a dot or an underscore; else all of it is one. */
function isOrBeginsWithDomain(text: string): boolean {
  const stem = text.replace(OF_FILE, '')
  const isFile = stem !== text
  const labels = (isFile ? stem.replace(/_.*$/, '') : text).split('.')
  if (labels.includes('')) return false
  return isFile
    ? labels.slice(1).some((label) => TOP_LEVEL.test(label))
    : labels.length > 1 && TOP_LEVEL.test(labels.at(-1) ?? '')
}

const LOOPBACK =
  /(?<![\w.:])(?:(?:::ffff:)?127(?:\.\d{1,3}){3}(?![\w.])|(?:::1|::ffff:7f00:1|(?:0{1,4}:){7}0{0,3}1)(?![\w.:]))/gi
const IPV4 = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/
const IPV6 = /(?<![\w:])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?![\w:])/i

/** The text of a field that holds addresses. Loopback is nobody's, with a port, too; `{{auto}}` asks Sentry to look. */
export function scrubAddress(text: string): string {
  const others = text.replace(LOOPBACK, ' ')
  return IPV4.test(others) || IPV6.test(others) ? FILTERED_IP : text
}

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
