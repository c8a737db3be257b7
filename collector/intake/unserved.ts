import type { Context } from 'hono'
import { missingRole, type Role } from '../../lib/protocol/roles'
import { problem, type Refusal } from '../runtime/problem'
import type { Spool } from '../spool/spool'
import type { IntakeDeps } from './receive'

/** The addresses that SDKs make of a DSN, also of one with a path: `/api/{project}/…`. */
const DSN_PATH = /\/api\/[^/]+\/./

/** Sentry's endpoints that need a service of Sentry: answered 501, so that their senders do not look for a wrong address. */
const UNSUPPORTED: readonly { readonly path: RegExp; readonly detail: string }[] = [
  {
    path: /^\/api\/\d+\/upload(?:\/|$)/,
    detail: 'Waystation takes no resumable uploads (tus), so nothing is stored; send attachments in envelopes',
  },
  {
    path: /^\/api\/\d+\/playstation\/?$/,
    detail: 'Waystation takes no crash dumps of PlayStation, so nothing is stored; send them to Sentry directly',
  },
  {
    path: /^\/api\/embed\/error-page\/?$/,
    detail:
      'Waystation serves no crash-report dialog, so no feedback is stored; use the feedback integration of the SDK',
  },
]

/**
 * Refuses a request to an address that an SDK made of a DSN and that no route serves: 501 where Sentry has such an
 * endpoint, else 404. Counts it with its path, because its sender loses telemetry.
 * @returns `null` for any other address
 */
export async function refuseUnserved(c: Context, spool: Pick<Spool, 'countRefusal'>): Promise<Response | null> {
  const { path } = c.req
  if (!DSN_PATH.test(path)) return null
  const refusal = unservedRefusal(c.req.method, path)
  await spool.countRefusal(refusal.reason, 0, requestLine(c))
  return problem(c, refusal)
}

function unservedRefusal(method: string, path: string): Refusal {
  const unsupported = UNSUPPORTED.find((one) => one.path.test(path))
  if (unsupported !== undefined) return { status: 501, reason: 'unsupported_endpoint', detail: unsupported.detail }
  return {
    status: 404,
    reason: 'unknown_endpoint',
    detail: `Waystation does not serve ${method} ${shortPath(path)}, so nothing is stored; docs/reference/routes.md lists its endpoints`,
  }
}

/**
 * Refuses a request to an intake endpoint of a collector without the role. SDKs and exporters send nothing again after 404,
 * silence no category by it, and it does not blame the key as 403 would; a relay keeps what it has for later.
 */
export async function refuseWithoutIntake(
  c: Context,
  roles: readonly Role[],
  spool: Pick<Spool, 'countRefusal'>,
): Promise<Response> {
  await spool.countRefusal('no_intake', 0, requestLine(c))
  return problem(c, { status: 404, detail: `${missingRole('intake', roles)}; nothing is stored` })
}

/** Refuses a post to an address near those of OpenTelemetry. Exporters show at most the status, so it is logged. */
export async function refuseUnknownExport(
  c: Context,
  detail: string,
  { spool, logOtlpRefusal }: Pick<IntakeDeps, 'spool' | 'logOtlpRefusal'>,
): Promise<Response> {
  const reason = 'unknown_endpoint'
  logOtlpRefusal(reason, c.req.path, detail)
  await spool.countRefusal(reason, 0, requestLine(c))
  return problem(c, { status: 404, detail })
}

/** Method and path of a request, for the list of refused paths. */
const requestLine = (c: Context): string => `${c.req.method.slice(0, 10)} ${shortPath(c.req.path)}`

const LONGEST_PATH = 80
/** Ids and keys of 16 and more characters: with them, every request would have a path of its own. */
const ID = /[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** At most 80 characters of printable ASCII, without ids, query, markup and control characters. */
function shortPath(path: string): string {
  const plain = path.replace(ID, '{id}').replace(/[^A-Za-z0-9/_.~:{}-]/g, '?')
  return plain.length > LONGEST_PATH ? `${plain.slice(0, LONGEST_PATH - 1)}…` : plain
}
