import { BEHIND_ENCODED, FILTERED } from './rule'

const PEM_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE|PUBLIC) KEY(?: BLOCK)?-----/g
const PEM_END = /-----END [A-Z0-9 ]{0,60}-----/g

/** Whole blocks; one that was cut off is taken to the end of the text. */
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

/** What is removed already stays out of the password: a bracket begins it. */
const URL_AUTH = /\/\/([^\s/:@?#"'<>[\]]*):(?!\[Filtered\])([^\s/@?#"'<>]+)@/g

export const scrubUrlAuth = (text: string): string =>
  text.includes('@') && text.includes('//') ? text.replace(URL_AUTH, `//$1:${FILTERED}@`) : text

/** The words that follow `bearer` where none is presented. */
const BEARER =
  /\b(bearer(?:[ \t]|%20){1,8})(?!(?:tokens?|auth|authentication|authorization|realm|scheme|of|is|was|not|and|or)\b)([A-Za-z0-9._~+/=-]+)/gi
const HAS_SCHEME = /(?:bearer|basic)[ \t%]/i
const BASIC = /\b(basic(?:[ \t]|%20){1,8})([A-Za-z0-9+/_-]{4,}={0,2})/gi

/** Credentials behind the name of their scheme, as an Authorization header has them (RFC 6750 §2.1, RFC 7617 §2). */
export function scrubBearer(text: string): string {
  if (!HAS_SCHEME.test(text)) return text
  const out = text.replace(BEARER, `$1${FILTERED}`)
  return out.replace(BASIC, (whole: string, scheme: string, given: string) =>
    isUserAndPassword(given) ? `${scheme}${FILTERED}` : whole,
  )
}

/** "Basic authentication" is two words; user and password are printable and have a colon between them. */
function isUserAndPassword(base64: string): boolean {
  const text = Buffer.from(base64, 'base64').toString('latin1')
  return text.includes(':') && /^[\x20-\x7e]+$/.test(text)
}

/** RFC 7519: three parts in base64url, or the five of an encrypted one; the first is JSON and begins `{"`. */
const JWT = new RegExp(`(?:(?<![\\w-])|${BEHIND_ENCODED})eyJ[\\w-]{4,}(?:\\.[\\w-]*){2,4}`, 'g')

export const scrubJwt = (text: string): string => (text.includes('eyJ') ? text.replace(JWT, FILTERED) : text)
