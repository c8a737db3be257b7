import { accessRequestOf, refuseAccess, refuseHost } from '../../../lib/guard/access'
import { createLoginThrottle, type LoginThrottle } from '../../../lib/guard/login-throttle'
import { sameToken, TOKEN_COOKIE, tokenCookieValue } from '../../../lib/guard/token'
import { problemResponse } from '../../../lib/wire/errors'
import { withSmallBody } from '../../bodies'
import { environment } from '../../environment'
import { localPath } from '../local-path'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

const MAX_FORM_BYTES = 4 * 1024

/** Receives the form of the login page. The right token becomes a cookie; a wrong one leads back to the form. */
export async function POST(request: Request): Promise<Response> {
  const { token, hosts, appOrigins } = environment()
  // A foreign page must not sign a visitor in. The token is not required here, because signing in provides it.
  const access = { ...accessRequestOf(request.headers, undefined), holdsToken: true }
  const refusal = refuseAccess(access, { tokenRequired: true, hosts, origins: appOrigins }, 'change')
  if (refusal !== null) return problemResponse(refusal.status, refusal.detail)
  if (token === undefined) {
    const foreignHost = refuseHost(request.headers.get('host'), hosts)
    if (foreignHost !== null) return problemResponse(foreignHost.status, foreignHost.detail)
  }
  return withSmallBody(request, MAX_FORM_BYTES, async (bytes) => signIn(request, bytes, token))
}

async function signIn(request: Request, bytes: Buffer, token: string | undefined): Promise<Response> {
  const form = new URLSearchParams(bytes.toString('utf8'))
  const next = localPath(form.get('next'))
  if (token === undefined) return seeOther(next)
  const given = form.get('token')
  const throttle = loginThrottle()
  const waitMs = throttle.waitMs()
  if (waitMs > 0) return tooManyFailures(Math.ceil(waitMs / 1000))
  if (given === null || !sameToken(given, token)) {
    console.error(`[login] refused a wrong token, ${throttle.failed()} in a row`)
    return seeOther(`/login?wrong=1&next=${encodeURIComponent(next)}`)
  }
  throttle.succeeded()
  return seeOther(next, `${TOKEN_COOKIE}=${tokenCookieValue(token)}; ${cookieRules(request.headers)}`)
}

function tooManyFailures(seconds: number): Response {
  const answer = problemResponse(429, `too many failed logins: try again in ${seconds} s`)
  answer.headers.set('retry-after', String(seconds))
  return answer
}

const KEY = Symbol.for('waystation.login-throttle')

/** The only one of this process. On `globalThis`, because Next bundles each route separately. */
function loginThrottle(): LoginThrottle {
  const shared = globalThis as typeof globalThis & { [KEY]?: LoginThrottle }
  shared[KEY] ??= createLoginThrottle(() => performance.now())
  return shared[KEY]
}

/** Redirects to a relative address, because Next always takes localhost for the host of the request. */
function seeOther(path: string, cookie?: string): Response {
  const headers = new Headers({ location: path, 'cache-control': 'no-store' })
  if (cookie !== undefined) headers.set('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}

/** Adds `Secure` only for https: a browser at a plain http address on the local network would drop the cookie. */
const cookieRules = (headers: Headers): string =>
  `Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000${headers.get('origin')?.startsWith('https:') === true ? '; Secure' : ''}`
