import { Hono } from 'hono'
import * as z from 'zod'
import type { Status } from '../../lib/wire/overview'
import type { Storage } from '../../lib/wire/storage'
import { json } from './control'
import { wrong } from './query-answers'
import { onlyKnown } from './query-parameters'
import { problem } from './refusal'

export interface RoomVerbs {
  readonly storage: () => Promise<Storage>
  readonly status: () => Promise<Status>
  readonly clear: (options: { readonly pending: boolean }) => Promise<number>
}

/** `GET /query/storage`: how much is kept, how much may be, and what had to go. `GET /query/status`: is all well? */
export function storageRoutes({ storage, status }: Pick<RoomVerbs, 'storage' | 'status'>): Hono {
  const routes = new Hono()
  routes.get('/storage', async (c) => {
    const known = onlyKnown(c, [])
    return known.ok ? c.json(await storage()) : wrong(c, known.error)
  })
  routes.get('/status', async (c) => {
    const known = onlyKnown(c, [])
    return known.ok ? c.json(await status()) : wrong(c, known.error)
  })
  return routes
}

/** `POST /control/clear`: a person throws away what owes nothing, or everything. */
export function clearRoutes({ clear }: Pick<RoomVerbs, 'clear'>): Hono {
  const routes = new Hono()
  routes.post('/clear', async (c) => {
    const parsed = WHAT.safeParse(await json(c.req.raw))
    if (!parsed.success)
      return problem(c, {
        status: 400,
        detail: 'meant is { "pending": false }, or { "pending": true } for what is pending too',
      })
    return c.json({ cleared: await clear(parsed.data) })
  })
  return routes
}

const WHAT = z.strictObject({ pending: z.boolean().default(false) })
