import { fail, type Result, succeed } from './result'

/** The parts of a Sentry DSN: `{protocol}://{publicKey}[:{secret}]@{host}[:{port}][{path}]/{projectId}`. */
export interface Dsn {
  readonly protocol: 'http' | 'https'
  readonly publicKey: string
  /** Lower case, with port when one was given, IPv6 in brackets. */
  readonly host: string
  /** Path prefix without a trailing slash; empty for almost everybody. */
  readonly path: string
  readonly projectId: string
}

const KEY = /^[A-Za-z0-9_-]{1,64}$/
/** Is this a public key, as DSNs and auth headers carry it? */
export const isPublicKey = (text: string): boolean => KEY.test(text)

const PROJECT = /^[0-9]{1,20}$/

/**
 * Reads a DSN. The secret of old DSNs is accepted and forgotten: no modern SDK sends it.
 * @returns the parts, or a sentence that says what was read and what was meant.
 */
export function parseDsn(text: string): Result<Dsn, string> {
  const meant = 'a DSN looks like https://PUBLIC_KEY@HOST/PROJECT_ID'
  // The URL parser drops newlines and tabs and takes a backslash for a slash: what it reads is then not what was sent.
  if (hasUnsafe(text.trim())) return fail(`the DSN has a control character, a space or a backslash in it; ${meant}`)
  let url: URL
  try {
    url = new URL(text.trim())
  } catch {
    return fail(`${JSON.stringify(shorten(text))} is not a URL; ${meant}`)
  }
  const protocol = url.protocol.slice(0, -1)
  if (protocol !== 'http' && protocol !== 'https')
    return fail(`the DSN begins with ${url.protocol}//, meant is http:// or https://`)
  if (!isPublicKey(url.username))
    return fail(`the DSN has ${url.username ? 'a malformed' : 'no'} public key before the @; ${meant}`)
  if (url.search || url.hash) return fail(`the DSN has a query or a fragment; ${meant}`)
  const cut = url.pathname.lastIndexOf('/')
  const projectId = url.pathname.slice(cut + 1)
  if (!PROJECT.test(projectId))
    return fail(`the DSN ends in ${JSON.stringify(shorten(projectId))}, meant is a numeric project id; ${meant}`)
  return succeed({
    protocol,
    publicKey: url.username,
    host: url.host.toLowerCase(),
    path: url.pathname.slice(0, cut),
    projectId,
  })
}

/** The DSN as every SDK takes it. */
export function formatDsn(dsn: Dsn): string {
  return `${dsn.protocol}://${dsn.publicKey}@${dsn.host}${dsn.path}/${dsn.projectId}`
}

/** Where envelopes of this DSN go (`…/api/{project}/envelope/`); always built from configuration, never from input. */
export function envelopeUrl(dsn: Dsn): string {
  return `${dsn.protocol}://${dsn.host}${dsn.path}/api/${dsn.projectId}/envelope/`
}

/** Where a bare event of an old SDK goes (`…/api/{project}/store/`). */
export function storeUrl(dsn: Dsn): string {
  return `${dsn.protocol}://${dsn.host}${dsn.path}/api/${dsn.projectId}/store/`
}

/** Where a browser's report goes (`…/api/{project}/security/`); its key is in the address, for browsers set no header. */
export function securityUrl(dsn: Dsn, query: Readonly<Record<string, string>>): string {
  const params = new URLSearchParams({ sentry_key: dsn.publicKey, ...query })
  return `${dsn.protocol}://${dsn.host}${dsn.path}/api/${dsn.projectId}/security/?${params}`
}

/** Relay compares key and project id, never the host, so this is the identity of a DSN. */
export function sameProject(a: Pick<Dsn, 'publicKey' | 'projectId'>, b: Pick<Dsn, 'publicKey' | 'projectId'>): boolean {
  return a.publicKey === b.publicKey && a.projectId === b.projectId
}

/** The beginning of a key, which tells it from others without showing it whole. */
export const keyMark = (publicKey: string): string => (publicKey.length > 4 ? `${publicKey.slice(0, 4)}…` : publicKey)

/** Of *local only*, and of the stand-in: a page that has the one built in is taken by the other. */
export const LOCAL_KEY = { publicKey: 'local', projectId: '1' } as const

/** The upstream's DSN with our host in place of Sentry's; without an upstream the one of *local only*. */
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
