import { Hono } from 'hono'
import * as z from 'zod'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { problem } from './refusal'

export interface Control {
  readonly setLabRelay: (relay: boolean) => Promise<void>
  /** Upstreams that are waited for are asked now; answers how many they are. */
  readonly tryNow: () => number
}

const MAX_CONTROL_BYTES = 1024 * 1024

/** What a person or a test may change. */
export function controlRoutes({ setLabRelay, tryNow }: Control): Hono {
  const routes = new Hono()

  routes.post('/lab', async (c) => {
    const parsed = z.object({ relay: z.boolean() }).safeParse(await json(c.req.raw))
    if (!parsed.success) return problem(c, { status: 400, detail: 'meant is { "relay": true } or { "relay": false }' })
    await setLabRelay(parsed.data.relay)
    return c.json({ relay: parsed.data.relay })
  })

  routes.post('/probe', (c) => c.json({ asked: tryNow() }))

  return routes
}

/** `undefined` for a body that is too large or no JSON: the schema says what was meant. */
export async function json(request: Request): Promise<unknown> {
  const read = await readJson(request)
  return read.ok ? read.value : undefined
}

export interface Unread {
  readonly status: 400 | 413
  /** What is wrong with the body. */
  readonly why: string
}

/** The JSON of a control message, whether its length was told before or not. */
export async function readJson(request: Request): Promise<Result<unknown, Unread>> {
  const bytes = await readWithin(request, MAX_CONTROL_BYTES)
  if (bytes === null) return fail({ status: 413, why: 'it was not read, because it is larger than 1 MiB' })
  if (bytes.length === 0) return fail({ status: 400, why: 'it is empty' })
  try {
    return succeed(JSON.parse(bytes.toString('utf8')))
  } catch (cause) {
    if (cause instanceof SyntaxError) return fail({ status: 400, why: 'it is no JSON' })
    throw cause
  }
}

/** @returns `null` for a body that has more bytes than may be. */
async function readWithin({ headers, body }: Request, most: number): Promise<Buffer | null> {
  if (Number(headers.get('content-length') ?? 0) > most) return null
  if (body === null) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length <= most) chunks.push(chunk)
    // Who is cut off while writing reads no answer: what is a little too large is read to its end, and dropped.
    else if (length > 4 * most) return null
  }
  return length > most ? null : Buffer.concat(chunks)
}
