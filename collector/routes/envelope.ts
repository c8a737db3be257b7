import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Environment } from '../../lib/config/environment'
import { isAdmitted } from '../../lib/config/environment'
import type { Door } from '../../lib/protocol/record'
import { problem, type Refusal } from '../errors'
import { type Admitted, admit } from '../receive/admit'
import { BODY_LIMITS, readBody, STORE_LIMITS } from '../receive/body'
import { presentedKey } from '../receive/credentials'
import { factsOf, word } from '../receive/facts'
import type { LimitBook } from '../relay/limits'
import type { Spool } from '../spool/spool'
import type { Submission } from '../spool/submission'
import { refuseForRoom } from './no-room'

export interface Intake {
  readonly environment: Environment
  /** Appends, making room first where there is none. */
  readonly spool: Pick<Spool, 'append' | 'refused'>
  readonly limits: LimitBook
  /** What is settled at the door about an admitted envelope that came on the path. */
  readonly fateOf: (admitted: Admitted, lab: boolean) => Submission['fate']
  readonly now: () => number
  readonly newReceipt: () => string
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * The ways in. `/api/{project}/envelope` is where SDKs post, `/store` where old ones post a bare event, `/tunnel` what a tunnel forwards, `/stream` takes the
 * second copy that a Sentry SDK makes when its `spotlight` option is on.
 */
export function intakeRoutes(intake: Intake): Hono<{ Bindings: HttpBindings }> {
  const routes = new Hono<{ Bindings: HttpBindings }>()
  const take = (door: Door) => (c: Context<{ Bindings: HttpBindings }>) => receive(c, door, intake)
  routes.post('/api/:project/envelope', take('envelope'))
  routes.post('/api/:project/envelope/', take('envelope'))
  routes.post('/api/:project/store', take('store'))
  routes.post('/api/:project/store/', take('store'))
  routes.post('/tunnel', take('tunnel'))
  routes.post('/stream', take('stream'))
  return routes
}

async function receive(c: Context<{ Bindings: HttpBindings }>, door: Door, intake: Intake): Promise<Response> {
  const request = c.req.raw
  const body = await readBody(request, door === 'store' ? STORE_LIMITS : BODY_LIMITS)
  if (!body.ok) return refuse(c, body.error, 0, intake)
  const { bytes, wireBytes } = body.value
  const query = new URL(request.url).searchParams
  const key =
    door === 'envelope' || door === 'store'
      ? presentedKey(request.headers, query)
      : ({ ok: true, value: null } as const)
  if (!key.ok) return refuse(c, key.error, wireBytes, intake)
  const claim = { project: c.req.param('project') ?? null, key: key.value }
  const admitted =
    door === 'stream' ? admitCopy(bytes) : admit(door, bytes, claim, (sent) => isAdmitted(intake.environment, sent))
  if (!admitted.ok) return refuse(c, admitted.error, wireBytes, intake)

  const facts = factsOf(request, door, peerOf(c))
  const receipt = c.req.header('x-waystation-receipt') ?? ''
  const appended = await intake.spool.append({
    receipt: UUID.test(receipt) ? receipt.toLowerCase() : intake.newReceipt(),
    receivedAt: intake.now(),
    door,
    project: admitted.value.project,
    publicKey: admitted.value.publicKey,
    stamp: word(c.req.header('x-waystation-stamp') ?? null),
    facts,
    quantities: admitted.value.quantities,
    body: bytes,
    fate: door === 'stream' ? 'copy' : intake.fateOf(admitted.value, facts.lab),
  })
  if (!('seq' in appended)) return refuse(c, refuseForRoom(c, admitted.value.quantities), wireBytes, intake)
  return accept(c, door, admitted.value, intake)
}

/** Durable: only now it is 200, with what upstream limits just now. */
function accept(c: Context, door: Door, admitted: Admitted, intake: Intake): Response {
  const { publicKey, project, eventId } = admitted
  const limits =
    door === 'stream' || !intake.environment.passLimits
      ? null
      : intake.limits.headerFor(publicKey, project, intake.now())
  if (limits !== null) c.header('X-Sentry-Rate-Limits', limits)
  return c.json(eventId === null ? {} : { id: eventId })
}

async function refuse(c: Context, refusal: Refusal, bytes: number, intake: Intake): Promise<Response> {
  await intake.spool.refused(refusal.reason, bytes)
  return problem(c, refusal)
}

/**
 * A copy is never owed to anybody, so it needs nobody's key, and Spotlight sends none. It keeps the key and project that its
 * header names.
 */
function admitCopy(bytes: Uint8Array): ReturnType<typeof admit> {
  const named = admit('stream', bytes, { project: null, key: null }, () => true)
  return !named.ok && named.error.reason === 'no_key'
    ? admit('stream', bytes, { project: '0', key: 'copy' }, () => true)
    : named
}

const peerOf = (c: Context<{ Bindings: HttpBindings }>): string | null => c.env?.incoming?.socket.remoteAddress ?? null
