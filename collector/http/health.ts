import { Hono } from 'hono'

export interface Readiness {
  readonly ready: boolean
  /** One sentence for each thing that is not as it should be. */
  readonly notReady: readonly string[]
}

/** Open to everybody: they tell nothing but whether we are well. */
export function healthRoutes(version: string, readiness: () => Promise<Readiness>): Hono {
  const routes = new Hono()
  routes.get('/live', (c) => c.json({ status: 'live', service: 'waystation', version }))
  routes.get('/ready', async (c) => {
    const state = await readiness()
    return c.json({ status: state.ready ? 'ready' : 'not ready', notReady: state.notReady }, state.ready ? 200 : 503)
  })
  return routes
}
