import { afterAll, beforeAll, expect, it } from 'vitest'
import { localTunnel } from '../../lib/tunnel/local-tunnel'
import { MOST_PAGES_REPORTED } from '../../lib/tunnel/page-reports'
import type { TunnelEvent } from '../../lib/tunnel/report'
import { manualClock } from '../unit/tunnel/manual-clock'
import { type CollectorProcess, endCollectors, startCollector } from './collector-process'
import { clientOf } from './otlp-posts'

let collector: CollectorProcess
beforeAll(async () => {
  collector = await startCollector()
})
afterAll(endCollectors)

const pages = async () => (await clientOf(collector).overview()).pages

/** A tunnel whose reports are due when the test says so. */
function tunnelTo(dsn: string) {
  const clock = manualClock()
  const events: TunnelEvent[] = []
  const tunnel = localTunnel({ dsn, schedule: clock.schedule, now: clock.now, report: (event) => events.push(event) })
  const post = (page: string, origin: string | null = 'http://localhost') =>
    tunnel.handle(
      new Request('http://localhost/tunnel', {
        method: 'POST',
        headers: { host: 'localhost', 'x-waystation-page': page, ...(origin !== null && { origin }) },
        body: `${JSON.stringify({ dsn })}\n{"type":"session"}\n{}`,
      }),
    )
  return { tunnel, post, clock, events }
}

it('counts documents, and each page that posted once; the report is due after 5 s', async () => {
  const { tunnel, post, clock } = tunnelTo(collector.dsn)
  for (let at = 0; at < 3; at += 1) tunnel.served()
  for (const page of ['a', 'b', 'a']) expect((await post(page)).status).toBe(200)
  // Programs are no pages.
  expect((await post('c', null)).status).toBe(200)
  expect(clock.waiting()).toEqual([5000])
  expect(await pages()).toEqual({ documents: 0, posted: 0 })
  clock.advance(5000)
  await expect.poll(pages).toEqual({ documents: 3, posted: 2 })
  // Nothing was refused: verdicts and doctor count these facts.
  const { facts } = await clientOf(collector).facts(0, 0)
  expect(facts.filter(({ kind }) => kind === 'refused')).toEqual([])
  await tunnel.close()
})

it('counts later while the collector is away', async () => {
  const { tunnel, clock, events } = tunnelTo('http://local@127.0.0.1:9/1')
  tunnel.served()
  clock.advance(5000)
  await expect.poll(() => events.map(({ kind }) => kind)).toEqual(['uncounted'])
  tunnel.served()
  expect(clock.waiting()).toEqual([5000])
  await tunnel.close()
})

it('accepts reports of tunnels only, with whole numbers', async () => {
  const before = await pages()
  const report = async (body: string, headers: Record<string, string> = {}): Promise<number> =>
    (await fetch(`${collector.url}/tunnel/pages`, { method: 'POST', body, headers })).status
  expect(await report('{"documents":1,"pages":1}', { origin: 'http://localhost:3000' })).toBe(403)
  for (const body of [
    '{"documents":1}',
    '{"documents":-1,"pages":0}',
    '{"documents":1.5,"pages":0}',
    `{"documents":${MOST_PAGES_REPORTED + 1},"pages":0}`,
    'x',
  ])
    expect(await report(body)).toBe(400)
  expect(await report(`{"documents":1,"pages":0${' '.repeat(2000)}}`)).toBe(413)
  expect(await pages()).toEqual(before)
  expect(await report(`{"documents":${MOST_PAGES_REPORTED},"pages":0}`)).toBe(204)
})
