import { Hono } from 'hono'
import { MOST_VISITS } from '../../../lib/wire/visits'
import type { TelemetryIndex } from '../../index/index'
import { badRequest, checkParameters, integerParameter, invalidValue, notFound } from './parameters'

/** Visits that are described, unless the query names another number. */
const LISTED = 50
const VISIT_ID = /^(?:apart|(?:page|session|replay|trace):[^\p{Cc}]{1,200})$/u

/** `/query/visits`: what arrived in the last hour, by the visits of pages. @param hourEnd `null` for that of a run */
export function visitRoutes(index: Pick<TelemetryIndex, 'visits' | 'visit'>, hourEnd: () => number | null): Hono {
  const routes = new Hono()
  routes.get('/visits', async (c) => {
    const checked = checkParameters(c, ['limit'])
    if (!checked.ok) return badRequest(c, checked.error)
    const limit = integerParameter(c, 'limit', { least: 1, most: MOST_VISITS, fallback: LISTED })
    return limit.ok ? c.json(await index.visits(limit.value, hourEnd())) : badRequest(c, limit.error)
  })
  routes.get('/visits/:id', async (c) => {
    const checked = checkParameters(c, [])
    if (!checked.ok) return badRequest(c, checked.error)
    const id = c.req.param('id')
    // An id comes from a sender: only its kind is known.
    if (!VISIT_ID.test(id))
      return badRequest(c, invalidValue('visit', id, 'must be apart, or page:, session:, replay: or trace: with an id'))
    const visit = await index.visit(id, hourEnd())
    return visit === null ? notFound(c, 'visit', id) : c.json(visit)
  })
  return routes
}
