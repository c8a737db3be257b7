import { Hono } from 'hono'
import * as z from 'zod'
import { MOST_REPORTED, REFUSALS_PATH } from '../../lib/tunnel/refusals'
import { problem } from '../runtime/problem'
import type { Spool } from '../spool/spool'

const MOST_BYTES = 1_024

const bodySchema = z.strictObject({
  refused: z.record(z.string().regex(/^(?:4\d\d|503)$/), z.int().min(1).max(MOST_REPORTED)),
})

/**
 * Counts requests that a tunnel refused by itself as `tunnel_403` and the like, and those that nobody could store as
 * `tunnel_503`. Pages cannot post here: their requests have an Origin.
 */
export function tunnelRefusalRoutes({ spool }: { readonly spool: Pick<Spool, 'countRefusal'> }): Hono {
  const app = new Hono()
  app.post(REFUSALS_PATH, async (c) => {
    if (c.req.header('origin') !== undefined)
      return problem(c, { status: 403, detail: 'only a tunnel may report refusals, and no page' })
    const length = Number(c.req.header('content-length') ?? Number.NaN)
    if (!(length <= MOST_BYTES))
      return problem(c, { status: 413, detail: `a report has at most ${MOST_BYTES} bytes and a Content-Length` })
    const parsed = bodySchema.safeParse(await c.req.json().catch(() => null))
    if (!parsed.success)
      return problem(c, {
        status: 400,
        detail: 'the body must be like {"refused":{"403":1}}, with statuses of 4xx, or 503',
      })
    for (const [status, count] of Object.entries(parsed.data.refused))
      for (let counted = 0; counted < count; counted += 1) await spool.countRefusal(`tunnel_${status}`, 0)
    return c.body(null, 204)
  })
  return app
}
