import type { Context } from 'hono'
import { type Environment, projectOfKey } from '../../lib/config/environment'
import { type CountedItem, type Quantity, quantityOf } from '../../lib/protocol/data-category'
import { isPublicKey, parseDsn } from '../../lib/protocol/dsn'
import { type Envelope, type EnvelopeError, intakeError, parseHeaderOf } from '../../lib/protocol/envelope'
import { hex32 } from '../../lib/protocol/ids'
import { readClientReport } from '../../lib/protocol/items/client-report'
import { countedDiscard } from '../../lib/protocol/outcome'
import { parseRecord } from '../../lib/protocol/record'
import type { Endpoint } from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { limitOf, SIZE_LIMITS, type SizeLimits } from '../../lib/protocol/size-limits'
import type { Refusal } from '../runtime/problem'
import type { Discard } from '../spool/submission'
import { describeLimit } from './refusal'

export interface Credentials {
  /** From the path, or the project of the key; `null` when only the envelope header can name one. */
  readonly project: string | null
  /** From a header or the query; `null` when only the envelope header can name one. */
  readonly key: string | null
}

export interface AuthorisedEnvelope {
  readonly publicKey: string
  readonly project: string
  /** As the header names it; `nameEvent` finds or assigns any other. */
  readonly eventId: string | null
  readonly quantities: readonly Quantity[]
  /** Empty for a copy, because the original carries the same reports. */
  readonly discards: readonly Discard[]
  /** `sent_at` of the header, in ms since the epoch; absent if there is none. */
  readonly sentAt?: number
  /** When its client reports were written, in ms since the epoch: the latest time, by the clock of the sender. */
  readonly countedAt?: number
}

export type AcceptsProject = (sent: { readonly publicKey: string; readonly projectId: string }) => boolean

/** Key and project from path, headers and query; a refusal when malformed or conflicting. */
export function readCredentials(
  c: Context,
  endpoint: Endpoint,
  environment: Environment,
): Result<Credentials, Refusal> {
  if (endpoint === 'tunnel' || endpoint === 'stream') return succeed({ project: null, key: null })
  const sent = readPublicKey(c.req.raw.headers, new URL(c.req.url).searchParams)
  const key = sent.ok ? withPathKey(sent.value, c.req.param('key')) : sent
  if (!key.ok) return key
  const project = c.req.param('project') ?? (key.value === null ? null : projectOfKey(environment, key.value))
  return succeed({ key: key.value, project })
}

/** Crash reports and check-ins may have the key in their path. */
function withPathKey(sent: string | null, inPath: string | undefined): Result<string | null, Refusal> {
  if (inPath === undefined) return succeed(sent)
  if (!isPublicKey(inPath))
    return fail({ status: 400, reason: 'malformed_key', detail: 'the key in the path is not a public key' })
  if (sent === null || sent === inPath) return succeed(inPath)
  return fail({
    status: 401,
    reason: 'multiple_auth',
    detail: 'multiple authorization payloads detected: the path has another key than header or query; send one',
  })
}

/** @returns a refusal with 400 for a malformed body, with 413 for a body or an item over a limit */
export function parseBody(
  endpoint: Endpoint,
  bytes: Uint8Array,
  sizeLimits: SizeLimits = SIZE_LIMITS,
  target: string | null = null,
): Result<Envelope, Refusal> {
  const framed = parseRecord(endpoint, bytes, sizeLimits, target)
  if (!framed.ok) return fail(framingRefusal(framed.error, sizeLimits))
  const unlikeRelay = intakeError(bytes, framed.value)
  if (unlikeRelay !== null) return fail(framingRefusal(unlikeRelay, sizeLimits))
  const tooLarge = framed.value.items.find(({ header, payload }) => payload.length > sizeLimits[limitOf(header.type)])
  if (tooLarge === undefined) return framed
  const { header, payload } = tooLarge
  const type = header.type.slice(0, MAX_TYPE_LENGTH)
  return fail({
    status: 413,
    reason: 'payload_too_large',
    detail: `envelope exceeded size limits for type '${type}' ${describeLimit(sizeLimits, limitOf(header.type), payload.length)}`,
  })
}

/** Senders choose item types freely; a refusal repeats only this much of one. */
const MAX_TYPE_LENGTH = 64

/** Framing errors that mean a limit, with its name. `event`: at /store and /security the body is one event. */
const LIMIT_OF_ERROR: Partial<Record<EnvelopeError['code'], keyof SizeLimits>> = {
  header_too_long: 'header_line',
  too_many_items: 'items',
  payload_too_large: 'event',
}

function framingRefusal({ code, message, at }: EnvelopeError, sizeLimits: SizeLimits): Refusal {
  const limit = LIMIT_OF_ERROR[code]
  return {
    status: limit === undefined ? 400 : 413,
    reason: code,
    detail: limit === undefined ? message : `${message} ${describeLimit(sizeLimits, limit)}`,
    causes: [`at byte ${at}`],
  }
}

/**
 * Checks that a configured project sent the envelope. Never uses the host, path or secret of a received DSN. A copy needs
 * no key: it is never relayed, and Spotlight sends none. Refuses a bad identity with 400, none with 401, unknown with 403.
 */
export function authorise(
  endpoint: Endpoint,
  envelope: Envelope,
  credentials: Credentials,
  accepts: AcceptsProject,
  sizeLimits: SizeLimits = SIZE_LIMITS,
): Result<AuthorisedEnvelope, Refusal> {
  const identity = authoriseHeader(endpoint, envelope.header, credentials, accepts)
  if (!identity.ok) return identity
  const { publicKey, project } = identity.value
  const { event_id: eventId, sent_at: sent } = envelope.header
  const sentAt = typeof sent === 'string' ? Date.parse(sent) : Number.NaN
  return succeed({
    publicKey,
    project,
    eventId: hex32(eventId),
    quantities: envelope.items.map(quantityOf),
    ...(endpoint === 'stream' ? { discards: [] } : sumReports(envelope.items, sizeLimits)),
    ...(!Number.isNaN(sentAt) && { sentAt }),
  })
}

/**
 * Checks the sender as far as it is known before the body: a refusal of credentials outside of it, or `null`.
 */
export function refuseSender(endpoint: Endpoint, credentials: Credentials, accepts: AcceptsProject): Refusal | null {
  if (credentials.key === null || credentials.project === null) return null
  const identity = authoriseHeader(endpoint, {}, credentials, accepts)
  return identity.ok ? null : identity.error
}

/** Checks the sender by the start of a large envelope, before the rest arrives: a refusal, or `null`. */
export function refuseStart(
  endpoint: Endpoint,
  start: Uint8Array,
  credentials: Credentials,
  accepts: AcceptsProject,
  sizeLimits: SizeLimits,
): Refusal | null {
  const header = parseHeaderOf(start, sizeLimits)
  if (header === null) return null
  if (!header.ok) return framingRefusal(header.error, sizeLimits)
  const identity = authoriseHeader(endpoint, header.value, credentials, accepts)
  return identity.ok ? null : identity.error
}

function authoriseHeader(
  endpoint: Endpoint,
  header: Envelope['header'],
  credentials: Credentials,
  accepts: AcceptsProject,
): Result<Identity, Refusal> {
  const isCopy = endpoint === 'stream'
  const found = identify(header, credentials)
  const identity = isCopy && !found.ok && found.error.reason === 'no_key' ? succeed(COPY_IDENTITY) : found
  if (!identity.ok) return identity
  const { publicKey, project } = identity.value
  if (isCopy || accepts({ publicKey, projectId: project })) return identity
  return fail({
    status: 403,
    reason: 'unknown_project',
    detail: `project ${project} with this key is not configured in Waystation; use the local DSN that it prints at start`,
  })
}

interface Identity {
  readonly publicKey: string
  readonly project: string
}

const COPY_IDENTITY: Identity = { publicKey: 'copy', project: '0' }

/** Also checked without an upstream, where every project is accepted: pages show this text. */
const PROJECT_ID = /^\d{1,20}$/

function identify({ dsn }: Envelope['header'], { key, project }: Credentials): Result<Identity, Refusal> {
  if (project !== null && !PROJECT_ID.test(project))
    return fail({
      status: 400,
      reason: 'malformed_project',
      detail: 'the project in the path is not a numeric project id',
    })
  if (dsn === undefined) {
    if (key === null || project === null)
      return fail({
        status: 401,
        reason: 'no_key',
        detail: 'no public key: send sentry_key by X-Sentry-Auth or query, or a dsn in the envelope header',
      })
    return succeed({ publicKey: key, project })
  }
  const parsed = typeof dsn === 'string' ? parseDsn(dsn) : fail('the dsn of the envelope header is not a string')
  if (!parsed.ok) return fail({ status: 400, reason: 'malformed_dsn', detail: parsed.error })
  const { publicKey, projectId } = parsed.value
  if ((key !== null && key !== publicKey) || (project !== null && project !== projectId))
    return fail({
      status: 400,
      reason: 'dsn_mismatch',
      detail: 'the dsn of the envelope header has another key or project than the request',
    })
  return succeed({ publicKey, project: projectId })
}

/**
 * Sums client reports by category and reason, and reads when they were written. Stops at the size limit of one report,
 * because the sender waits.
 */
export function sumReports(
  items: readonly (CountedItem & { readonly payload: Uint8Array })[],
  sizeLimits: SizeLimits,
): Pick<AuthorisedEnvelope, 'discards' | 'countedAt'> {
  const sums = new Map<string, Map<string, number>>()
  let bytes = 0
  let countedAt = 0
  for (const { header, payload } of items) {
    if (header.type !== 'client_report') continue
    bytes += payload.length
    if (bytes > sizeLimits.client_report) break
    const report = readClientReport(payload, sizeLimits)
    if (report.ok) countedAt = Math.max(countedAt, (report.value.timestamp ?? 0) / 1000)
    for (const readEntry of report.ok ? report.value.entries : []) {
      const discard = countedDiscard(readEntry())
      if (discard === null) continue
      const reasons = sums.get(discard.category) ?? new Map<string, number>()
      sums.set(discard.category, reasons)
      reasons.set(discard.reason, (reasons.get(discard.reason) ?? 0) + discard.quantity)
    }
  }
  const discards = [...sums].flatMap(([category, reasons]) =>
    [...reasons].map(([reason, quantity]) => ({ category, reason, quantity })),
  )
  return { discards, ...(countedAt > 0 && { countedAt }) }
}

/** Relay rejects newer versions. SDKs send 7, Raven clients 2.0 to 7. */
const MAX_PROTOCOL_VERSION = 8

interface Presented {
  readonly keys: readonly string[]
  readonly versions: readonly string[]
}

/**
 * The public key of `X-Sentry-Auth`, `Authorization` (`Sentry …`, or Basic with the key as user name) or the query;
 * `null` without one. Refuses several different keys and a key in header and query with 401, a malformed one with 400.
 */
export function readPublicKey(headers: Headers, query: URLSearchParams): Result<string | null, Refusal> {
  const byHeader = join(sentryAuth(headers.get('x-sentry-auth')), authorization(headers.get('authorization')))
  const byQuery = { keys: query.getAll('sentry_key'), versions: query.getAll('sentry_version') }
  if (byHeader.keys.length > 0 && byQuery.keys.length > 0)
    return fail({
      status: 401,
      reason: 'multiple_auth',
      detail: 'multiple authorization payloads detected: the key is in a header and in the query; send one',
    })
  const { keys, versions } = join(byHeader, byQuery)
  const [key = null, ...others] = new Set(keys)
  if (others.length > 0)
    return fail({
      status: 401,
      reason: 'multiple_auth',
      detail: 'multiple authorization payloads detected: the request has several keys; send one',
    })
  if (key !== null && !isPublicKey(key))
    return fail({ status: 400, reason: 'malformed_key', detail: 'sentry_key is not a public key' })
  if (!versions.every(isSupported))
    return fail({
      status: 400,
      reason: 'version',
      detail: `unsupported sentry_version; it must be a number up to ${MAX_PROTOCOL_VERSION}`,
    })
  return succeed(key)
}

/** The name of the SDK and the version of the protocol that a request states, for the same header upstream. */
export interface SentBy {
  readonly client?: string
  readonly version?: string
}

/** Reads both from where `readPublicKey` reads the key. A malformed value is left out. */
export function readSentBy(headers: Headers, query: URLSearchParams): SentBy {
  const stated = [headers.get('x-sentry-auth') ?? '', headers.get('authorization') ?? ''].filter((header) =>
    /^\s*sentry\s/i.test(header),
  )
  const statedIn = (field: RegExp, name: string): string | undefined =>
    [...stated.flatMap((header) => fieldsOf(header, field)), ...query.getAll(name)].find((value) => value !== '')
  const client = statedIn(CLIENT_FIELD, 'sentry_client')
  const version = statedIn(VERSION_FIELD, 'sentry_version')
  return {
    ...(client !== undefined && /^[\w.\-/+@ ()]{1,100}$/.test(client) && { client }),
    ...(version !== undefined && isSupported(version) && { version }),
  }
}

/** Parses `Sentry sentry_key=…, sentry_version=7`. A header that is sent twice arrives joined by a comma. */
function sentryAuth(header: string | null): Presented {
  if (header === null || !/^\s*sentry\s/i.test(header)) return NOTHING
  return { keys: fieldsOf(header, KEY_FIELD), versions: fieldsOf(header, VERSION_FIELD) }
}

/** Parses the same format, or `Basic <key>:`. */
function authorization(header: string | null): Presented {
  if (header === null) return NOTHING
  const users = [...header.matchAll(BASIC)].map((found) => {
    const text = Buffer.from(found[1] ?? '', 'base64').toString('utf8')
    return text.split(':', 1)[0] ?? ''
  })
  return join(sentryAuth(header), { keys: users.filter((user) => user !== ''), versions: [] })
}

const NOTHING: Presented = { keys: [], versions: [] }
const BASIC = /(?:^|,)\s*basic\s+([A-Za-z0-9+/_=-]+)/gi
const KEY_FIELD = /[\s,]sentry_key\s*=\s*("[^"]*"|[^,\s]*)/gi
const CLIENT_FIELD = /[\s,]sentry_client\s*=\s*("[^"]*"|[^,]*)/gi
const VERSION_FIELD = /[\s,]sentry_version\s*=\s*("[^"]*"|[^,\s]*)/gi

const fieldsOf = (header: string, field: RegExp): readonly string[] =>
  [...header.matchAll(field)].map((found) => (found[1] ?? '').replaceAll('"', '').trim())

const join = (one: Presented, other: Presented): Presented => ({
  keys: [...one.keys, ...other.keys],
  versions: [...one.versions, ...other.versions],
})

/** Accepts `2.0` too, as Raven clients send it. */
const isSupported = (version: string): boolean =>
  /^\d{1,3}(?:\.\d{1,3})?$/.test(version) && Number.parseInt(version, 10) <= MAX_PROTOCOL_VERSION
