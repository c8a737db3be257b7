import { decodeBase64 } from '../protocol/text-bytes'
import { AFTER_ENCODED, FILTERED, type Removes, unnamed } from './rules'

const PEM_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE|PUBLIC) KEY(?: BLOCK)?-----/g
const PEM_END = /-----END [A-Z0-9 ]{0,60}-----/g

/** Removes whole blocks. A block without an end is removed to the end of the text. */
export function scrubPem(text: string, removes: Removes): string {
  if (!text.includes('-----BEGIN ')) return text
  let out = ''
  let kept = 0
  PEM_BEGIN.lastIndex = 0
  for (let begin = PEM_BEGIN.exec(text); begin !== null; begin = PEM_BEGIN.exec(text)) {
    PEM_END.lastIndex = PEM_BEGIN.lastIndex
    const end = PEM_END.exec(text) === null ? text.length : PEM_END.lastIndex
    PEM_BEGIN.lastIndex = end
    if (!removes(unnamed('pem', text.slice(begin.index, end), text, begin.index))) continue
    out += text.slice(kept, begin.index) + FILTERED
    kept = end
  }
  return out + text.slice(kept)
}

/** A password that begins with a bracket may be `[Filtered]` already. */
const URL_AUTH = /\/\/([^\s/:@?#"'<>[\]]*):(?!\[Filtered\])([^\s/@?#"'<>]+)@/g

export const scrubUrlAuth = (text: string, removes: Removes): string =>
  text.includes('@') && text.includes('//')
    ? text.replace(URL_AUTH, (whole: string, name: string, value: string, index: number) => {
        const at = index + 3 + name.length
        return removes({ rule: 'url_auth', value, name, between: ':', text, at }) ? `//${name}:${FILTERED}@` : whole
      })
    : text

/** Excludes words that follow `bearer` in prose. */
const BEARER =
  /\b(bearer(?:[ \t]|%20){1,8})(?!(?:tokens?|auth|authentication|authorization|realm|scheme|of|is|was|not|and|or)\b)([A-Za-z0-9._~+/=-]+)/gi
const HAS_SCHEME = /(?:bearer|basic)[ \t%]/i
const BASIC = /\b(basic(?:[ \t]|%20){1,8})([A-Za-z0-9+/_-]{4,}={0,2})/gi

/** Removes credentials after the name of their scheme, as in an Authorization header (RFC 6750 §2.1, RFC 7617 §2). */
export function scrubBearer(text: string, removes: Removes): string {
  if (!HAS_SCHEME.test(text)) return text
  const isRemoved = (value: string, within: string, at: number): boolean =>
    removes(unnamed('bearer', value, within, at))
  const out = text.replace(BEARER, (whole: string, scheme: string, given: string, at: number) =>
    isRemoved(given, text, at + scheme.length) ? `${scheme}${FILTERED}` : whole,
  )
  return out.replace(BASIC, (whole: string, scheme: string, given: string, at: number) =>
    isUserAndPassword(given) && isRemoved(given, out, at + scheme.length) ? `${scheme}${FILTERED}` : whole,
  )
}

/** Decoded credentials are printable and contain a colon; in "Basic authentication" the second word is not. */
function isUserAndPassword(base64: string): boolean {
  const text = decodeBase64(base64)
  return text.includes(':') && /^[\x20-\x7e]+$/.test(text)
}

/** RFC 7519: three parts in base64url, or five where it is encrypted. The first part is JSON and begins with `{"`. */
const JWT = new RegExp(`(?:(?<![\\w-])|${AFTER_ENCODED})eyJ[\\w-]{4,}(?:\\.[\\w-]*){2,4}`, 'g')

export const scrubJwt = (text: string, removes: Removes): string =>
  text.includes('eyJ')
    ? text.replace(JWT, (token: string, at: number) => (removes(unnamed('jwt', token, text, at)) ? FILTERED : token))
    : text
