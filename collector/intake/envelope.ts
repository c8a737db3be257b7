import { createHash } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { acceptsProject, type Environment } from '../../lib/config/environment'
import { nameEvent } from '../../lib/protocol/event-id'
import {
  type Endpoint,
  isDirect,
  isLoopbackName,
  isStamp,
  OWN_HEADER,
  PAGE_HEADER,
  STAMP_HEADER,
  stampNote,
  UNSEEN_HEADER,
} from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { ReadUptime } from '../../lib/tunnel/uptime'
import type { Removed } from '../../lib/wire/delivery'
import type { RateLimits } from '../relay/running-limits'
import { hasNoBody, problem, type Refusal } from '../runtime/problem'
import { UnscrubbedError } from '../runtime/thread-errors'
import type { Spool } from '../spool/spool'
import type { Submission, SubmissionFacts } from '../spool/submission'
import {
  type AuthorisedEnvelope,
  authorise,
  parseBody,
  readCredentials,
  readSentBy,
  refuseSender,
  refuseStart,
} from './authorise'
import { answerDirect, crashId, DIRECT_ROUTES, targetOf } from './direct'
import { type Body, bodyLimits, type CheckStart, type ReadBody } from './read-body'
import { diskBudgetRefusal } from './refusal'

export interface IntakeDeps {
  readonly environment: Environment
  readonly spool: Pick<Spool, 'append' | 'addUnseenAnswer' | 'countRefusal'>
  /** Logs an error that no answer reports. */
  readonly report: (error: Error) => void
  readonly rateLimits: RateLimits
  readonly readBody: ReadBody
  /** Removes secrets before a body is stored; `null` when the record keeps the original. */
  readonly scrubStored:
    | ((endpoint: Endpoint, body: Uint8Array, contentType: string | null) => Promise<StoredBody>)
    | null
  /** The delivery status of a new envelope that is not a copy: pending, or the outcome when it is never relayed. */
  readonly initialStatus: (
    envelope: AuthorisedEnvelope,
    endpoint: Endpoint,
    facts: Pick<SubmissionFacts, 'lab' | 'own'>,
  ) => Submission['deliveryStatus']
  readonly now: () => number
  readonly uptime: ReadUptime
  readonly newReceipt: () => string
}

interface StoredBody {
  readonly body: Uint8Array
  readonly removed: readonly Removed[]
}

export type IntakeContext = Context<{ Bindings: HttpBindings }>

/**
 * SDKs post to `/api/{project}/envelope`; old SDKs post a bare event to `/store`, or request an image with the event in
 * its address. Browsers report to `/security`, tunnels post to `/tunnel`, SDKs with the `spotlight` option post a copy
 * to `/stream`. Crash reports, network reports, check-ins and files of events have addresses of their own.
 */
export function intakeRoutes(deps: IntakeDeps): Hono<{ Bindings: HttpBindings }> {
  const routes = new Hono<{ Bindings: HttpBindings }>()
  const receiveAs = (endpoint: Endpoint) => (c: IntakeContext) => receive(c, endpoint, deps)
  for (const slash of ['', '/']) {
    routes.post(`/api/:project/envelope${slash}`, receiveAs('envelope'))
    for (const path of ['/api/:project/store', '/api/store']) {
      // Some SDKs post envelopes here; the content type tells.
      routes.post(`${path}${slash}`, (c) => receive(c, mediaType(c) === ENVELOPE_TYPE ? 'envelope' : 'store', deps))
      routes.get(`${path}${slash}`, receiveAs('store'))
    }
    for (const name of ['security', 'csp-report']) routes.post(`/api/:project/${name}${slash}`, receiveAs('security'))
    for (const [path, endpoint] of DIRECT_ROUTES) {
      routes.post(`/api/:project/${path}${slash}`, receiveAs(endpoint))
      if (endpoint === 'cron') routes.get(`/api/:project/${path}${slash}`, receiveAs(endpoint))
    }
    routes.post(`/tunnel${slash}`, receiveAs('tunnel'))
    routes.post(`/stream${slash}`, receiveAs('stream'))
    routes.post(`/tunnel/unseen${slash}`, (c) => receiveUnseen(c, deps))
  }
  return routes
}

/**
 * Receives one request on an intake endpoint: read credentials, read the body, parse, authorise, scrub, append, answer.
 * Answers 200 only after the commit is synced. Counts every refusal in the ledger.
 */
async function receive(c: IntakeContext, endpoint: Endpoint, deps: IntakeDeps): Promise<Response> {
  const { environment } = deps
  const credentials = readCredentials(c, endpoint, environment) // header, query or path: before any byte of the body
  if (!credentials.ok) return refuse(c, credentials.error, 0, deps)

  const target = isDirect(endpoint) ? targetOf(c, endpoint) : succeed(null)
  if (!target.ok) return refuse(c, target.error, 0, deps)

  const accepts = (sent: { publicKey: string; projectId: string }) => acceptsProject(environment, sent)
  const refusedSender = refuseSender(endpoint, credentials.value, accepts)
  if (refusedSender !== null) return refuse(c, refusedSender, 0, deps)

  // The header of an envelope names its sender; a large one is refused before the rest of it arrives.
  const checkStart = FRAMED.has(endpoint)
    ? (start: Uint8Array) => refuseStart(endpoint, start, credentials.value, accepts, environment.sizeLimits)
    : undefined
  const read = await readRequestBody(c, endpoint, deps, checkStart) // decoded; the size limits apply while streaming
  if (!read.ok) return refuse(c, read.error, 0, deps)
  const { bytes, wireBytes, release } = read.value
  try {
    const envelope = parseBody(endpoint, bytes, environment.sizeLimits, target.value)
    if (!envelope.ok) return await refuse(c, envelope.error, wireBytes, deps)

    const authorised = authorise(endpoint, envelope.value, credentials.value, accepts, environment.sizeLimits)
    if (!authorised.ok) return await refuse(c, authorised.error, wireBytes, deps)

    const receipt = readReceipt(c, deps)
    const newId = () => idOf(receipt, bytes)
    const { eventId, body } = isDirect(endpoint)
      ? { eventId: crashId(endpoint, bytes, newId), body: bytes }
      : nameEvent(endpoint, envelope.value, bytes, newId)
    const stored = await scrubIfConfigured(endpoint, body, null, deps)
    if (!stored.ok) return await refuse(c, stored.error, wireBytes, deps)

    const made = submission(c, endpoint, authorised.value, stored.value, receipt, deps)
    const submitted = target.value === null ? made : { ...made, facts: { ...made.facts, target: target.value } }
    const appended = await deps.spool.append(submitted)
    if ('seq' in appended) {
      if (endpoint !== 'tunnel') noteEarlyClose(c, submitted.receipt, deps)
      return accept(c, endpoint, { ...authorised.value, eventId }, deps)
    }
    return await refuse(
      c,
      diskBudgetRefusal(c, appended, authorised.value.quantities, environment.maxDisk),
      wireBytes,
      deps,
    )
  } finally {
    release()
  }
}

async function readRequestBody(
  c: IntakeContext,
  endpoint: Endpoint,
  { readBody, environment }: IntakeDeps,
  checkStart?: CheckStart,
): Promise<Result<Body, Refusal>> {
  if (hasNoBody(c)) {
    const bytes = new TextEncoder().encode(endpoint === 'store' ? (c.req.query('sentry_data') ?? '') : '')
    return succeed({ bytes, wireBytes: bytes.length, release: () => undefined })
  }
  const types = endpoint === 'security' ? REPORT_TYPES : endpoint === 'nel' ? NEL_TYPES : null
  if (types !== null && !types.has(mediaType(c)))
    return fail({
      status: 415,
      reason: 'content_type',
      detail: `unsupported Content-Type of a report; it must be one of ${[...types].join(', ')}`,
    })
  const kind = ONE_EVENT.has(endpoint) ? 'one event' : 'envelope'
  // Keeps the connection open while refusing, so that the client receives the answer.
  const stream = c.env.incoming.iterator({ destroyOnReturn: false })
  return readBody({ headers: c.req.raw.headers, body: stream }, bodyLimits(kind, environment.sizeLimits), checkStart)
}

/** Endpoints whose body is an envelope. */
const FRAMED: ReadonlySet<Endpoint> = new Set(['envelope', 'tunnel', 'stream'])

const ENVELOPE_TYPE = 'application/x-sentry-envelope'

/** The content types of browser reports that Relay accepts. */
const REPORT_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/csp-report',
  'application/expect-ct-report',
  'application/expect-ct-report+json',
  'application/expect-staple-report',
  'application/reports+json',
])

const NEL_TYPES: ReadonlySet<string> = new Set(['application/reports+json'])

/** Endpoints whose body is one event, or smaller. */
const ONE_EVENT: ReadonlySet<Endpoint> = new Set(['store', 'security', 'nel', 'cron'])

const mediaType = (c: Context): string =>
  (c.req.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

export async function scrubIfConfigured(
  endpoint: Endpoint,
  body: Uint8Array,
  contentType: string | null,
  { scrubStored }: IntakeDeps,
): Promise<Result<StoredBody, Refusal>> {
  if (scrubStored === null) return succeed({ body, removed: [] })
  try {
    return succeed(await scrubStored(endpoint, body, contentType))
  } catch (error) {
    if (!(error instanceof UnscrubbedError)) throw error
    return fail({
      status: 422,
      reason: 'unscrubbed',
      detail: 'scrubbing failed and WAYSTATION_SCRUB_STORE=on forbids storing the original; nothing is stored',
      causes: [error.message],
    })
  }
}

/** The submission of an accepted request, with the facts of the request. */
export function submission(
  c: IntakeContext,
  endpoint: Endpoint,
  authorised: AuthorisedEnvelope,
  { body, removed }: StoredBody,
  receipt: string,
  deps: IntakeDeps,
): Submission {
  const peer = c.env?.incoming?.socket.remoteAddress ?? null
  const received = requestFacts(c.req.raw, endpoint, peer)
  const facts: SubmissionFacts = {
    ...received,
    ...deps.uptime(),
    // Scrubbing removes addresses from the envelope, so the request's address goes too.
    forwardedFor: deps.scrubStored === null ? received.forwardedFor : null,
    ...(removed.length > 0 && { scrubbed: removed }),
  }
  return {
    receipt,
    receivedAt: deps.now(),
    endpoint,
    project: authorised.project,
    publicKey: authorised.publicKey,
    stamp: readStamp(c),
    facts,
    quantities: authorised.quantities,
    discards: authorised.discards,
    ...(authorised.sentAt !== undefined && { sentAt: authorised.sentAt }),
    ...(authorised.countedAt !== undefined && { countedAt: authorised.countedAt }),
    reportedLimits: limitsToReport(endpoint, authorised, deps, readStamp(c)),
    body,
    ...(endpoint === 'tunnel' && c.req.header(UNSEEN_HEADER) === '1' && { answerUnseen: true as const }),
    deliveryStatus: endpoint === 'stream' ? 'copy' : deps.initialStatus(authorised, endpoint, facts),
  }
}

/** The receipt of the tunnel, which repeats it with the same envelope, or a new one. */
export function readReceipt(c: IntakeContext, deps: Pick<IntakeDeps, 'newReceipt'>): string {
  const receipt = c.req.header('x-waystation-receipt') ?? ''
  return UUID.test(receipt) ? receipt.toLowerCase() : deps.newReceipt()
}

/** An id for an event without one: the same when a tunnel sends the same envelope again, and different for any other. */
const idOf = (receipt: string, body: Uint8Array): string =>
  createHash('sha256').update(receipt).update(body).digest('hex').slice(0, 32)

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Ignores an invalid stamp and says so in the `X-Waystation-Note` header. */
export function readStamp(c: IntakeContext): string | null {
  const stamp = c.req.header(STAMP_HEADER)
  if (stamp === undefined || isStamp(stamp)) return stamp ?? null
  c.header('X-Waystation-Note', stampNote(stamp))
  return null
}

/** The rate limits in the answer, for the record. The answer to a copy has none. */
function limitsToReport(
  endpoint: Endpoint,
  { publicKey, project }: AuthorisedEnvelope,
  { rateLimits, environment }: IntakeDeps,
  stamp: string | null,
): Submission['reportedLimits'] {
  if (endpoint === 'stream' || !environment.passLimits) return []
  const active = rateLimits.reportedLimits(publicKey, project, environment.holdErrors, stamp)
  return active.map(({ category, until }) => ({ category, until }))
}

/** `sec-ch-ua`, `sec-ch-ua-mobile`, `sec-ch-ua-platform-version` and others; about a dozen exist. */
const CLIENT_HINT = /^sec-ch-ua(-[a-z-]+)?$/
const MAX_FACT_LENGTH = 1024

/** Stored with the body. Trusts `X-Forwarded-For` only from a tunnel on this machine: others could forge it. */
export function requestFacts(request: Request, endpoint: Endpoint, peer: string | null): SubmissionFacts {
  const header = (name: string): string | null => request.headers.get(name)?.slice(0, MAX_FACT_LENGTH) ?? null
  const isTunnel = endpoint === 'tunnel'
  const hints = [...request.headers.keys()].filter((name) => CLIENT_HINT.test(name))
  const search = new URL(request.url).searchParams
  const query = endpoint === 'security' ? reportQuery(search) : {}
  const keptMs = header('x-waystation-kept')
  return {
    method: request.method,
    contentType: header('content-type'),
    contentEncoding: header('content-encoding'),
    userAgent: header('user-agent'),
    clientHints: Object.fromEntries(hints.map((name) => [name, header(name) ?? ''])),
    origin: header('origin'),
    forwardedFor: isTunnel && peer !== null && isLoopbackPeer(peer) ? header('x-forwarded-for') : null,
    page: pageId(header(PAGE_HEADER)),
    lab: header('x-waystation-lab') === '1',
    ...(header(OWN_HEADER) === '1' && { own: true as const }),
    ...readSentBy(request.headers, search),
    ...(isTunnel && keptMs !== null && /^\d{1,12}$/.test(keptMs) && { keptMs: Number(keptMs) }),
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

const isLoopbackPeer = (address: string): boolean => isLoopbackName(address.replace(/^::ffff:/, ''))

/**
 * Records that the connection closes before the answer is sent: the sender will report the items as `network_error`. Not
 * for a tunnel, which answers its sender by itself.
 */
function noteEarlyClose(c: IntakeContext, receipt: string, { spool, report }: IntakeDeps): void {
  const { outgoing } = c.env
  const note = (): void => {
    if (!outgoing.writableFinished) spool.addUnseenAnswer(receipt).catch(report)
  }
  if (outgoing.destroyed) note()
  else outgoing.once('close', note)
}

/** A tunnel reports that the sender of an envelope left before the answer, by the receipt of the envelope. */
async function receiveUnseen(c: IntakeContext, { spool }: IntakeDeps): Promise<Response> {
  const receipt = c.req.header('x-waystation-receipt') ?? ''
  if (!UUID.test(receipt))
    return problem(c, {
      status: 400,
      detail: `the header x-waystation-receipt must be a UUID, got ${JSON.stringify(receipt.slice(0, 80))}`,
    })
  await spool.addUnseenAnswer(receipt.toLowerCase())
  return c.body(null, 204)
}

/** An empty image: a browser reports an error when the answer to an image request is not one. */
const PIXEL = Uint8Array.from(
  Buffer.from('47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b', 'hex'),
)

/** Answers 200 with the active rate limits. Call it only after the append. */
function accept(c: IntakeContext, endpoint: Endpoint, authorised: AuthorisedEnvelope, deps: IntakeDeps): Response {
  const { publicKey, project, eventId } = authorised
  const { passLimits, holdErrors } = deps.environment
  const limits =
    endpoint === 'stream' || !passLimits
      ? null
      : deps.rateLimits.headerFor(publicKey, project, holdErrors, readStamp(c))
  if (limits !== null) c.header('X-Sentry-Rate-Limits', limits)
  if (isDirect(endpoint)) return answerDirect(c, endpoint, eventId ?? '')
  if (hasNoBody(c)) return c.body(PIXEL, 200, { 'Content-Type': 'image/gif', 'Cache-Control': 'no-store' })
  return c.json(eventId === null ? {} : { id: eventId })
}

async function refuse(c: Context, refusal: Refusal, wireBytes: number, { spool }: IntakeDeps): Promise<Response> {
  await spool.countRefusal(refusal.reason, wireBytes)
  return problem(c, refusal)
}
