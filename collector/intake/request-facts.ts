import { CONSENT_HEADER } from '../../lib/protocol/consent'
import {
  type Endpoint,
  isLoopbackName,
  isVisitorHash,
  KEPT_HEADER,
  LAB_HEADER,
  OWN_HEADER,
  PAGE_HEADER,
  VISITOR_HEADER,
} from '../../lib/protocol/request'
import type { SubmissionFacts } from '../../lib/protocol/submission'
import { queryOf, readSentBy } from './credentials'

/** `sec-ch-ua`, `sec-ch-ua-mobile`, `sec-ch-ua-platform-version` and others; about a dozen exist. */
const CLIENT_HINT = /^sec-ch-ua(-[a-z-]+)?$/
const MAX_FACT_LENGTH = 1024

/**
 * Stored with the body. Trusts `X-Forwarded-For` only from a tunnel on this machine, and a visitor from one that holds the
 * token too: others could forge them.
 * @param names of all headers, in lower case; listing them from `Headers` copies all of them first
 * @param peer the address of the sender. @param holdsToken whether the request has the collector's token
 */
export function requestFacts(
  request: Pick<Request, 'method' | 'url' | 'headers'>,
  names: readonly string[],
  endpoint: Endpoint,
  peer: string,
  holdsToken: () => boolean,
): SubmissionFacts {
  const header = (name: string): string | null => request.headers.get(name)?.slice(0, MAX_FACT_LENGTH) ?? null
  const isTunnel = endpoint === 'tunnel'
  const hints = names.filter((name) => CLIENT_HINT.test(name))
  const search = queryOf(request.url)
  const query = endpoint === 'security' ? reportQuery(search) : {}
  const keptMs = header(KEPT_HEADER)
  const visitor = isTunnel || endpoint === 'otlp_traces' ? header(VISITOR_HEADER) : null
  const isBelieved = visitor !== null && isVisitorHash(visitor) && (isLoopbackName(peer) || holdsToken())
  return {
    method: request.method,
    contentType: header('content-type'),
    contentEncoding: header('content-encoding'),
    userAgent: header('user-agent'),
    clientHints: Object.fromEntries(hints.map((name) => [name, header(name) ?? ''])),
    origin: header('origin'),
    forwardedFor: isTunnel && isLoopbackName(peer) ? header('x-forwarded-for') : null,
    page: pageId(header(PAGE_HEADER)),
    lab: header(LAB_HEADER) === '1',
    ...(header(OWN_HEADER) === '1' && { own: true as const }),
    ...(isBelieved && { visitor }),
    ...(header(CONSENT_HEADER) === 'kept' && { consent: 'kept' as const }),
    ...readSentBy(request.headers, search),
    ...((isTunnel || isBelieved) && keptMs !== null && /^\d{1,12}$/.test(keptMs) && { keptMs: Number(keptMs) }),
    ...(Object.keys(query).length > 0 && { query }),
  }
}

/** A browser report has no release or environment of its own; the configured report address carries them. */
function reportQuery(query: URLSearchParams): Readonly<Record<string, string>> {
  const names = ['sentry_release', 'sentry_environment'].filter((name) => query.has(name))
  return Object.fromEntries(names.map((name) => [name, query.get(name)?.slice(0, MAX_FACT_LENGTH) ?? '']))
}

/** @returns `null` for an id with markup, control characters or more than 64 characters */
export const pageId = (value: string | null): string | null =>
  value !== null && /^[A-Za-z0-9_-]{1,64}$/.test(value) ? value : null
