import * as Sentry from '@sentry/nextjs'
import { type NextRequest, NextResponse } from 'next/server'
import { contentSecurityPolicy } from './app/content-security-policy'
import { environment } from './app/environment'
import { isSignedIn } from './app/signed-in'
import { accessRequestOf, refuseAccess, refuseCrossSite, refuseHost } from './lib/guard/access'
import { holdsToken } from './lib/guard/token'
import { isBoard, isLab, isLogin } from './lib/sdk/paths'

/**
 * Runs for every page: checks access and sets the content security policy. Excludes the routes that read bodies and check
 * access themselves: Next buffers the beginning of a body before this function runs, and drops the rest without an error.
 */
export const config = {
  matcher: ['/((?!tunnel$|tunnel/|collector/|login/enter$|login/leave$|_next/static/|_next/image|favicon.ico).*)'],
}

export async function proxy(request: NextRequest): Promise<NextResponse> {
  const path = request.nextUrl.pathname
  const refusal = isGuarded(path) ? await refuse(request) : refuseForeignHost(request)
  if (refusal !== null) return withHeaders(refusal)
  const nonce = crypto.randomUUID()
  const policy = contentSecurityPolicy({
    nonce,
    development: process.env.NODE_ENV === 'development',
    lab: isLab(path),
  })
  const headers = new Headers(request.headers)
  // Next reads the nonce for its own scripts from the request's policy.
  headers.set('content-security-policy', policy)
  const response = NextResponse.next({ request: { headers } })
  response.headers.set('content-security-policy', policy)
  response.headers.set('server-timing', traceTiming())
  return withHeaders(response)
}

/** Continues the trace in the bare document that Next writes when a page fails; that document has no meta tags. */
const traceTiming = (): string =>
  Object.entries(Sentry.getTraceData())
    .map(([name, value]) => `${name};desc="${value}"`)
    .join(', ')

/** Home and boards show recorded data, the lab causes telemetry. Other pages need only an allowed Host. */
const isGuarded = (path: string): boolean => path === '/' || isLab(path) || (isBoard(path) && !isLogin(path))

async function refuse(request: NextRequest): Promise<NextResponse | null> {
  const { token, hosts, appOrigins, collectorUrl } = environment()
  const { headers } = request
  const isHeld = token !== undefined && (holdsToken(headers, token) || (await isSignedIn(headers, collectorUrl)))
  const refusal = refuseAccess(
    accessRequestOf(headers, isHeld === true),
    { tokenRequired: token !== undefined, hosts, origins: appOrigins },
    request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'change',
  )
  if (refusal === null) return null
  if (refusal.status === 401 && request.method === 'GET') return toLogin(request, isHeld === null)
  return NextResponse.json({ detail: refusal.detail, causes: [] }, { status: refusal.status })
}

/** Login, settings and missing pages contain the DSN. With a token, the app may be reached under any name. */
function refuseForeignHost(request: NextRequest): NextResponse | null {
  const { token, hosts } = environment()
  const foreignHost = token === undefined ? refuseHost(request.headers.get('host'), hosts) : null
  const refusal = foreignHost ?? refuseCrossSite(request.headers)
  return refusal === null ? null : NextResponse.json({ detail: refusal.detail, causes: [] }, { status: refusal.status })
}

/** @param isAway the collector does not answer, so that nobody can sign in */
function toLogin(request: NextRequest, isAway: boolean): NextResponse {
  const target = `${request.nextUrl.pathname}${request.nextUrl.search}`
  const login = new URL('/login', request.nextUrl)
  login.searchParams.set('next', target)
  if (isAway) login.searchParams.set('away', '1')
  return NextResponse.redirect(login)
}

function withHeaders(response: NextResponse): NextResponse {
  response.headers.set('x-content-type-options', 'nosniff')
  // Not `no-referrer`: forms of our own pages would post `Origin: null`.
  response.headers.set('referrer-policy', 'same-origin')
  return response
}
