import { Hono } from 'hono'
import { z } from 'zod'
import { problem } from '../errors'
import { scriptSchema } from '../stand-in/script'
import type { StandIn } from '../stand-in/stand-in'

export interface Control {
  /** `null` unless the collector plays upstream itself. */
  readonly standIn: StandIn | null
  readonly setLabRelay: (relay: boolean) => Promise<void>
}

const MAX_CONTROL_BYTES = 1024 * 1024

/** What a person or a test may change. */
export function controlRoutes({ standIn, setLabRelay }: Control): Hono {
  const routes = new Hono()

  routes.post('/lab', async (c) => {
    const parsed = z.object({ relay: z.boolean() }).safeParse(await json(c.req.raw))
    if (!parsed.success) return problem(c, { status: 400, detail: 'meant is { "relay": true } or { "relay": false }' })
    await setLabRelay(parsed.data.relay)
    return c.json({ relay: parsed.data.relay })
  })

  routes.get('/upstream', (c) => {
    if (standIn === null) return noStandIn(c)
    const received = standIn.received().map(({ body, ...post }) => ({ ...post, bytes: body.length }))
    return c.json({ dsn: standIn.dsn, script: standIn.script(), received })
  })

  routes.post('/upstream', async (c) => {
    if (standIn === null) return noStandIn(c)
    const parsed = scriptSchema.safeParse(await json(c.req.raw))
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      return problem(c, {
        status: 400,
        detail: 'meant is { "answers": [{ "status": 429, "headers": {}, "times": 1 }] }',
        causes: issue === undefined ? [] : [`${issue.path.join('.')}: ${issue.message}`],
      })
    }
    standIn.play(parsed.data)
    return c.json({ script: standIn.script() })
  })

  routes.get('/upstream/received/:n', (c) => {
    if (standIn === null) return noStandIn(c)
    const post = standIn.received().find((one) => String(one.n) === c.req.param('n'))
    if (post === undefined) return problem(c, { status: 404, detail: 'the stand-in remembers no such post' })
    c.header('Content-Type', 'application/octet-stream')
    c.header('X-Content-Type-Options', 'nosniff')
    return c.body(post.body as Uint8Array<ArrayBuffer>)
  })

  return routes
}

const noStandIn = (c: Parameters<typeof problem>[0]): Response =>
  problem(c, {
    status: 409,
    detail: 'the collector does not play upstream: start it with WAYSTATION_UPSTREAM=stand-in',
  })

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
