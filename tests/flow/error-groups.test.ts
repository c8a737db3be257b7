import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyDatabases } from '../../collector/runs/copy-databases'
import { openLocal, readMarks } from '../../collector/spool/local'
import { collectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  digested,
  endCollectors,
  factAfter,
  journalOf,
  postEnvelope,
  startCollector,
  temporaryFolder,
} from './collector-process'
import { errorEnvelope } from './envelopes'

const folder = join(temporaryFolder(), 'data')
let collector: CollectorProcess
const client = () => collectorClient(collector.url, fetch)
const sent: string[] = []

beforeAll(async () => {
  collector = await startCollector({ WAYSTATION_DATA: folder })
  for (const message of ['order 17 failed', 'order 18 failed', 'card refused']) {
    const { body, eventId } = errorEnvelope(collector.dsn, { message })
    sent.push(eventId)
    expect((await postEnvelope(collector, body)).status).toBe(200)
  }
  await digested(collector, 3)
})
afterAll(endCollectors)

const titles = async (options?: Parameters<ReturnType<typeof client>['errors']>[0]) =>
  (await client().errors(options)).groups.map(({ title, count }) => `${count} ${title}`)

it('lists groups by last arrival and by count, with filters, limits and cursors', async () => {
  const [orders, card] = ['2 Error: order <int> failed', '1 Error: card refused']
  expect(await titles()).toEqual([card, orders])
  expect(await titles({ sort: 'count' })).toEqual([orders, card])
  expect(await titles({ filter: { text: 'card', handled: 'true', environment: 'production' } })).toEqual([card])
  const first = await client().errors({ limit: 1 })
  expect(await titles({ limit: 1, cursor: first.next })).toEqual([orders])
  expect((await fetch(`${collector.url}/query/errors?muted=maybe`)).status).toBe(400)
})

it('filters groups by the query of lists, and counts the groups with a value', async () => {
  const [orders, card] = ['2 Error: order <int> failed', '1 Error: card refused']
  expect(await titles({ q: 'card handled:true environment:prod*' })).toEqual([card])
  expect(await titles({ q: 'level:error level:fatal -card' })).toEqual([orders])
  expect(await titles({ q: '"card refused" muted:all' })).toEqual([card])
  expect(await titles({ q: '-environment:prod*' })).toEqual([])
  expect(await titles({ q: 'muted:only' })).toEqual([])
  expect((await client().errors({ q: 'handled:maybe card' })).problems).toMatchObject([{ at: 0, length: 13 }])
  const { values, rows } = await client().values({ list: 'errors', key: 'level' })
  expect([values, rows]).toEqual([[{ value: 'error', count: 2 }], 2])
})

it('has a page for each group, and an event names its neighbours', async () => {
  const event = await client().event(sent[1] ?? '')
  expect(event?.group.hash).toMatch(/^[0-9a-f]{32}$/)
  // Both have the same timestamp, so their ids decide the order.
  expect([event?.group.older, event?.group.newer].sort()).toEqual([sent[0], null].sort())
  const group = await client().errorGroup(event?.group.hash ?? '')
  expect(group).toMatchObject({ count: 2, sampled: 2, why: { variant: 'exception' }, deliveryStatus: { name: 'kept' } })
  expect(await client().errorGroup('0'.repeat(32))).toBeNull()
})

it('keeps mutes and notes over a restart and in a copy of the folder, and reports each change', async () => {
  const { hash } = (await client().event(sent[2] ?? ''))?.group ?? { hash: '' }
  const before = await journalOf(collector)
  const mark = { hash, muted: true, note: 'the test card' }
  expect(await client().markErrorGroup(mark)).toEqual(mark)
  await factAfter(collector, 'changed', before)
  await collector.stop()
  collector = await startCollector({ WAYSTATION_DATA: folder })
  expect(await client().errors()).toMatchObject({ mutedCount: 1, groups: [{ title: 'Error: order <int> failed' }] })
  expect((await client().errors({ filter: { muted: 'only' } })).groups).toMatchObject([
    { muted: true, note: mark.note },
  ])
  const copy = temporaryFolder()
  copyDatabases(folder, copy)
  const db = openLocal(copy)
  expect([...readMarks(db)]).toEqual([[hash, { muted: true, note: mark.note }]])
  db.close()
})

it.each([
  [{ hash: 'x' }, 'hash: got "x"'],
  [{ hash: 'a'.repeat(32), note: 'n'.repeat(2001) }, 'note: got '],
  [{ hash: 'a'.repeat(32), muted: 1 }, 'muted: got 1'],
])('refuses a mark that is not valid: %#', async (body, cause) => {
  const answer = await fetch(`${collector.url}/control/errors`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect([answer.status, await answer.json()]).toEqual([
    400,
    expect.objectContaining({ causes: [expect.stringContaining(cause)] }),
  ])
})
