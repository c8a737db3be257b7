import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { type DeadLetterOrder, type DeadLettersDone, deadLetterOrderSchema } from '../../lib/wire/delivery'
import { groupMarkOrderSchema, MOST_NOTE_CHARACTERS } from '../../lib/wire/error-groups'
import { MARK_NAME_FORMAT, markOrderSchema } from '../../lib/wire/marks'
import { type KeptRuns, type RunOrder, runOrderSchema } from '../../lib/wire/run'
import { MOST_RUN_NAME_CHARACTERS } from '../../lib/wire/run-text'
import type { Redigest } from '../../lib/wire/storage'
import { problem } from '../runtime/problem'
import type { MarkGroup } from './group-marks'
import type { MomentMarks } from './marks'

export interface RunsDeps {
  readonly list: () => Promise<KeptRuns>
  /** @returns a message and a status when it cannot be done now */
  readonly order: (order: RunOrder) => Promise<Result<null, { readonly status: 404 | 409; readonly detail: string }>>
}

/** Orders about deliveries, which need no lists. */
export interface DeliveryOrders {
  readonly setLabRelay: (relay: boolean) => Promise<void>
  readonly tryNow: () => number
  readonly orderDeadLetters: (order: DeadLetterOrder) => Promise<DeadLettersDone>
}

export interface ControlDeps {
  /** Removes recorded envelopes, pending ones only with `pending`; returns their number. */
  readonly clear: (options: { readonly pending: boolean }) => Promise<number>
  readonly redigest: () => Promise<void>
  readonly redigestState: () => Redigest
  readonly runs: RunsDeps
  readonly markGroup: MarkGroup
  readonly marks: MomentMarks
}

export function deliveryOrderRoutes(deps: DeliveryOrders): Hono {
  const routes = new Hono()

  routes.post('/lab', async (c) => {
    const body = await readJson(c.req.raw)
    const parsed = z.object({ relay: z.boolean() }).safeParse(body.ok ? body.value : undefined)
    if (!parsed.success)
      return problem(c, { status: 400, detail: 'the body must be { "relay": true } or { "relay": false }' })
    await deps.setLabRelay(parsed.data.relay)
    return c.json({ relay: parsed.data.relay })
  })

  routes.post('/probe', (c) => c.json({ probed: deps.tryNow() }))
  routes.post('/dead-letters', (c) => answerDeadLetterOrder(c, deps))
  return routes
}

export function controlRoutes(deps: ControlDeps): Hono {
  const routes = new Hono()

  routes.post('/clear', async (c) => {
    const body = await readJson(c.req.raw)
    const parsed = CLEAR_OPTIONS.safeParse(body.ok ? body.value : undefined)
    if (!parsed.success)
      return problem(c, {
        status: 400,
        detail: 'the body must be { "pending": false }, or { "pending": true } to clear pending envelopes too',
      })
    return c.json({ cleared: await deps.clear(parsed.data) })
  })

  routes.get('/redigest', (c) => c.json(deps.redigestState()))
  routes.post('/redigest', async (c) => {
    await deps.redigest()
    return c.json(deps.redigestState(), 202)
  })

  routes.post('/errors', (c) => answerMarkOrder(c, deps.markGroup))
  routes.post('/runs', (c) => answerRunOrder(c, deps.runs))
  routes.post('/marks', (c) => answerMomentOrder(c, deps.marks))

  return routes
}

const CLEAR_OPTIONS = z.strictObject({ pending: z.boolean().default(false) })

const ORDER_FORMAT =
  'the body must be { "do": "send", "which": "all" }; "do" may also be "drop", "which" the numbers of 1 to 1000 envelopes'

const ORDER_FIELDS = [
  { name: 'do', valid: 'send or drop' },
  { name: 'which', valid: 'all, or the numbers of 1 to 1000 envelopes' },
] as const

async function answerDeadLetterOrder(c: Context, { orderDeadLetters }: DeliveryOrders): Promise<Response> {
  const body = await readJson(c.req.raw)
  if (!body.ok) return bodyProblem(c, ORDER_FORMAT, body.error)
  const parsed = deadLetterOrderSchema.safeParse(body.value)
  if (parsed.success) return c.json(await orderDeadLetters(parsed.data))
  const wrong = new Set(parsed.error.issues.map(({ path: [name] }) => name))
  const causes = ORDER_FIELDS.filter(({ name }) => wrong.has(name)).map(
    ({ name, valid }) => `${name}: must be ${valid}, got ${fieldText(body.value, name)}`,
  )
  return problem(c, {
    status: 400,
    detail: ORDER_FORMAT,
    causes: wrong.has(undefined) ? ['the body is not an object'] : causes,
  })
}

function fieldText(sent: unknown, name: string): string {
  const value =
    typeof sent === 'object' && sent !== null && Object.hasOwn(sent, name) ? Reflect.get(sent, name) : undefined
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 80)
}

const RUN_ORDER_FORMAT = `the body must be { "do": "open", "run": ID }; "do" is pin, unpin, name, delete, open or close, and name requires a "name" of 1 to ${MOST_RUN_NAME_CHARACTERS} characters`

/** `POST /control/runs`. */
async function answerRunOrder(c: Context, { list, order }: RunsDeps): Promise<Response> {
  const body = await readJson(c.req.raw)
  if (!body.ok) return bodyProblem(c, RUN_ORDER_FORMAT, body.error)
  const parsed = runOrderSchema.safeParse(body.value)
  if (!parsed.success) return problem(c, { status: 400, detail: RUN_ORDER_FORMAT })
  const done = await order(parsed.data)
  return done.ok ? c.json(await list()) : problem(c, done.error)
}

const MARK_FORMAT = `the body must be { "hash": HASH, "muted": true }; "hash" is the 32 hex digits of a group, "muted" true or false, "note" at most ${MOST_NOTE_CHARACTERS} characters`

/** `POST /control/errors`. */
async function answerMarkOrder(c: Context, mark: MarkGroup): Promise<Response> {
  const body = await readJson(c.req.raw)
  if (!body.ok) return bodyProblem(c, MARK_FORMAT, body.error)
  const parsed = groupMarkOrderSchema.safeParse(body.value)
  if (!parsed.success) {
    const causes = ['hash', 'muted', 'note'].filter((name) => parsed.error.issues.some(({ path }) => path[0] === name))
    return problem(c, {
      status: 400,
      detail: MARK_FORMAT,
      causes: causes.map((name) => `${name}: got ${fieldText(body.value, name)}`),
    })
  }
  const done = await mark(parsed.data)
  return done.ok ? c.json(done.value) : problem(c, { status: 409, detail: done.error })
}

const MOMENT_FORMAT = `the body must be { "name": NAME }, or { "name": NAME, "do": "delete" }; a name has ${MARK_NAME_FORMAT}`

/** `POST /control/marks`. */
async function answerMomentOrder(c: Context, { order }: MomentMarks): Promise<Response> {
  const body = await readJson(c.req.raw)
  if (!body.ok) return bodyProblem(c, MOMENT_FORMAT, body.error)
  const parsed = markOrderSchema.safeParse(body.value)
  if (!parsed.success) {
    const wrong = ['name', 'do'].filter((name) => parsed.error.issues.some(({ path }) => path[0] === name))
    const causes = wrong.map((name) => `${name}: got ${fieldText(body.value, name)}`)
    return problem(c, { status: 400, detail: MOMENT_FORMAT, causes })
  }
  const done = await order(parsed.data)
  return done.ok ? c.json(done.value) : problem(c, done.error)
}

interface UnreadableBody {
  readonly status: 400 | 413
  readonly why: string
}

/** Refuses a body that cannot be read. After 413 unread bytes are left, so the connection must close. */
export function bodyProblem(c: Context, detail: string, { status, why }: UnreadableBody): Response {
  if (status === 413) c.header('Connection', 'close')
  return problem(c, { status, detail, causes: [why] })
}

const MAX_CONTROL_BYTES = 1024 * 1024

export async function readJson(request: Request): Promise<Result<unknown, UnreadableBody>> {
  const bytes = await readWithin(request, MAX_CONTROL_BYTES)
  if (bytes === null) return fail({ status: 413, why: 'the body is larger than 1 MiB' })
  if (bytes.length === 0) return fail({ status: 400, why: 'the body is empty' })
  try {
    return succeed(JSON.parse(bytes.toString('utf8')))
  } catch (cause) {
    if (cause instanceof SyntaxError) return fail({ status: 400, why: 'the body is not JSON' })
    throw cause
  }
}

/** @returns `null` for a body of more than `maxBytes` */
export async function readWithin({ headers, body }: Request, maxBytes: number): Promise<Buffer | null> {
  if (Number(headers.get('content-length') ?? 0) > maxBytes) return null
  if (body === null) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length <= maxBytes) chunks.push(chunk)
    // Reads a slightly larger body to its end: a client that is cut off while writing does not read the answer.
    else if (length > 4 * maxBytes) return null
  }
  return length > maxBytes ? null : Buffer.concat(chunks)
}
