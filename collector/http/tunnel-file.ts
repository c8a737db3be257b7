import { readFile } from 'node:fs/promises'
import { Hono } from 'hono'

/**
 * `GET /tunnel.mjs`: the tunnel as one file without dependencies, for an app of one's own to mount. The build puts it
 * beside the collector. Open to everybody, for it is code and tells nothing of what was recorded.
 */
export function tunnelFileRoutes(): Hono {
  const routes = new Hono()
  routes.get('/tunnel.mjs', async (c) => {
    const code = await readFile(new URL('./tunnel.mjs', import.meta.url), 'utf8')
    c.header('Content-Type', 'text/javascript; charset=utf-8')
    c.header('X-Content-Type-Options', 'nosniff')
    return c.body(code)
  })
  return routes
}
