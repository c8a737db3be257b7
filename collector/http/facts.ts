import type { Endpoint } from '../../lib/protocol/record'
import { isLoopbackName, PAGE_HEADER } from '../../lib/protocol/request'
import type { SubmissionFacts } from '../spool/submission'

/** `sec-ch-ua`, `sec-ch-ua-mobile`, `sec-ch-ua-platform-version` and their like; there are a dozen. */
const CLIENT_HINT = /^sec-ch-ua(-[a-z-]+)?$/
const LONGEST_FACT = 1024
/** A report of a browser cannot say these itself; whoever configured its address wrote them there. */
const OF_THE_ADDRESS = ['sentry_release', 'sentry_environment'] as const

/**
 * The request facts kept beside the bytes. `X-Forwarded-For` counts only from the tunnel on this machine: anybody else
 * could write what they like.
 */
export function factsOf(request: Request, endpoint: Endpoint, peer: string | null): SubmissionFacts {
  const header = (name: string): string | null => request.headers.get(name)?.slice(0, LONGEST_FACT) ?? null
  const hints: Record<string, string> = {}
  for (const name of request.headers.keys()) {
    const value = CLIENT_HINT.test(name) ? header(name) : null
    if (value !== null) hints[name] = value
  }
  const query = endpoint === 'security' ? queryOf(new URL(request.url).searchParams) : {}
  return {
    method: request.method,
    contentType: header('content-type'),
    contentEncoding: header('content-encoding'),
    userAgent: header('user-agent'),
    clientHints: hints,
    origin: header('origin'),
    forwardedFor: endpoint === 'tunnel' && peer !== null && isLoopbackPeer(peer) ? header('x-forwarded-for') : null,
    page: word(header(PAGE_HEADER)),
    lab: header('x-waystation-lab') === '1',
    ...keptIn(endpoint, header('x-waystation-kept')),
    ...(Object.keys(query).length > 0 && { query }),
  }
}

/** Only a tunnel has a lifeboat. */
const keptIn = (endpoint: Endpoint, ms: string | null): Pick<SubmissionFacts, 'keptMs'> =>
  endpoint === 'tunnel' && ms !== null && /^\d{1,12}$/.test(ms) ? { keptMs: Number(ms) } : {}

function queryOf(given: URLSearchParams): Readonly<Record<string, string>> {
  return Object.fromEntries(
    OF_THE_ADDRESS.flatMap((name) => {
      const value = given.get(name)
      return value === null ? [] : [[name, value.slice(0, LONGEST_FACT)] as const]
    }),
  )
}

/** A page id: a short word, never markup or control characters. */
export const word = (value: string | null): string | null =>
  value !== null && /^[A-Za-z0-9_-]{1,64}$/.test(value) ? value : null

const isLoopbackPeer = (address: string): boolean => isLoopbackName(address.replace(/^::ffff:/, ''))
