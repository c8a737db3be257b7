import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { LiveHub } from '../../../collector/api/live-hub'
import { createMirrorWait } from '../../../collector/api/mirror-wait'
import { failureOf } from '../../../dashboards/ui/client'
import { readRefusal } from '../../../lib/wire/errors'
import type { Reach } from '../../../lib/wire/reach'

const WAIT_MS = 20

const ask = async (head: () => Promise<number>, path: string): Promise<Response> => {
  const app = new Hono()
  app.use('/query/*', createMirrorWait({ head, reach: () => null }, new LiveHub(96), WAIT_MS))
  app.get('/query/*', (c) => c.text('answered'))
  return app.request(path)
}

it('a query that judges is refused with the number of facts that the mirror lacks, and boards say so', async () => {
  const answer = await ask(async () => 1300, '/query/losses')
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  expect(failureOf(await readRefusal(answer))).toEqual({
    ...{ kind: 'behind', missing: 1204 },
    detail: 'This collector is still copying from PostgreSQL: 1,204 facts behind.',
  })
})

it('names the store that is away', async () => {
  const away = () => Promise.reject(new Error('PostgreSQL at db/waystation is away: timeout'))
  const answer = await ask(away, '/query/losses')
  expect(failureOf(await readRefusal(answer))).toEqual({
    ...{ kind: 'behind', missing: null },
    detail:
      'What others have stored is unknown: PostgreSQL at db/waystation is away: timeout; an answer now could be wrong.',
  })
})

it('a list is answered from what the mirror has', async () => {
  expect(await (await ask(async () => 1300, '/query/traces')).text()).toBe('answered')
})

const REACH: Reach = { from: 401, since: Date.parse('2026-11-28T14:02:00'), percent: 40, state: 'fetching' }

function query(path: string, reach: Reach | null): Promise<Response> {
  const app = new Hono()
  app.use('/query/*', createMirrorWait({ head: async () => 1000, reach: () => reach }, new LiveHub(1000)))
  app.get('/query/*', (c) => c.text('answered'))
  return Promise.resolve(app.request(path))
}

describe('a query to a collector that does not have all of a shared record yet', () => {
  it.each([
    'contract',
    'contract?after=399',
    'expect?stamp=a',
    'losses',
    'losses?stamp=a',
    'recorded?after=0',
    'journal?after=7',
    'items',
  ])('is refused when it judges or counts what is missing: %s', async (path) => {
    const answer = await query(`/query/${path}`, REACH)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(await answer.text()).toMatch(
      /records since (?:2026-11-28 )?14:02; older ones are being fetched \(40 % are here\); after=400 and later can be answered already/,
    )
    expect((await query(`/query/${path}`, null)).status).toBe(200)
    expect((await query(`/query/${path}`, { ...REACH, state: 'full' })).status).toBe(200)
  })

  it.each([
    'contract?after=400',
    'recorded?after=900',
    'recorded?after=0&limit=0',
    'journal?after=400',
    'events',
    'status',
    'overview',
  ])('is answered when it is about what is there, or a list: %s', async (path) => {
    expect((await query(`/query/${path}`, REACH)).status).toBe(200)
  })
})

describe('the hub of live facts', () => {
  it('keeps no facts before a gap: a mirror of another record begins in its middle', () => {
    const hub = new LiveHub(10)
    const fact = (n: number) => ({ n, at: 1, kind: 'received', seq: n }) as const
    hub.publish([fact(11)])
    hub.publish([{ n: 0, at: 1, kind: 'cleared', seq: null }])
    expect(hub.head).toBe(0)
    hub.publish([fact(501), fact(502)])
    expect(hub.since(11)).toBeNull()
    expect(hub.since(500)).toHaveLength(2)
  })
})
