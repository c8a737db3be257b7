import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { isVisitorHash } from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { VisitorDeleted, VisitorDetail } from '../../lib/wire/visitor'
import { MOST_VISITOR_RECORDS, MOST_VISITORS } from '../../lib/wire/visitor-limits'
import type { TelemetryIndex } from '../index/index'
import { problem } from '../runtime/problem'
import type { Spool } from '../spool/spool'
import { bodyProblem, readJson } from './control'
import { answerRecordBytes } from './query/lists'
import {
  badRequest,
  checkParameters,
  integerParameter,
  invalidNumber,
  invalidValue,
  isNumberText,
  notFound,
  type ParameterError,
} from './query/parameters'

/** `POST /control/visitor`: deletes all records of the visitor. */
const visitorOrderSchema = z.strictObject({
  do: z.literal('delete'),
  visitors: z.array(z.string().refine(isVisitorHash)).min(1).max(MOST_VISITORS),
})

export interface VisitorDeps {
  readonly record: Pick<Spool, 'visitor' | 'visitorNeighbours' | 'record'>
  readonly index: Pick<TelemetryIndex, 'envelope'>
  readonly deleteVisitor: (visitors: readonly string[]) => Promise<VisitorDeleted>
}

/** `GET /query/visitor?visitors=HASH,HASH`, and `/query/visitor/{seq}`: a record of anybody else is not found. */
export function visitorRoutes({ record, index }: VisitorDeps): Hono {
  const routes = new Hono()
  routes.get('/visitor', async (c) => {
    const checked = checkParameters(c, ['visitors', 'before', 'limit'])
    if (!checked.ok) return badRequest(c, checked.error)
    const visitors = visitorsParameter(c)
    if (!visitors.ok) return badRequest(c, visitors.error)
    const before = integerParameter(c, 'before', { least: 1, most: Number.MAX_SAFE_INTEGER, fallback: 0 })
    if (!before.ok) return badRequest(c, before.error)
    const limit = integerParameter(c, 'limit', { least: 1, most: MOST_VISITOR_RECORDS, fallback: MOST_VISITOR_RECORDS })
    if (!limit.ok) return badRequest(c, limit.error)
    return c.json(await record.visitor(visitors.value, before.value || null, limit.value))
  })
  routes.get('/visitor/:seq', async (c) => {
    const checked = checkParameters(c, ['visitors'], ['raw'])
    if (!checked.ok) return badRequest(c, checked.error)
    const visitors = visitorsParameter(c)
    if (!visitors.ok) return badRequest(c, visitors.error)
    const given = c.req.param('seq')
    if (!isNumberText(given)) return badRequest(c, invalidNumber('record', given))
    const seq = Number(given)
    const neighbours = await record.visitorNeighbours(visitors.value, seq)
    if (neighbours === null) return notFound(c, 'record', given)
    if (c.req.query('raw') !== undefined) return answerRecordBytes(c, seq, record.record)
    const found = await index.envelope(seq)
    return found === null
      ? notFound(c, 'record', given)
      : c.json({ record: found, ...neighbours } satisfies VisitorDetail)
  })
  return routes
}

const ORDER_FORMAT = `the body must be { "do": "delete", "visitors": [HASH] } with 1 to ${MOST_VISITORS} hashes`

/** `POST /control/visitor`. */
export function visitorControlRoutes({ deleteVisitor }: Pick<VisitorDeps, 'deleteVisitor'>): Hono {
  const routes = new Hono()
  routes.post('/visitor', async (c) => {
    const body = await readJson(c.req.raw)
    if (!body.ok) return bodyProblem(c, ORDER_FORMAT, body.error)
    const parsed = visitorOrderSchema.safeParse(body.value)
    if (!parsed.success) return problem(c, { status: 400, detail: ORDER_FORMAT })
    return c.json(await deleteVisitor(parsed.data.visitors))
  })
  return routes
}

function visitorsParameter(c: Context): Result<readonly string[], ParameterError> {
  const text = c.req.query('visitors') ?? ''
  const visitors = text.split(',')
  if (visitors.length <= MOST_VISITORS && visitors.every(isVisitorHash)) return succeed(visitors)
  const valid = `must be 1 to ${MOST_VISITORS} hashes of visitors, 43 characters each, with commas between them`
  return fail(invalidValue('visitors', text, valid))
}
