import { Hono } from 'hono'
import type { Redigest } from '../../lib/wire/storage'

export interface RedigestVerbs {
  /** Begins to make all rows anew; nothing when that is under way. */
  readonly redigest: () => Promise<void>
  readonly redigestState: () => Redigest
}

/** `POST /control/redigest` begins to make all rows anew; `GET` tells how far that is. */
export function redigestRoutes({ redigest, redigestState }: RedigestVerbs): Hono {
  const routes = new Hono()
  routes.get('/redigest', (c) => c.json(redigestState()))
  routes.post('/redigest', async (c) => {
    await redigest()
    return c.json(redigestState(), 202)
  })
  return routes
}
