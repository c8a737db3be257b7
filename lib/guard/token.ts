import { createHash, timingSafeEqual } from 'node:crypto'

/** `/login` sets this cookie to the id of a session that the collector keeps. */
const SESSION_COOKIE = 'waystation-session'

/** A cookie for one session. @param maxAge seconds; 0 removes the cookie */
export const sessionCookie = (id: string, maxAge: number): string =>
  `${SESSION_COOKIE}=${id}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}`

/** The session id of a request; `null` without the cookie. */
export const sessionOf = (headers: Headers): string | null => readCookie(headers.get('cookie'), SESSION_COOKIE)

/** Compares in constant time. Hashing first makes the lengths equal. */
export function sameToken(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

/** True when the request has the token as `Authorization: Bearer`. */
export function holdsToken(headers: Headers, token: string | undefined): boolean {
  const bearer = /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  return token !== undefined && bearer !== undefined && sameToken(bearer, token)
}

/** The cookie of the session as a header, to pass it on without other cookies. */
export function sessionHeader(headers: Headers): Readonly<Record<string, string>> {
  const id = sessionOf(headers)
  return id === null ? {} : { cookie: `${SESSION_COOKIE}=${id}` }
}

/** The value of one cookie in a `Cookie` header. */
export function readCookie(header: string | null, name: string): string | null {
  for (const part of (header ?? '').split(';')) {
    const cut = part.indexOf('=')
    if (cut > 0 && part.slice(0, cut).trim() === name) return part.slice(cut + 1).trim()
  }
  return null
}
