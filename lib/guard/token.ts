import { createHash, timingSafeEqual } from 'node:crypto'

/** `/login` sets this cookie. It contains a hash, so that a leaked cookie does not reveal the token. */
export const TOKEN_COOKIE = 'waystation-token'

export const tokenCookieValue = (token: string): string =>
  createHash('sha256').update(`waystation-cookie:${token}`).digest('hex')

/** Compares in constant time. Hashing first makes the lengths equal. */
export function sameToken(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

/** True when the request has the token as `Authorization: Bearer` or in the login cookie. */
export function holdsToken(headers: Headers, token: string | undefined): boolean {
  if (token === undefined) return false
  const bearer = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (bearer !== undefined && sameToken(bearer, token)) return true
  const cookie = readCookie(headers.get('cookie'), TOKEN_COOKIE)
  return cookie !== null && sameToken(cookie, tokenCookieValue(token))
}

/** The value of one cookie in a `Cookie` header. */
export function readCookie(header: string | null, name: string): string | null {
  for (const part of (header ?? '').split(';')) {
    const cut = part.indexOf('=')
    if (cut > 0 && part.slice(0, cut).trim() === name) return part.slice(cut + 1).trim()
  }
  return null
}
