import { expect, it } from 'vitest'
import { CollectorError, collectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  postEnvelope,
  sharedCollector,
  startCollector,
  temporaryFolder,
} from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'
import { startCommand } from './run-process'

const shared = sharedCollector()

const run = (args: readonly string[], { url }: Pick<CollectorProcess, 'url'>) =>
  startCommand(args, { WAYSTATION_DATA: temporaryFolder(), WAYSTATION_COLLECTOR_URL: url }).ended

it('separates what arrived before it from what arrived after it', async () => {
  const collector = shared()
  const client = collectorClient(collector.url, fetch)
  await postEnvelope(collector, errorEnvelope(collector.dsn, { message: 'early' }).body)
  const { mark } = await client.orderMark({ name: 'fix' })
  expect(mark).toMatchObject({ name: 'fix' })
  await postEnvelope(collector, errorEnvelope(collector.dsn, { message: 'late' }).body)
  await postEnvelope(collector, transactionEnvelope(collector.dsn, { name: '/late' }).body)

  const since = ['--since', 'fix', '--timeout', '0']
  expect((await run(['wait', 'error', ...since], collector)).out).toContain('Error: late')
  expect(await run(['wait', 'error', 'title~early', ...since], collector)).toMatchObject({
    code: 1,
    err: expect.stringContaining('The nearest of 1 that arrived'),
  })
  expect(await run(['expect', 'pageload /late', ...since], collector)).toMatchObject({ code: 0 })
  await client.orderMark({ name: 'after-all' })
  expect(await run(['expect', 'pageload /late', '--since', 'after-all', '--timeout', '0'], collector)).toMatchObject({
    code: 3,
    err: expect.stringContaining('Nothing was recorded'),
  })
  const report = JSON.parse((await run(['check', '--since', 'fix', '--json'], collector)).out)
  expect(report.from.submissions).toBe(2)
})

it('is unknown by another name, which is exit code 2', async () => {
  const collector = shared()
  await collectorClient(collector.url, fetch).orderMark({ name: 'checkout' })
  expect(await run(['wait', 'error', '--since', 'chekout'], collector)).toEqual({
    code: 2,
    out: '',
    err: 'There is no mark chekout; did you mean checkout?\n',
  })
})

it('survives a restart and a clearing', async () => {
  const collector = await startCollector()
  const client = collectorClient(collector.url, fetch)
  await postEnvelope(collector, errorEnvelope(collector.dsn).body)
  const { mark } = await client.orderMark({ name: 'kept' })
  await client.clear({ pending: true })
  await collector.stop()
  await collector.restart()
  expect((await client.marks()).marks).toEqual([mark])
  await client.orderMark({ name: 'kept', do: 'delete' })
  expect((await client.marks()).marks).toEqual([])
})

it('is set only by those who may change something, and in the valid format', async () => {
  const guarded = await startCollector({ WAYSTATION_TOKEN: 'a token of sixteen' })
  const set = (headers: Record<string, string>, body = '{"name":"x"}') =>
    fetch(`${guarded.url}/control/marks`, { method: 'POST', body, headers })
  const token = { authorization: 'Bearer a token of sixteen' }
  expect((await set({})).status).toBe(401)
  expect((await set({ ...token, origin: 'http://evil.example' })).status).toBe(403)
  expect((await fetch(`${guarded.url}/query/marks`)).status).toBe(401)
  expect((await set(token)).status).toBe(200)
  const named10m = await set(token, '{"name":"10m"}')
  expect(named10m.status).toBe(400)
  expect(await named10m.json()).toMatchObject({
    detail: expect.stringContaining('begin with a letter'),
    causes: ['name: got "10m"'],
  })
  const refused = collectorClient(guarded.url, fetch, token).orderMark({ name: 'none', do: 'delete' })
  await expect(refused).rejects.toThrow(CollectorError)
})
