import { describe, expect, it } from 'vitest'
import { redigestAt } from '../../../collector/cli/redigest'
import { collectorClient } from '../../../lib/wire/collector-client'

const URL = 'http://127.0.0.1:1'

type Given = { readonly status?: number; readonly body: unknown } | 'refused'

const at = (done: number) => ({ body: { rebuild: { done, of: 9, startedAt: 100 }, last: null } })
const over = (startedAt: number) => ({ body: { rebuild: null, last: { done: 9, startedAt, endedAt: 1600 } } })

/** Follows a rebuild of a collector with these answers. */
async function follow(answers: readonly Given[], stop = new AbortController()) {
  const calls: string[] = []
  const seen: string[] = []
  const rest = [...answers]
  const end = await redigestAt({
    collector: {
      url: URL,
      client: collectorClient(URL, async (url, init) => {
        calls.push(`${init?.method ?? 'GET'} ${String(url)}`)
        const next = rest.shift()
        if (next === undefined || next === 'refused') throw new TypeError('fetch failed')
        return Response.json(next.body, { status: next.status ?? 200 })
      }),
    },
    sleep: async () => undefined,
    stop: stop.signal,
    onProgress: (done, of) => {
      seen.push(`${done}/${of}`)
      if (seen.length === 50) stop.abort()
    },
  })
  return { end, calls, seen }
}

describe('the rebuild of the index', () => {
  it('is requested once and followed to its end, with count and duration', async () => {
    const { end, calls, seen } = await follow([{ ...at(0), status: 202 }, at(4), at(9), over(100)])
    expect(end).toEqual({ ended: 'done', done: 9, ms: 1500 })
    expect(seen).toEqual(['0/9', '4/9', '9/9'])
    expect(calls).toEqual([
      'POST http://127.0.0.1:1/control/redigest',
      ...Array.from({ length: 3 }, () => 'GET http://127.0.0.1:1/control/redigest'),
    ])
  })

  it('finds no collector', async () => {
    expect((await follow(['refused'])).end).toEqual({ ended: 'no collector' })
  })

  it.each([
    [
      { status: 401, body: { detail: 'a token is needed', causes: [] } },
      /requires authentication: set WAYSTATION_TOKEN/,
    ],
    [{ status: 404, body: 'there is nothing here' }, /is not a collector, or an older one: it answered 404\.$/],
    [{ status: 200, body: { hello: 'world' } }, /is not a collector of this version/],
  ])('names the wrong answer %j', async (answer, message) => {
    expect((await follow([answer])).end).toEqual({ ended: 'failed', message: expect.stringMatching(message) })
  })

  it('is not an earlier rebuild', async () => {
    expect((await follow([at(0), over(50)])).end).toMatchObject({
      ended: 'failed',
      message: expect.stringContaining('gave up'),
    })
  })

  it('fails when the collector ends', async () => {
    expect((await follow([at(0), 'refused'])).end).toMatchObject({
      ended: 'failed',
      message: expect.stringContaining('has ended; its next start'),
    })
  })

  it('is not followed after a request to stop', async () => {
    expect((await follow(Array.from({ length: 99 }, () => at(1)))).end).toEqual({ ended: 'stopped' })
  })
})
