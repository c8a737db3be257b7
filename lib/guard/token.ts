import { createHash, timingSafeEqual } from 'node:crypto'

/** The cookie that `/login` sets; it holds a hash, so that a leaked cookie jar does not leak the token itself. */
export const TOKEN_COOKIE = 'waystation-token'

export const tokenCookieValue = (token: string): string =>
  createHash('sha256').update(`waystation-cookie:${token}`).digest('hex')

/** Compares in constant time; hashing first makes the lengths equal. */
export function sameToken(given: string, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}

/** Does this request hold the token, as `Authorization: Bearer` or as the login cookie? */
export function holdsToken(headers: Headers, token: string | undefined): boolean {
  if (token === undefined) return false
  const bearer = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (bearer !== undefined && sameToken(bearer, token)) return true
  const cookie = readCookie(headers.get('cookie'), TOKEN_COOKIE)
  return cookie !== null && sameToken(cookie, tokenCookieValue(token))
}

/** One cookie's value out of a `Cookie` header. */
export function readCookie(header: string | null, name: string): string | null {
  for (const part of (header ?? '').split(';')) {
    const cut = part.indexOf('=')
    if (cut > 0 && part.slice(0, cut).trim() === name) return part.slice(cut + 1).trim()
  }
  return null
}
