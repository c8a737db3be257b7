import { AFTER_ENCODED, FILTERED } from './rules'

const PEM_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE|PUBLIC) KEY(?: BLOCK)?-----/g
const PEM_END = /-----END [A-Z0-9 ]{0,60}-----/g

/** Removes whole blocks. A block without an end is removed to the end of the text. */
export function scrubPem(text: string): string {
  if (!text.includes('-----BEGIN ')) return text
  let out = ''
  let kept = 0
  PEM_BEGIN.lastIndex = 0
  for (let begin = PEM_BEGIN.exec(text); begin !== null; begin = PEM_BEGIN.exec(text)) {
    PEM_END.lastIndex = PEM_BEGIN.lastIndex
    const end = PEM_END.exec(text) === null ? text.length : PEM_END.lastIndex
    out += text.slice(kept, begin.index) + FILTERED
    kept = end
    PEM_BEGIN.lastIndex = end
  }
  return out + text.slice(kept)
}

/** A password that begins with a bracket may be `[Filtered]` already. */
const URL_AUTH = /\/\/([^\s/:@?#"'<>[\]]*):(?!\[Filtered\])([^\s/@?#"'<>]+)@/g

export const scrubUrlAuth = (text: string): string =>
  text.includes('@') && text.includes('//') ? text.replace(URL_AUTH, `//$1:${FILTERED}@`) : text

/** Excludes words that follow `bearer` in prose. */
const BEARER =
  /\b(bearer(?:[ \t]|%20){1,8})(?!(?:tokens?|auth|authentication|authorization|realm|scheme|of|is|was|not|and|or)\b)([A-Za-z0-9._~+/=-]+)/gi
const HAS_SCHEME = /(?:bearer|basic)[ \t%]/i
const BASIC = /\b(basic(?:[ \t]|%20){1,8})([A-Za-z0-9+/_-]{4,}={0,2})/gi

/** Removes credentials after the name of their scheme, as in an Authorization header (RFC 6750 §2.1, RFC 7617 §2). */
export function scrubBearer(text: string): string {
  if (!HAS_SCHEME.test(text)) return text
  const out = text.replace(BEARER, `$1${FILTERED}`)
  return out.replace(BASIC, (whole: string, scheme: string, given: string) =>
    isUserAndPassword(given) ? `${scheme}${FILTERED}` : whole,
  )
}

/** Decoded credentials are printable and contain a colon; in "Basic authentication" the second word is not. */
function isUserAndPassword(base64: string): boolean {
  const text = Buffer.from(base64, 'base64').toString('latin1')
  return text.includes(':') && /^[\x20-\x7e]+$/.test(text)
}

/** RFC 7519: three parts in base64url, or five where it is encrypted. The first part is JSON and begins with `{"`. */
const JWT = new RegExp(`(?:(?<![\\w-])|${AFTER_ENCODED})eyJ[\\w-]{4,}(?:\\.[\\w-]*){2,4}`, 'g')

export const scrubJwt = (text: string): string => (text.includes('eyJ') ? text.replace(JWT, FILTERED) : text)

/** Stripe (without `pk_…`, which is public), GitHub, Slack, AWS key ids, Google, GitLab, npm and Sentry. */
const FORMS = [
  '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}',
  'gh[opsur]_[A-Za-z0-9]{30,}',
  'github_pat_[A-Za-z0-9_]{22,}',
  'xox[abeoprs]-[A-Za-z0-9-]{10,}',
  'A(?:KI|SI)A[A-Z0-9]{16}(?![A-Za-z0-9])',
  'AIza[\\w-]{35}(?![\\w-])',
  'glpat-[\\w-]{20,}',
  'npm_[A-Za-z0-9]{36}(?![\\w-])',
  'sntry[su]_[\\w+/=-]{30,}',
].join('|')
const VENDOR_KEY = new RegExp(`(?:(?<![\\w-])|${AFTER_ENCODED})(?:${FORMS})`, 'g')
const HAS_PREFIX = /[sr]k_(?:live|test)_|gh[opsur]_|github_pat_|xox[abeoprs]-|A(?:KI|SI)A|AIza|glpat-|npm_|sntry[su]_/

/** A key as the user of a URL without a password. The key of a DSN is not a secret. */
const USER_OF_URL = /(?<=:\/\/)(?![0-9a-f]{32}@)(?=[^\s/@]{0,256}\d)(?=[^\s/@]{0,256}[A-Za-z])[\w.~+-]{20,256}(?=@)/g

export function scrubVendorKeys(text: string): string {
  const out = HAS_PREFIX.test(text) ? text.replace(VENDOR_KEY, FILTERED) : text
  return out.includes('://') && out.includes('@') ? out.replace(USER_OF_URL, FILTERED) : out
}
