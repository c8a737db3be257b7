import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler } from 'hono'
import type { Environment } from '../../lib/config/environment'
import {
  type AccessRefusal,
  accessRequestOf,
  maySend,
  refuseAccess,
  refuseCrossSite,
  refuseHost,
  senderOrigin,
} from '../../lib/guard/access'
import { holdsToken, sessionOf } from '../../lib/guard/token'
import { isLoopbackName, PAGE_HEADER, STAMP_HEADER } from '../../lib/protocol/request'
import { hasNoBody, problem } from '../runtime/problem'
import type { Sessions } from './sessions'

const ALLOWED_HEADERS = [
  'x-sentry-auth',
  'x-requested-with',
  'x-forwarded-for',
  'origin',
  'referer',
  'accept',
  'content-type',
  'authentication',
  'authorization',
  'content-encoding',
  'transfer-encoding',
  'sentry-trace',
  'baggage',
  'traceparent',
  // Of resumable uploads: without them, the page of the SDK could not read the refusal.
  'tus-resumable',
  'upload-length',
  'upload-metadata',
  'upload-offset',
  STAMP_HEADER,
  PAGE_HEADER,
].join(', ')
const EXPOSED_HEADERS = 'x-sentry-error, x-sentry-rate-limits, retry-after, x-waystation-note'

/**
 * Refuses a foreign origin before the body is read. Echoes the origin, so that other ports can read rate limits. Without a
 * token it also refuses a foreign Host on requests without a body, because any page can cause them with an image.
 */
export function guardIntake(
  environment: Environment,
  onRefused: (reason: 'origin' | 'host') => Promise<void>,
): MiddlewareHandler {
  const allowed = [...environment.origins, ...environment.appOrigins]
  /** Most requests in a row come from the same page, or from programs without an origin. */
  let lastAllowed: string | null = null
  return async (c, next) => {
    const origin = c.req.header('origin') ?? null
    if (origin !== null) {
      c.header('Access-Control-Allow-Origin', origin)
      c.header('Access-Control-Expose-Headers', EXPOSED_HEADERS)
      c.header('Vary', 'Origin')
    }
    const sender = origin ?? senderOrigin(c.req.raw.headers)
    if (sender !== lastAllowed && !maySend(sender, allowed)) {
      await onRefused('origin')
      return problem(c, {
        status: 403,
        detail: `pages of ${sender} may not send here; add the origin to WAYSTATION_ORIGINS (loopback origins are always allowed)`,
      })
    }
    lastAllowed = sender
    const refusal = hasNoBody(c) ? refuseForeignHost(c, environment) : null
    if (refusal !== null) {
      await onRefused('host')
      return problem(c, refusal)
    }
    if (c.req.method !== 'OPTIONS') return next()
    c.header('Access-Control-Allow-Methods', 'GET, HEAD, POST, PATCH')
    c.header('Access-Control-Allow-Headers', ALLOWED_HEADERS)
    c.header('Access-Control-Max-Age', '3600')
    if (c.req.header('access-control-request-private-network') === 'true')
      c.header('Access-Control-Allow-Private-Network', 'true')
    return c.body(null, 204)
  }
}

/** Guards the routes that read or change: a loopback Host and an own Origin, or the token or an open session. */
export function guardAccess(
  environment: Environment,
  sessions: Pick<Sessions, 'has'>,
  intent: 'read' | 'change',
): MiddlewareHandler {
  const policy = {
    tokenRequired: environment.token !== undefined,
    hosts: environment.hosts,
    origins: environment.appOrigins,
  }
  return async (c, next) => {
    const { headers } = c.req.raw
    const isHeld = holdsToken(headers, environment.token) || (await sessions.has(sessionOf(headers)))
    const refusal = refuseAccess(accessRequestOf(headers, isHeld), policy, intent)
    return refusal === null ? next() : problem(c, refusal)
  }
}

/** Paths that SDKs and tunnels post to: pages of other sites may be allowed there, and read the answers. */
const INTAKE_PATH = /^\/(?:api|tunnel|stream|v1)(?:\/|$)/

/** Recorded data is neither cached, nor framed, nor loaded by other sites, nor run as another type. */
const PRIVATE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
} as const

/** Refuses cross-site requests to everything but intake, and protects the answers. */
export const protectAnswers: MiddlewareHandler = async (c, next) => {
  if (INTAKE_PATH.test(c.req.path)) return next()
  const refusal = refuseCrossSite(c.req.raw.headers)
  if (refusal === null) await next()
  else c.res = problem(c, refusal)
  // Boards have a policy of their own, and files that browsers may keep.
  const isBoard = c.res.headers.has('Content-Security-Policy')
  for (const [name, value] of Object.entries(PRIVATE_HEADERS))
    if (!isBoard || !c.res.headers.has(name)) c.res.headers.set(name, value)
}

/** Requires the token for copies from another machine: they need no key. */
export function guardCopies(environment: Pick<Environment, 'token'>): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (c, next) => {
    const peer = c.env.incoming.socket.remoteAddress?.replace(/^::ffff:/, '') ?? ''
    if (isLoopbackName(peer) || holdsToken(c.req.raw.headers, environment.token)) return next()
    return problem(c, {
      status: 401,
      detail: 'authentication required: copies from another machine need Authorization: Bearer TOKEN',
    })
  }
}

/** Without a token the Host decides who may read; with one, the token does. */
export const refuseForeignHost = (c: Context, { token, hosts }: Environment): AccessRefusal | null =>
  token === undefined ? refuseHost(c.req.header('host') ?? null, hosts) : null
