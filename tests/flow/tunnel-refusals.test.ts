import { afterAll, beforeAll, expect, it } from 'vitest'
import { localTunnel } from '../../lib/tunnel/local-tunnel'
import { MOST_REPORTED } from '../../lib/tunnel/refusals'
import type { TunnelEvent } from '../../lib/tunnel/report'
import type { Tunnel } from '../../lib/tunnel/tunnel'
import { type CollectorProcess, endCollectors, startCollector } from './collector-process'
import { clientOf } from './otlp-posts'

let collector: CollectorProcess
let tunnel: Tunnel
const events: TunnelEvent[] = []

beforeAll(async () => {
  collector = await startCollector()
  tunnel = localTunnel({ dsn: collector.dsn, report: (event) => events.push(event) })
})
afterAll(async () => {
  await tunnel.close()
  await endCollectors()
})

const post = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
  tunnel.handle(
    new Request('http://localhost/tunnel', { method: 'POST', body, headers: { host: 'localhost', ...headers } }),
  )

const counted = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await clientOf(collector).overview()).refusals.map(({ reason, envelopes }) => [reason, envelopes]),
  )

/** Opens a tunnel whose collector is away until `isAway` is false, and collects the reports that it posts then. */
function tunnelWithoutCollector() {
  const seen: string[] = []
  const state = { isAway: true }
  const away = localTunnel({
    dsn: 'http://local@127.0.0.1:9/1',
    fetch: async (_url, { body }) => {
      if (state.isAway) throw new Error('refused')
      seen.push(String(body))
      return new Response(null, { status: 204 })
    },
    report: (event) => events.push(event),
  })
  const refuse = (): Promise<Response> =>
    away.handle(new Request('http://localhost/tunnel', { method: 'POST', body: 'x' }))
  return { away, seen, state, refuse }
}

it('counts the refusals of a tunnel in the ledger', async () => {
  const stranger = `${JSON.stringify({ dsn: 'http://stranger@127.0.0.1/1' })}\n{"type":"event"}\n{}`
  for (let index = 0; index < 3; index += 1) expect((await post(stranger)).status).toBe(403)
  expect((await post('no envelope')).status).toBe(400)
  expect((await post(stranger, { origin: 'https://elsewhere.test' })).status).toBe(403)
  // An empty body, as `doctor` posts it, contained nothing that could be lost.
  expect((await post('')).status).toBe(400)
  await expect.poll(counted).toEqual({ tunnel_403: 4, tunnel_400: 1 })
  expect(events.filter(({ kind }) => kind === 'uncounted')).toEqual([])
})

it('counts once what the collector refused itself', async () => {
  const broken = `${JSON.stringify({ dsn: collector.dsn })}\nno item header\n{}`
  expect((await post(broken)).status).toBe(400)
  expect(await counted()).toEqual({ tunnel_403: 4, tunnel_400: 1, item_header_not_json: 1 })
})

it('accepts reports of tunnels only, with statuses of 4xx or 503', async () => {
  const report = async (body: string, headers: Record<string, string> = {}): Promise<number> => {
    const answer = await fetch(`${collector.url}/tunnel/refused`, { method: 'POST', body, headers })
    return answer.status
  }
  expect(await report('{"refused":{"403":1}}', { origin: 'http://localhost:3000' })).toBe(403)
  for (const body of [
    '{"refused":{"500":1}}',
    '{"refused":{"403":0}}',
    '{"refused":{"403":1001}}',
    '{"refused":7}',
    'x',
  ])
    expect(await report(body)).toBe(400)
  expect(await report(`{"refused":{"403":1}${' '.repeat(2000)}}`)).toBe(413)
  expect((await counted()).tunnel_403).toBe(4)
})

it('counts envelopes that neither the collector nor the lifeboat could store', async () => {
  let isAway = true
  const unkept = localTunnel({
    dsn: collector.dsn,
    fetch: (url, init) => {
      if (isAway && String(url).endsWith('/tunnel')) throw new Error('away')
      return fetch(url, init)
    },
    report: (event) => events.push(event),
  })
  const envelope = `${JSON.stringify({ dsn: collector.dsn })}\n{"type":"event"}\n{}`
  const answer = await unkept.handle(new Request('http://localhost/tunnel', { method: 'POST', body: envelope }))
  expect(answer.status).toBe(503)
  await expect.poll(counted).toMatchObject({ tunnel_503: 1 })
  isAway = false
  await unkept.close()
})

it('counts later while the collector is away', async () => {
  const { away, seen, state, refuse } = tunnelWithoutCollector()
  await refuse()
  await expect.poll(() => events).toContainEqual({ kind: 'uncounted', cause: 'refused' })
  state.isAway = false
  await refuse()
  await expect.poll(() => seen).toEqual(['{"refused":{"400":2}}'])
  await away.close()
})

it('reports more requests than one report may count in several', async () => {
  const { away, seen, state, refuse } = tunnelWithoutCollector()
  for (let refused = 0; refused <= MOST_REPORTED; refused += 1) {
    // The last one finds the collector again.
    state.isAway = refused < MOST_REPORTED
    await refuse()
  }
  await expect.poll(() => seen).toEqual([`{"refused":{"400":${MOST_REPORTED}}}`, '{"refused":{"400":1}}'])
  await away.close()
})
