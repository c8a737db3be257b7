import { describe, expect, it } from 'vitest'
import { redigestAt } from '../../../collector/cli/ask-redigest'
import { collectorClient } from '../../../lib/wire/collector-client'

const URL_ASKED = 'http://127.0.0.1:1'

type Given = { readonly status?: number; readonly body: unknown } | 'refused'

const at = (done: number) => ({ body: { rebuild: { done, of: 9, startedAt: 100 }, last: null } })
const over = (startedAt: number) => ({ body: { rebuild: null, last: { done: 9, startedAt, endedAt: 1600 } } })

/** Asks a collector that answers so, one answer after the other. */
async function asked(answers: readonly Given[], stop = new AbortController()) {
  const calls: string[] = []
  const seen: string[] = []
  const rest = [...answers]
  const end = await redigestAt({
    collector: {
      url: URL_ASKED,
      client: collectorClient(URL_ASKED, async (url, init) => {
        calls.push(`${init?.method ?? 'GET'} ${String(url)}`)
        const next = rest.shift()
        if (next === undefined || next === 'refused') throw new TypeError('fetch failed')
        return Response.json(next.body, { status: next.status ?? 200 })
      }),
    },
    pause: async () => undefined,
    stop: stop.signal,
    onProgress: (done, of) => {
      seen.push(`${done}/${of}`)
      if (seen.length === 50) stop.abort()
    },
  })
  return { end, calls, seen }
}

describe('asking a collector to digest again', () => {
  it('begins once, follows to the end, and tells counts and time', async () => {
    const { end, calls, seen } = await asked([{ ...at(0), status: 202 }, at(4), at(9), over(100)])
    expect(end).toEqual({ ended: 'done', done: 9, ms: 1500 })
    expect(seen).toEqual(['0/9', '4/9', '9/9'])
    expect(calls).toEqual([
      'POST http://127.0.0.1:1/control/redigest',
      ...Array.from({ length: 3 }, () => 'GET http://127.0.0.1:1/control/redigest'),
    ])
  })

  it('finds that nobody is there', async () => {
    expect((await asked(['refused'])).end).toEqual({ ended: 'none' })
  })

  it.each([
    [{ status: 401, body: { detail: 'a token is needed', causes: [] } }, /wants a token: set WAYSTATION_TOKEN/],
    [{ status: 404, body: 'there is nothing here' }, /is no collector, or an older one: it answered 404\.$/],
    [{ status: 200, body: { hello: 'world' } }, /is no collector of this version/],
  ])('says what answered instead: %j', async (answer, sentence) => {
    expect((await asked([answer])).end).toEqual({ ended: 'failed', sentence: expect.stringMatching(sentence) })
  })

  it('does not take an earlier rebuild for this one', async () => {
    expect((await asked([at(0), over(50)])).end).toMatchObject({
      ended: 'failed',
      sentence: expect.stringContaining('gave up'),
    })
  })

  it('says that the collector ended meanwhile', async () => {
    expect((await asked([at(0), 'refused'])).end).toMatchObject({
      ended: 'failed',
      sentence: expect.stringContaining('has ended meanwhile'),
    })
  })

  it('stops looking when it is asked to', async () => {
    expect((await asked(Array.from({ length: 99 }, () => at(1)))).end).toEqual({ ended: 'stopped' })
  })
})
