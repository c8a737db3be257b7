import { fail, type Result, succeed } from './result'

/** The parts of a Sentry DSN: `{protocol}://{publicKey}[:{secret}]@{host}[:{port}][{path}]/{projectId}`. */
export interface Dsn {
  readonly protocol: 'http' | 'https'
  readonly publicKey: string
  /** Lower case, with port when one was given, IPv6 in brackets. */
  readonly host: string
  /** Path prefix without a trailing slash; almost always empty. */
  readonly path: string
  readonly projectId: string
}

const KEY = /^[A-Za-z0-9_-]{1,64}$/
export const isPublicKey = (text: string): boolean => KEY.test(text)

const PROJECT = /^[0-9]{1,20}$/

/** Parses a DSN, or returns an error message. The secret of old DSNs is ignored: no modern SDK sends it. */
export function parseDsn(text: string): Result<Dsn, string> {
  const expected = 'a DSN looks like https://PUBLIC_KEY@HOST/PROJECT_ID'
  // The URL parser removes newlines and tabs and turns backslashes into slashes, so it would parse a different text.
  if (hasUnsafe(text.trim())) return fail(`the DSN contains a control character, a space or a backslash; ${expected}`)
  let url: URL
  try {
    url = new URL(text.trim())
  } catch {
    return fail(`${JSON.stringify(shorten(text))} is not a URL; ${expected}`)
  }
  const protocol = url.protocol.slice(0, -1)
  if (protocol !== 'http' && protocol !== 'https')
    return fail(`the DSN begins with ${url.protocol}//, expected http:// or https://`)
  if (!isPublicKey(url.username))
    return fail(`the DSN has ${url.username ? 'a malformed' : 'no'} public key before the @; ${expected}`)
  if (url.search || url.hash) return fail(`the DSN has a query or a fragment; ${expected}`)
  const cut = url.pathname.lastIndexOf('/')
  const projectId = url.pathname.slice(cut + 1)
  if (!PROJECT.test(projectId))
    return fail(`the DSN ends in ${JSON.stringify(shorten(projectId))}, expected a numeric project id; ${expected}`)
  return succeed({
    protocol,
    publicKey: url.username,
    host: url.host.toLowerCase(),
    path: url.pathname.slice(0, cut),
    projectId,
  })
}

export function formatDsn(dsn: Dsn): string {
  return `${dsn.protocol}://${dsn.publicKey}@${dsn.host}${dsn.path}/${dsn.projectId}`
}

/** Returns the envelope URL of a DSN (`…/api/{project}/envelope/`). Pass only configured DSNs, never received ones. */
export function envelopeUrl(dsn: Dsn): string {
  return `${dsn.protocol}://${dsn.host}${dsn.path}/api/${dsn.projectId}/envelope/`
}

/** Returns the OTLP/HTTP URL of a DSN, as `getOtlpTracesEndpoint` of the SDK does. @param signal `traces` or `logs` */
export function otlpUrl(dsn: Dsn, signal: string): string {
  return `${dsn.protocol}://${dsn.host}${dsn.path}/api/${dsn.projectId}/integration/otlp/v1/${signal}/`
}

/**
 * Returns the URL of an endpoint whose address says more about a body. @param target the address after the project, with
 * `{key}` where it holds the key
 */
export const targetUrl = (dsn: Dsn, target: string): string =>
  `${dsn.protocol}://${dsn.host}${dsn.path}/api/${dsn.projectId}/${target.replace('{key}', dsn.publicKey)}`

/** Returns the URL for a bare event of an old SDK (`…/api/{project}/store/`). */
export function storeUrl(dsn: Dsn): string {
  return `${dsn.protocol}://${dsn.host}${dsn.path}/api/${dsn.projectId}/store/`
}

/** Returns the URL for a browser's report (`…/api/{project}/security/`), with the key: browsers set no auth header. */
export function securityUrl(dsn: Dsn, query: Readonly<Record<string, string>>): string {
  const params = new URLSearchParams({ sentry_key: dsn.publicKey, ...query })
  return `${dsn.protocol}://${dsn.host}${dsn.path}/api/${dsn.projectId}/security/?${params}`
}

/** Returns true when key and project id are equal. As in Relay, the host does not count. */
export function sameProject(a: Pick<Dsn, 'publicKey' | 'projectId'>, b: Pick<Dsn, 'publicKey' | 'projectId'>): boolean {
  return a.publicKey === b.publicKey && a.projectId === b.projectId
}

/** Returns the first characters of a key, which identify it without showing all of it. */
export const keyPrefix = (publicKey: string): string => (publicKey.length > 4 ? `${publicKey.slice(0, 4)}…` : publicKey)

/** Key and project without an upstream, and of the stand-in: both accept a page that was built for the other. */
export const LOCAL_KEY = { publicKey: 'local', projectId: '1' } as const

/** Returns the upstream's DSN with the collector's host; without an upstream, the DSN of `LOCAL_KEY`. */
export function localDsn(collectorUrl: string, upstream: Pick<Dsn, 'publicKey' | 'projectId'> = LOCAL_KEY): Dsn {
  const url = new URL(collectorUrl)
  return {
    protocol: url.protocol === 'https:' ? 'https' : 'http',
    publicKey: upstream.publicKey,
    host: url.host,
    path: url.pathname.replace(/\/$/, ''),
    projectId: upstream.projectId,
  }
}

const hasUnsafe = (text: string): boolean => [...text].some((sign) => sign <= ' ' || sign === '\\' || sign === '\x7f')

const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text)
