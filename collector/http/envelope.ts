import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { type Environment, isAdmitted, projectOfKey } from '../../lib/config/environment'
import type { Endpoint } from '../../lib/protocol/record'
import { isStamp, STAMP_HEADER, stampNote } from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { Removed } from '../../lib/wire/delivery'
import type { RateLimits } from '../relay/limits'
import { UnscrubbedError } from '../runtime/unscrubbed'
import type { Spool } from '../spool/spool'
import type { Submission, SubmissionFacts } from '../spool/submission'
import { type Admitted, admit, type Claim } from './admit'
import { type Body, bodyLimits, type Coming, type ReadBody } from './body'
import { isEnvelopeType, judgeReportType } from './content-type'
import { presentedKey } from './credentials'
import { factsOf } from './facts'
import { refuseForRoom } from './no-room'
import { problem, type Refusal } from './refusal'

export interface Intake {
  readonly environment: Environment
  readonly spool: Pick<Spool, 'append' | 'refused'>
  readonly limits: RateLimits
  readonly readBody: ReadBody
  /** Takes secrets out before anything is stored; `null` where the record has to hold what was received. */
  readonly scrubStored: ((endpoint: Endpoint, body: Uint8Array) => Promise<Stored>) | null
  /** What is settled at the endpoint about an admitted envelope that came on the path. */
  readonly deliveryStatusOf: (admitted: Admitted, lab: boolean) => Submission['deliveryStatus']
  readonly now: () => number
  readonly newReceipt: () => string
}

interface Stored {
  readonly body: Uint8Array
  readonly removed: readonly Removed[]
}

type Incoming = Context<{ Bindings: HttpBindings }>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** What a browser asked for as an image must be one, or it reports an error of its own. */
const PIXEL = Uint8Array.from(
  Buffer.from('47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b', 'hex'),
)

/**
 * The ways in. `/api/{project}/envelope` is where SDKs post, `/store` where old ones post a bare event (or ask for an
 * image with the event in its address), `/security` where browsers report, `/tunnel` what a tunnel forwards, `/stream`
 * takes the second copy that a Sentry SDK makes when its `spotlight` option is on.
 */
export function intakeRoutes(intake: Intake): Hono<{ Bindings: HttpBindings }> {
  const routes = new Hono<{ Bindings: HttpBindings }>()
  const take = (endpoint: Endpoint) => (c: Incoming) => receive(c, endpoint, intake)
  for (const slash of ['', '/']) {
    routes.post(`/api/:project/envelope${slash}`, take('envelope'))
    for (const path of ['/api/:project/store', '/api/store']) {
      routes.post(`${path}${slash}`, (c) =>
        receive(c, isEnvelopeType(c.req.header('content-type')) ? 'envelope' : 'store', intake),
      )
      routes.get(`${path}${slash}`, take('store'))
    }
    for (const name of ['security', 'csp-report']) routes.post(`/api/:project/${name}${slash}`, take('security'))
    routes.post(`/tunnel${slash}`, take('tunnel'))
    routes.post(`/stream${slash}`, take('stream'))
  }
  return routes
}

async function receive(c: Incoming, endpoint: Endpoint, intake: Intake): Promise<Response> {
  const body = await bodyOf(c, endpoint, intake)
  if (!body.ok) return refuse(c, body.error, 0, intake)
  try {
    return await take(c, endpoint, body.value, intake)
  } finally {
    body.value.release()
  }
}

async function take(c: Incoming, endpoint: Endpoint, { bytes, wireBytes }: Body, intake: Intake): Promise<Response> {
  const request = c.req.raw
  const claim = claimOf(c, endpoint, intake.environment)
  if (!claim.ok) return refuse(c, claim.error, wireBytes, intake)
  const admitted = endpoint === 'stream' ? admitCopy(bytes, intake) : admitWith(endpoint, bytes, claim.value, intake)
  if (!admitted.ok) return refuse(c, admitted.error, wireBytes, intake)

  const given = factsOf(request, endpoint, peerOf(c))
  const scrubbed = await scrubbedFor(endpoint, bytes, intake)
  if (!scrubbed.ok) return refuse(c, scrubbed.error, wireBytes, intake)
  const { body, removed } = scrubbed.value
  const facts: SubmissionFacts = {
    ...given,
    // An address that is taken out of the envelope is not told beside it.
    forwardedFor: intake.scrubStored === null ? given.forwardedFor : null,
    ...(removed.length > 0 && { scrubbed: removed }),
  }
  const receipt = c.req.header('x-waystation-receipt') ?? ''
  const appended = await intake.spool.append({
    receipt: UUID.test(receipt) ? receipt.toLowerCase() : intake.newReceipt(),
    receivedAt: intake.now(),
    endpoint,
    project: admitted.value.project,
    publicKey: admitted.value.publicKey,
    stamp: stampOf(c),
    facts,
    quantities: admitted.value.quantities,
    discards: admitted.value.discards,
    reportedLimits: toldBy(intake, endpoint, admitted.value),
    body,
    deliveryStatus: endpoint === 'stream' ? 'copy' : intake.deliveryStatusOf(admitted.value, facts.lab),
  })
  if ('seq' in appended) return accept(c, endpoint, admitted.value, intake)
  const refusal = refuseForRoom(c, appended, admitted.value.quantities, intake.environment.maxDisk)
  return refuse(c, refusal, wireBytes, intake)
}

/** What is stored. A body of which nobody can tell what is secret is refused for good: it would be no other the next time. */
async function scrubbedFor(
  endpoint: Endpoint,
  body: Uint8Array,
  { scrubStored }: Intake,
): Promise<Result<Stored, Refusal>> {
  if (scrubStored === null) return succeed({ body, removed: [] })
  try {
    return succeed(await scrubStored(endpoint, body))
  } catch (error) {
    if (!(error instanceof UnscrubbedError)) throw error
    const detail =
      'what is secret in it could not be told, and it must not be stored as it is: nothing is stored; see WAYSTATION_SCRUB_STORE'
    return fail({ status: 422, reason: 'unscrubbed', detail, causes: [error.message] })
  }
}

/** What the answer tells of limits, of those that run as it is stored. A copy is none of upstream's. */
function toldBy(
  { limits, environment }: Intake,
  endpoint: Endpoint,
  { publicKey, project }: Admitted,
): Submission['reportedLimits'] {
  if (endpoint === 'stream' || !environment.passLimits) return []
  return limits
    .reportedLimits(publicKey, project, environment.holdErrors)
    .map(({ category, until }) => ({ category, until }))
}

/** What is no stamp costs the envelope nothing, and its sender is told. */
function stampOf(c: Incoming): string | null {
  const given = c.req.header(STAMP_HEADER)
  if (given === undefined || isStamp(given)) return given ?? null
  c.header('X-Waystation-Note', stampNote(given))
  return null
}

/** Of a request for an image the event in its address is the body. */
async function bodyOf(c: Incoming, endpoint: Endpoint, intake: Intake): Promise<Result<Body, Refusal>> {
  if (c.req.method === 'GET') {
    const bytes = new TextEncoder().encode(c.req.query('sentry_data') ?? '')
    return succeed({ bytes, wireBytes: bytes.length, release: () => undefined })
  }
  const isRefused = endpoint === 'security' ? judgeReportType(c.req.header('content-type')) : null
  if (isRefused !== null) return fail(isRefused)
  const kind = endpoint === 'store' || endpoint === 'security' ? 'one event' : 'envelope'
  return intake.readBody(comingIn(c), bodyLimits(kind, intake.environment.limits))
}

/** A body of which no more is read stays with its connection, so that the refusal is answered before that ends. */
function comingIn(c: Incoming): Coming {
  const { incoming } = c.env
  return { headers: c.req.raw.headers, body: incoming.iterator({ destroyOnReturn: false }) }
}

/** Behind a tunnel and beside the path the envelope says all by itself. */
function claimOf(c: Incoming, endpoint: Endpoint, environment: Environment): Result<Claim, Refusal> {
  if (endpoint === 'tunnel' || endpoint === 'stream') return succeed({ project: null, key: null })
  const key = presentedKey(c.req.raw.headers, new URL(c.req.url).searchParams)
  if (!key.ok) return key
  const named = c.req.param('project') ?? null
  return succeed({
    key: key.value,
    project: named ?? (key.value === null ? null : projectOfKey(environment, key.value)),
  })
}

const admitWith = (
  endpoint: Endpoint,
  bytes: Uint8Array,
  claim: Claim,
  { environment }: Intake,
): ReturnType<typeof admit> =>
  admit(endpoint, bytes, claim, (sent) => isAdmitted(environment, sent), environment.limits)

/** Durable: only now it is 200, with what upstream limits just now. */
function accept(c: Incoming, endpoint: Endpoint, admitted: Admitted, intake: Intake): Response {
  const { publicKey, project, eventId } = admitted
  const { passLimits, holdErrors } = intake.environment
  const limits = endpoint === 'stream' || !passLimits ? null : intake.limits.headerFor(publicKey, project, holdErrors)
  if (limits !== null) c.header('X-Sentry-Rate-Limits', limits)
  if (c.req.method === 'GET') return c.body(PIXEL, 200, { 'Content-Type': 'image/gif', 'Cache-Control': 'no-store' })
  return c.json(eventId === null ? {} : { id: eventId })
}

async function refuse(c: Context, refusal: Refusal, bytes: number, intake: Intake): Promise<Response> {
  await intake.spool.refused(refusal.reason, bytes)
  return problem(c, refusal)
}

/**
 * A copy is never pending to anybody, so it needs nobody's key, and Spotlight sends none. It keeps the key and project that its
 * header names.
 */
function admitCopy(bytes: Uint8Array, { environment }: Intake): ReturnType<typeof admit> {
  const admitAs = (claim: Claim) => admit('stream', bytes, claim, () => true, environment.limits)
  const named = admitAs({ project: null, key: null })
  return !named.ok && named.error.reason === 'no_key' ? admitAs({ project: '0', key: 'copy' }) : named
}

const peerOf = (c: Incoming): string | null => c.env?.incoming?.socket.remoteAddress ?? null
