import * as Sentry from '@sentry/nextjs'
import { type NextRequest, NextResponse } from 'next/server'
import { contentSecurityPolicy } from './app/content-security-policy'
import { environment } from './app/environment'
import { appTunnel } from './app/tunnel/app-tunnel'
import { accessRequestOf, refuseAccess, refuseVisitor } from './lib/guard/access'
import { holdsToken, sessionHeader, sessionOf } from './lib/guard/token'
import { isBoard, isLab, isLogin } from './lib/sdk/paths'

/**
 * Runs for every page: checks access and sets the content security policy. Excludes the routes that read bodies and check
 * access themselves: Next buffers the beginning of a body before this function runs, and drops the rest without an error.
 */
export const config = {
  matcher: [
    '/((?!tunnel$|tunnel/v1/traces$|t/[^/]+$|t/[^/]+/v1/traces$|collector/|login/enter$|login/leave$|feedback$|feedback/send$|diagnostics$|_next/static/|_next/image|favicon.ico).*)',
  ],
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
  if (isDocument(request) && !isBoard(path)) appTunnel().served()
  return withHeaders(response)
}

/** Loads of pages that send something when their scripts run. Boards send only errors. */
const isDocument = ({ method, headers }: NextRequest): boolean =>
  method === 'GET' && headers.get('sec-fetch-dest') === 'document'

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

/** Login, settings and missing pages contain the DSN. */
function refuseForeignHost(request: NextRequest): NextResponse | null {
  const { token, hosts } = environment()
  const refusal = refuseVisitor(request.headers, { tokenRequired: token !== undefined, hosts })
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

/** An ended session opens pages of the app for at most this long; their queries are refused at once. */
const TRUSTED_MS = 5000
const MOST_TRUSTED = 100
const TIMEOUT_MS = 3000

/** When the collector last confirmed a session, by its id. */
const confirmed = new Map<string, number>()

/** Asks the collector whether the session of a request is open. @returns `null` when the collector does not answer */
async function isSignedIn(headers: Headers, collectorUrl: string): Promise<boolean | null> {
  const id = sessionOf(headers)
  if (id === null) return false
  const now = performance.now()
  if (now - (confirmed.get(id) ?? Number.NEGATIVE_INFINITY) < TRUSTED_MS) return true
  const request = {
    headers: sessionHeader(headers),
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  } as const
  try {
    const { status } = await Sentry.suppressTracing(() => fetch(`${collectorUrl}/control/access`, request))
    if (status !== 204) return status >= 500 ? null : false
  } catch {
    return null
  }
  confirmed.delete(id)
  for (const oldest of confirmed.keys()) if (confirmed.size >= MOST_TRUSTED) confirmed.delete(oldest)
  confirmed.set(id, now)
  return true
}
