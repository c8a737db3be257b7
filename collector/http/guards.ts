import type { MiddlewareHandler } from 'hono'
import type { Environment } from '../../lib/config/environment'
import { refuseLook } from '../../lib/guard/may-look'
import { maySendFrom, senderOf } from '../../lib/guard/may-send'
import { visitorOf } from '../../lib/guard/visitor'
import { PAGE_HEADER, STAMP_HEADER } from '../../lib/protocol/request'
import { problem } from './refusal'

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
  STAMP_HEADER,
  PAGE_HEADER,
].join(', ')
const EXPOSED_HEADERS = 'x-sentry-error, x-sentry-rate-limits, retry-after, x-waystation-note'

/**
 * Guards intake: a foreign origin is refused before the body is read. Answers, refusals and preflights echo the origin:
 * without that an SDK on another port could send but never learn that it is limited.
 */
export function guardIntake(environment: Environment, onRefused: () => Promise<void>): MiddlewareHandler {
  const senders = [...environment.origins, ...environment.appOrigins]
  return async (c, next) => {
    const origin = c.req.header('origin') ?? null
    if (origin !== null) {
      c.header('Access-Control-Allow-Origin', origin)
      c.header('Access-Control-Expose-Headers', EXPOSED_HEADERS)
      c.header('Vary', 'Origin')
    }
    const sender = origin ?? senderOf(c.req.raw.headers)
    if (!maySendFrom(sender, senders)) {
      await onRefused()
      return problem(c, {
        status: 403,
        detail: `pages of ${sender} may not send here: loopback origins may, and those in WAYSTATION_ORIGINS`,
      })
    }
    if (c.req.method !== 'OPTIONS') return next()
    c.header('Access-Control-Allow-Methods', 'POST')
    c.header('Access-Control-Allow-Headers', ALLOWED_HEADERS)
    c.header('Access-Control-Max-Age', '3600')
    if (c.req.header('access-control-request-private-network') === 'true')
      c.header('Access-Control-Allow-Private-Network', 'true')
    return c.body(null, 204)
  }
}

/** Guards what reads or changes: loopback Host, the app's own Origin, else the token. */
export function guardLook(environment: Environment, intent: 'read' | 'change'): MiddlewareHandler {
  const policy = {
    tokenRequired: environment.token !== undefined,
    hosts: environment.hosts,
    origins: environment.appOrigins,
  }
  return async (c, next) => {
    const refusal = refuseLook(visitorOf(c.req.raw.headers, environment.token), policy, intent)
    return refusal === null ? next() : problem(c, refusal)
  }
}
