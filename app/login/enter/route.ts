import { refuseLook } from '../../../lib/guard/may-look'
import { sameToken, TOKEN_COOKIE, tokenCookieValue } from '../../../lib/guard/token'
import { visitorOf } from '../../../lib/guard/visitor'
import { environment } from '../../environment'
import { problem } from '../../problem'
import { localPath } from '../local-path'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/** Takes the form of the login page: the right token becomes a cookie, a wrong one is told so. */
export async function POST(request: Request): Promise<Response> {
  const { token, hosts, appOrigins } = environment()
  // A foreign page may not sign a visitor in. Host and token are not asked here: who signs in has neither to show.
  const visitor = { ...visitorOf(request.headers, undefined), holdsToken: true }
  const refusal = refuseLook(visitor, { tokenRequired: true, hosts, origins: appOrigins }, 'change')
  if (refusal !== null) return problem(refusal.status, refusal.detail)
  const form = await request.formData()
  const next = localPath(form.get('next'))
  if (token === undefined) return seeOther(next)
  const given = form.get('token')
  if (typeof given !== 'string' || !sameToken(given, token))
    return seeOther(`/login?wrong=1&next=${encodeURIComponent(next)}`)
  return seeOther(next, `${TOKEN_COOKIE}=${tokenCookieValue(token)}; ${cookieRules(request.headers)}`)
}

/** A relative address, because Next's own idea of this request's host is always localhost. */
function seeOther(path: string, cookie?: string): Response {
  const headers = new Headers({ location: path, 'cache-control': 'no-store' })
  if (cookie !== undefined) headers.set('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}

/** `Secure` only where the browser came by https: a plain address on the local network would never get the cookie. */
const cookieRules = (headers: Headers): string =>
  `Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000${headers.get('origin')?.startsWith('https:') === true ? '; Secure' : ''}`
