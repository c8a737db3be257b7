import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Recording, startCollector, type TestCollector } from '../../lib/kit/vitest'
import { endCollectors } from './collector-process'
import { type ServerPlan, type StampedServer, startStampedServer } from './stamped-server-program'

let collector: TestCollector
beforeAll(async () => {
  collector = await startCollector()
})
afterAll(async () => {
  await collector.stop()
  endCollectors()
})

async function served(plan: Omit<ServerPlan, 'dsn'>, dsn = collector.dsn): Promise<StampedServer> {
  const server = await startStampedServer({ dsn, ...plan })
  onTestFinished(() => server.end())
  return server
}

/** The errors and segments of a recording. */
async function recordedNames(recording: Recording): Promise<readonly (string | null)[]> {
  await recording.settle()
  const { events, segments } = recording.evidence()
  return [...events.map(({ title }) => title), ...segments.map(({ name }) => name)]
}

describe.each(['static', 'stream'] as const)('the %s telemetry of a server', (lifecycle) => {
  it('belongs only to the recording that the cookie or header of its request names', async () => {
    const server = await served({ lifecycle, stamps: true, atOnce: 3 })
    const [one, other] = [await collector.recording(), await collector.recording()]
    await Promise.all([
      fetch(`${server.url}/one`, { headers: { cookie: `theme=dark; waystation-stamp=${one.stamp}` } }),
      fetch(`${server.url}/other`, { headers: { 'x-waystation-stamp': other.stamp } }),
      fetch(`${server.url}/nobody`),
    ])
    await server.flush()
    expect(await recordedNames(one)).toEqual(['Error: request for /one', 'GET /one'])
    expect(await recordedNames(other)).toEqual(['Error: request for /other', 'GET /other'])
    expect(one.evidence().envelopes.map(({ stamp }) => stamp)).toEqual([one.stamp, one.stamp])
  })

  it('is assigned by trace to recordings that send their headers, without stampServer', async () => {
    const server = await served({ lifecycle, stamps: false, atOnce: 2 })
    const [one, other] = [await collector.recording(), await collector.recording()]
    await Promise.all([
      fetch(`${server.url}/one`, { headers: one.headers }),
      fetch(`${server.url}/other`, { headers: other.headers }),
    ])
    await server.flush()
    expect(await recordedNames(one)).toEqual(['Error: request for /one', 'GET /one'])
    expect(await recordedNames(other)).toEqual(['Error: request for /other', 'GET /other'])
  })
})

interface Posted {
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly types: readonly unknown[]
}

/** The posts of a server after a request with these headers, sorted by item types. */
async function postedBy(stamps: boolean, headers: Readonly<Record<string, string>>): Promise<readonly Posted[]> {
  const posted: Posted[] = []
  const ingest = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const types = [...body.matchAll(/^\{"type":"(\w+)"/gm)].map(([, type]) => type)
    const { host: _port, 'content-length': _length, ...rest } = request.headers
    posted.push({ url: request.url, headers: rest, types })
    response.end('{}')
  })
  await once(ingest.listen(0, '127.0.0.1'), 'listening')
  const address = ingest.address()
  onTestFinished(() => {
    ingest.close()
  })
  const port = typeof address === 'object' ? address?.port : null
  const server = await served({ stamps }, `http://local@127.0.0.1:${port}/under/1`)
  await fetch(server.url, { headers })
  await server.flush()
  server.end()
  return posted.sort((one, other) => String(one.types).localeCompare(String(other.types)))
}

describe('the posts of a server with stampServer', () => {
  it('are unchanged for a request without a stamp', async () => {
    const posted = await postedBy(true, { cookie: 'theme=dark' })
    expect(posted).toEqual(await postedBy(false, { cookie: 'theme=dark' }))
    expect(posted.map(({ types }) => types)).toEqual([['event'], ['transaction']])
  })

  it('have one more header for a request with a stamp, and the same address', async () => {
    const stampCookie = { cookie: 'waystation-stamp=mine' }
    const without = await postedBy(false, stampCookie)
    const stamped = without.map((one) => ({ ...one, headers: { ...one.headers, 'x-waystation-stamp': 'mine' } }))
    expect(await postedBy(true, stampCookie)).toEqual(stamped)
  })
})
