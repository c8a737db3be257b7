import { Hono } from 'hono'
import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import { HEARTBEAT_MS } from '../../lib/contract/values'
import { withTimeout } from '../../lib/time'
import { type Flushed, flushReportSchema, type Service } from '../../lib/wire/services'
import { problem } from '../runtime/problem'
import { readJson } from './control'

/** Server processes of one collector, those that ended included. */
const MAX_SERVICES = 100
/** How long `POST /control/flush` waits for the services. */
const FLUSH_TIMEOUT_MS = 2000
const LONGEST_NAME = 64

interface Followed {
  readonly name: string
  isOpen: boolean
  flushed: Service['flushed']
  /** Flush requests that are not sent yet. */
  requests: number
  /** Ends the wait of the stream for the next request. */
  wake: () => void
  /** Resolve when the service reports a flush, or is gone. */
  waiting: ((hasFlushed: boolean) => void)[]
}

/**
 * Server processes that flush on request. `GET /control/services/stream` sends `service` with an id, `flush` for each
 * request, and `beat`; the service answers a flush by `POST /control/services/flushed`.
 */
export function serviceRoutes(): Hono {
  const routes = new Hono()
  const all: Followed[] = []

  routes.get('/services', (c) =>
    c.json({ services: all.map(({ name, isOpen, flushed }) => ({ name, open: isOpen, flushed })) }),
  )

  routes.get('/services/stream', (c) => {
    if (all.length >= MAX_SERVICES)
      return problem(c, { status: 503, detail: `at most ${MAX_SERVICES} services may follow a collector` })
    const service = follow(c.req.query('name') ?? 'server')
    const id = all.push(service)
    return streamSSE(c, (stream) => sendRequests(stream, service, id))
  })

  routes.post('/services/flushed', async (c) => {
    const body = await readJson(c.req.raw)
    const parsed = flushReportSchema.safeParse(body.ok ? body.value : undefined)
    const service = parsed.success ? all[parsed.data.service - 1] : undefined
    if (!parsed.success || service === undefined)
      return problem(c, { status: 400, detail: 'the body must be { "service": ID, "last": false }' })
    service.flushed = parsed.data.last ? 'last' : 'earlier'
    answerWaiting(service, true)
    return c.json({})
  })

  routes.post('/flush', async (c) => c.json(await flush(all.filter(({ isOpen }) => isOpen))))
  return routes
}

const follow = (name: string): Followed => ({
  name: name.replace(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_NAME),
  isOpen: true,
  flushed: 'never',
  requests: 0,
  wake: () => undefined,
  waiting: [],
})

async function flush(services: readonly Followed[]): Promise<Flushed> {
  const answers = await Promise.all(
    services.map(async (service) => {
      const answer = new Promise<boolean>((resolve) => service.waiting.push(resolve))
      service.requests += 1
      service.wake()
      return { name: service.name, hasFlushed: await withTimeout(answer, FLUSH_TIMEOUT_MS, false) }
    }),
  )
  const namesOf = (hasFlushed: boolean) =>
    answers.filter((one) => one.hasFlushed === hasFlushed).map(({ name }) => name)
  return { flushed: namesOf(true), unanswered: namesOf(false) }
}

function answerWaiting(service: Followed, hasFlushed: boolean): void {
  for (const resolve of service.waiting.splice(0)) resolve(hasFlushed)
}

async function sendRequests(stream: SSEStreamingApi, service: Followed, id: number): Promise<void> {
  stream.onAbort(() => service.wake())
  try {
    await stream.writeSSE({ event: 'service', data: JSON.stringify({ service: id }) })
    while (!stream.aborted) {
      const isWoken = new Promise<true>((resolve) => {
        service.wake = () => resolve(true)
      })
      if (service.requests === 0 && !(await withTimeout(isWoken, HEARTBEAT_MS, false)))
        await stream.writeSSE({ event: 'beat', data: '{}' })
      for (; service.requests > 0; service.requests -= 1) await stream.writeSSE({ event: 'flush', data: '{}' })
    }
  } finally {
    service.isOpen = false
    answerWaiting(service, false)
  }
}
