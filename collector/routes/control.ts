import { Hono } from 'hono'
import { z } from 'zod'
import { problem } from '../errors'

export interface Control {
  readonly setLabRelay: (relay: boolean) => Promise<void>
}

const MAX_CONTROL_BYTES = 1024 * 1024

/** What a person or a test may change. */
export function controlRoutes({ setLabRelay }: Control): Hono {
  const routes = new Hono()

  routes.post('/lab', async (c) => {
    const parsed = z.object({ relay: z.boolean() }).safeParse(await json(c.req.raw))
    if (!parsed.success) return problem(c, { status: 400, detail: 'meant is { "relay": true } or { "relay": false }' })
    await setLabRelay(parsed.data.relay)
    return c.json({ relay: parsed.data.relay })
  })

  return routes
}

/** `undefined` for a body that is too large or no JSON: the schema says what was meant. */
export async function json(request: Request): Promise<unknown> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  if (!(length <= MAX_CONTROL_BYTES)) return undefined
  try {
    return await request.json()
  } catch {
    return undefined
  }
}
