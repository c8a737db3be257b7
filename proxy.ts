import * as Sentry from '@sentry/nextjs'
import { type NextRequest, NextResponse } from 'next/server'
import { contentSecurityPolicy } from './app/content-security-policy'
import { environment } from './app/environment'
import { refuseLook } from './lib/guard/may-look'
import { visitorOf } from './lib/guard/visitor'
import { isBoard, isLab, isLogin } from './lib/sdk/paths'

/**
 * Every page passes here: who may look at it, and the policy it runs under. Never the tunnel, for a matching proxy cuts
 * bodies at 10 MB and goes on; nor the collector's pass-through, which guards itself.
 */
export const config = {
  matcher: ['/((?!tunnel$|collector/|settings$|_next/static/|_next/image|favicon.ico).*)'],
}

export function proxy(request: NextRequest): NextResponse {
  const path = request.nextUrl.pathname
  const refusal = isGuarded(path) ? refuse(request) : null
  if (refusal !== null) return withHeaders(refusal)
  const nonce = crypto.randomUUID()
  const policy = contentSecurityPolicy({
    nonce,
    development: process.env.NODE_ENV === 'development',
    lab: isLab(path),
  })
  const headers = new Headers(request.headers)
  // Next takes the nonce for its own scripts out of the request's policy.
  headers.set('content-security-policy', policy)
  const response = NextResponse.next({ request: { headers } })
  response.headers.set('content-security-policy', policy)
  response.headers.set('server-timing', traceTiming())
  return withHeaders(response)
}

/** Carries the trace to documents that Next writes bare when a page fails, and which have no meta tags to carry it. */
const traceTiming = (): string =>
  Object.entries(Sentry.getTraceData())
    .map(([name, value]) => `${name};desc="${value}"`)
    .join(', ')

/** Boards and home show what was recorded, the lab acts; a page that shows nothing is open. */
const isGuarded = (path: string): boolean => path === '/' || isLab(path) || (isBoard(path) && !isLogin(path))

function refuse(request: NextRequest): NextResponse | null {
  const { token, hosts, appOrigins } = environment()
  const refusal = refuseLook(
    visitorOf(request.headers, token),
    { tokenRequired: token !== undefined, hosts, origins: appOrigins },
    request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'change',
  )
  if (refusal === null) return null
  if (refusal.status === 401 && request.method === 'GET') return toLogin(request)
  return NextResponse.json({ detail: refusal.detail, causes: [] }, { status: refusal.status })
}

function toLogin(request: NextRequest): NextResponse {
  const target = `${request.nextUrl.pathname}${request.nextUrl.search}`
  const login = new URL('/login', request.nextUrl)
  login.searchParams.set('next', target)
  return NextResponse.redirect(login)
}

function withHeaders(response: NextResponse): NextResponse {
  response.headers.set('x-content-type-options', 'nosniff')
  // Not `no-referrer`: with it a form of our own page posts `Origin: null`.
  response.headers.set('referrer-policy', 'same-origin')
  return response
}
