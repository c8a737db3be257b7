import { afterAll, beforeAll, expect, it } from 'vitest'
import { whyUnknown } from '../../lib/wire/services'
import { type CollectorProcess, endCollectors, startCollector } from './collector-process'
import { clientOf } from './otlp-posts'
import { type StampedServer, startStampedServer } from './stamped-server-program'

let collector: CollectorProcess
beforeAll(async () => {
  collector = await startCollector()
})
afterAll(endCollectors)

const logs = async (): Promise<number> => (await clientOf(collector).signals('log', {})).signals.length
const services = () => clientOf(collector).services()

async function followed(): Promise<StampedServer> {
  const before = (await services()).length
  const server = await startStampedServer({ dsn: collector.dsn, stamps: true, follows: collector.url })
  await expect.poll(services).toHaveLength(before + 1)
  return server
}

it('flushes when the collector asks for it, and when it ends', async () => {
  const server = await followed()
  await server.log()
  expect(await logs()).toBe(0)
  const [service] = await services()
  expect(service).toEqual({ name: expect.stringMatching(/^server process \d+$/), open: true, flushed: 'never' })
  expect(await clientOf(collector).flushServices()).toEqual({ flushed: [service?.name], unanswered: [] })
  await expect.poll(logs).toBe(1)

  await server.log()
  server.end('SIGTERM')
  expect(await server.ended).toEqual([null, 'SIGTERM'])
  await expect.poll(logs).toBe(2)
  await expect.poll(services).toMatchObject([{ open: false, flushed: 'last' }])
  expect((await services()).map(whyUnknown)).toEqual([null])
})

it('is unknown what a killed server had buffered', async () => {
  const server = await followed()
  await server.log()
  server.end()
  await server.ended
  await expect.poll(async () => (await services()).at(-1)).toMatchObject({ open: false, flushed: 'never' })
  const [name] = (await services()).slice(-1).map((one) => one.name)
  expect((await services()).map(whyUnknown)).toEqual([null, `${name} ended and never flushed`])
})

it('rejects a report of a service that does not exist', async () => {
  for (const body of ['{"service":99,"last":true}', '{"service":1}', 'x']) {
    const answer = await fetch(`${collector.url}/control/services/flushed`, { method: 'POST', body })
    expect(answer.status).toBe(400)
  }
})
