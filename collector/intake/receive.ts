import { createHash } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Environment } from '../../lib/config/environment'
import { holdsToken } from '../../lib/guard/token'
import { signalOf } from '../../lib/otlp/signals'
import {
  type Endpoint,
  isDirect,
  isEnvelope,
  isOtlp,
  isStamp,
  STAMP_HEADER,
  stampNote,
  UNSEEN_HEADER,
} from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { Submission, SubmissionFacts } from '../../lib/protocol/submission'
import type { ReadUptime } from '../../lib/tunnel/uptime'
import type { Removed } from '../../lib/wire/delivery'
import type { RateLimits } from '../relay/running-limits'
import { hasNoBody, problem, type Refusal } from '../runtime/problem'
import { UnscrubbedError } from '../runtime/thread-errors'
import type { Spool } from '../spool/spool'
import { authorise, type Sender } from './authorise'
import { readCredentials } from './credentials'
import { answerDirect, DIRECT_ROUTES, targetOf } from './direct'
import { answerExport, OTLP_ROUTES, parseExport, refuseExportType, SENTRY_OTLP_ROUTES } from './otlp'
import { type Contents, type Exported, parseBody, parseStart, readContents } from './parse-body'
import { type Body, bodyLimits, type CheckStart, type ReadBody } from './read-body'
import { diskBudgetRefusal } from './refusal'
import { requestFacts } from './request-facts'
import { readReceipt } from './tunnel-reports'

export interface IntakeDeps {
  readonly environment: Environment
  readonly spool: Pick<Spool, 'append' | 'addUnseenAnswer' | 'countRefusal' | 'countPages'>
  /** Exporters repeat a request and log little of its answer, so the collector logs why it refused. @param at path or signal */
  readonly logOtlpRefusal: (reason: string, at: string, detail: string) => void
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
    sender: Sender,
    endpoint: Endpoint,
    facts: Pick<SubmissionFacts, 'lab' | 'own' | 'consent'>,
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
 * to `/stream`. Crash reports, network reports, check-ins, files of events and OpenTelemetry have addresses of their own.
 */
export function intakeRoutes(deps: IntakeDeps): Hono<{ Bindings: HttpBindings }> {
  const routes = otlpRoutes(deps)
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
  }
  return routes
}

/** OTLP/HTTP at its own paths, and at those where Sentry serves it. */
export function otlpRoutes(deps: IntakeDeps, paths: 'all' | 'plain' = 'all'): Hono<{ Bindings: HttpBindings }> {
  const routes = new Hono<{ Bindings: HttpBindings }>()
  for (const [path, endpoint] of paths === 'all' ? [...OTLP_ROUTES, ...SENTRY_OTLP_ROUTES] : OTLP_ROUTES)
    for (const slash of ['', '/']) routes.post(`${path}${slash}`, (c) => receive(c, endpoint, deps))
  return routes
}

/**
 * Receives one request on an intake endpoint: read credentials, authorise, read the body, parse, scrub, append, answer.
 * Answers 200 only after the commit is synced. Counts every refusal in the ledger.
 */
async function receive(c: IntakeContext, endpoint: Endpoint, deps: IntakeDeps): Promise<Response> {
  const { sizeLimits, maxDisk } = deps.environment
  const signal = signalOf(endpoint)
  const refused = (refusal: Refusal, wireBytes = 0) => refuse(c, endpoint, refusal, wireBytes, deps)

  const wrongType = signal === null ? refuseReportType(c, endpoint) : refuseExportType(c)
  if (wrongType !== null) return refused(wrongType)
  const target = isDirect(endpoint) ? targetOf(c, endpoint) : succeed(null)
  if (!target.ok) return refused(target.error)
  const peer = c.env.incoming.socket.remoteAddress?.replace(/^::ffff:/, '') ?? ''
  const credentials = readCredentials(c, endpoint, peer, deps.environment) // header, query or path
  if (!credentials.ok) return refused(credentials.error)
  const authorisation = authorise(endpoint, credentials.value, deps.environment)
  if (authorisation.byAddress?.ok === false) return refused(authorisation.byAddress.error)

  // The header of an envelope names its sender: a large one is refused before the rest of it arrives.
  const checkStart = (start: Uint8Array): Refusal | null => {
    const header = parseStart(start, sizeLimits)
    const decision = header?.ok ? authorisation.byHeader(header.value) : header
    return decision?.ok === false ? decision.error : null
  }
  const read = await readRequestBody(c, endpoint, deps, isEnvelope(endpoint) ? checkStart : undefined) // decoded
  if (!read.ok) return refused(read.error)
  const { bytes, wireBytes, release } = read.value
  try {
    const parsed =
      signal === null
        ? parseBody(endpoint, bytes, sizeLimits, target.value)
        : await parseExport(c, signal, bytes, sizeLimits)
    if (!parsed.ok) return await refused(parsed.error, wireBytes)
    const { exported, header } = parsed.value
    const sender = authorisation.byHeader(header)
    if (!sender.ok) return await refused(sender.error, wireBytes)

    const receipt = readReceipt(c) ?? deps.newReceipt()
    const contents = readContents(endpoint, parsed.value, bytes, sizeLimits, () => idOf(receipt, bytes))
    if (exported !== undefined) {
      await reportRejected(exported, wireBytes, deps)
      // An empty request is valid (OTLP specification, "Full Success"), and there is nothing to store.
      if (exported.quantities.length === 0) return await answerExport(c, exported)
    }
    const scrubbed = await scrubIfConfigured(c, endpoint, contents.body, deps)
    if (!scrubbed.ok) return await refused(scrubbed.error, wireBytes)

    const stamp = readStamp(c) ?? exported?.stamp ?? null
    const request = { c, endpoint, peer, sender: sender.value, stamp, receipt, target: target.value }
    const appended = await deps.spool.append(submission(request, contents, scrubbed.value, deps))
    if (!('seq' in appended)) {
      const refusal = diskBudgetRefusal(c, appended, contents.quantities, maxDisk)
      return await refused(refusal, wireBytes)
    }
    if (exported !== undefined) return await answerExport(c, exported)
    if (endpoint !== 'tunnel') noteEarlyClose(c, receipt, deps)
    return answerSdk(request, contents.eventId, deps)
  } finally {
    release()
  }
}

/** A request whose sender is known. */
interface AuthorisedRequest {
  readonly c: IntakeContext
  readonly endpoint: Endpoint
  /** The address of the sender. */
  readonly peer: string
  readonly sender: Sender
  readonly stamp: string | null
  readonly receipt: string
  /** The address after the project, of an endpoint whose address says more about a body; else `null`. */
  readonly target: string | null
}

async function readRequestBody(
  c: IntakeContext,
  endpoint: Endpoint,
  { readBody, environment }: IntakeDeps,
  checkStart: CheckStart | undefined,
): Promise<Result<Body, Refusal>> {
  if (hasNoBody(c)) {
    const bytes = new TextEncoder().encode(endpoint === 'store' ? (c.req.query('sentry_data') ?? '') : '')
    return succeed({ bytes, wireBytes: bytes.length, release: () => undefined })
  }
  const kind = ONE_EVENT.has(endpoint) ? 'one event' : 'envelope'
  // Keeps the connection open while refusing, so that the client receives the answer.
  const stream = c.env.incoming.iterator({ destroyOnReturn: false })
  return readBody({ headers: c.req.raw.headers, body: stream }, bodyLimits(kind, environment.sizeLimits), checkStart)
}

/** Endpoints whose body is one event, or smaller. */
const ONE_EVENT: ReadonlySet<Endpoint> = new Set(['store', 'security', 'nel', 'cron'])

const ENVELOPE_TYPE = 'application/x-sentry-envelope'

const mediaType = (c: Context): string =>
  (c.req.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** The content types of browser reports that Relay accepts. */
const REPORT_TYPES: Partial<Record<Endpoint, ReadonlySet<string>>> = {
  security: new Set([
    'application/json',
    'application/csp-report',
    'application/expect-ct-report',
    'application/expect-ct-report+json',
    'application/expect-staple-report',
    'application/reports+json',
  ]),
  nel: new Set(['application/reports+json']),
}

function refuseReportType(c: Context, endpoint: Endpoint): Refusal | null {
  const types = REPORT_TYPES[endpoint]
  if (types === undefined || types.has(mediaType(c))) return null
  return {
    status: 415,
    reason: 'content_type',
    detail: `unsupported Content-Type of a report; it must be one of ${[...types].join(', ')}`,
  }
}

async function scrubIfConfigured(
  c: Context,
  endpoint: Endpoint,
  body: Uint8Array,
  { scrubStored }: IntakeDeps,
): Promise<Result<StoredBody, Refusal>> {
  if (scrubStored === null) return succeed({ body, removed: [] })
  try {
    return succeed(await scrubStored(endpoint, body, c.req.header('content-type') ?? null))
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

/** An id for an event without one: the same when a tunnel sends the same envelope again, and different for any other. */
const idOf = (receipt: string, body: Uint8Array): string =>
  createHash('sha256').update(receipt).update(body).digest('hex').slice(0, 32)

/** Ignores an invalid stamp and says so in the `X-Waystation-Note` header. */
function readStamp(c: IntakeContext): string | null {
  const stamp = c.req.header(STAMP_HEADER)
  if (stamp === undefined || isStamp(stamp)) return stamp ?? null
  c.header('X-Waystation-Note', stampNote(stamp))
  return null
}

/** The submission of an accepted request, with the facts of the request. */
function submission(
  request: AuthorisedRequest,
  { quantities, discards, sentAt, countedAt }: Contents,
  { body, removed }: StoredBody,
  deps: IntakeDeps,
): Submission {
  const { c, endpoint, peer, sender, stamp, receipt, target } = request
  const received = requestFacts(c.req.raw, Object.keys(c.env.incoming.headers), endpoint, peer, () =>
    holdsToken(c.req.raw.headers, deps.environment.token),
  )
  const facts: SubmissionFacts = {
    ...received,
    ...deps.uptime(),
    // Scrubbing removes addresses from the envelope, so the request's address goes too.
    forwardedFor: deps.scrubStored === null ? received.forwardedFor : null,
    ...(removed.length > 0 && { scrubbed: removed }),
    ...(target !== null && { target }),
  }
  return {
    receipt,
    receivedAt: deps.now(),
    endpoint,
    ...sender,
    stamp,
    facts,
    quantities,
    discards,
    ...(sentAt !== undefined && { sentAt }),
    ...(countedAt !== undefined && { countedAt }),
    reportedLimits: limitsToReport(request, deps),
    body,
    ...(endpoint === 'tunnel' && c.req.header(UNSEEN_HEADER) === '1' && { answerUnseen: true as const }),
    deliveryStatus: endpoint === 'stream' ? 'copy' : deps.initialStatus(sender, endpoint, facts),
  }
}

/** Answers to copies and exporters of OpenTelemetry carry no rate limits. */
const mayReportLimits = (endpoint: Endpoint, { passLimits }: Environment): boolean =>
  passLimits && endpoint !== 'stream' && !isOtlp(endpoint)

/** The rate limits in the answer, for the record. */
function limitsToReport(
  { endpoint, sender, stamp }: AuthorisedRequest,
  deps: IntakeDeps,
): Submission['reportedLimits'] {
  if (!mayReportLimits(endpoint, deps.environment)) return []
  const { holdErrors } = deps.environment
  const active = deps.rateLimits.reportedLimits(sender.publicKey, sender.project, holdErrors, stamp)
  return active.map(({ category, until }) => ({ category, until }))
}

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

/** An empty image: a browser reports an error when the answer to an image request is not one. */
const PIXEL = Uint8Array.from(
  Buffer.from('47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b', 'hex'),
)

/** Answers 200 with the active rate limits. */
function answerSdk(request: AuthorisedRequest, eventId: string | null, deps: IntakeDeps): Response {
  const { c, endpoint, sender, stamp } = request
  const { holdErrors } = deps.environment
  const limits = mayReportLimits(endpoint, deps.environment)
    ? deps.rateLimits.headerFor(sender.publicKey, sender.project, holdErrors, stamp)
    : null
  if (limits !== null) c.header('X-Sentry-Rate-Limits', limits)
  if (isDirect(endpoint)) return answerDirect(c, endpoint, eventId ?? '')
  if (hasNoBody(c)) return c.body(PIXEL, 200, { 'Content-Type': 'image/gif', 'Cache-Control': 'no-store' })
  return c.json(eventId === null ? {} : { id: eventId })
}

/** Logs entries that an export request loses, and counts a request that loses all. */
async function reportRejected({ signal, quantities, rejected }: Exported, wireBytes: number, deps: IntakeDeps) {
  if (rejected === null) return
  deps.logOtlpRefusal('otlp_invalid', signal, rejected.message)
  if (quantities.length === 0) await deps.spool.countRefusal('otlp_invalid', wireBytes)
}

async function refuse(
  c: Context,
  endpoint: Endpoint,
  refusal: Refusal,
  wireBytes: number,
  { spool, logOtlpRefusal }: IntakeDeps,
): Promise<Response> {
  if (isOtlp(endpoint)) logOtlpRefusal(refusal.reason, c.req.path, refusal.detail)
  await spool.countRefusal(refusal.reason, wireBytes)
  return problem(c, refusal)
}
