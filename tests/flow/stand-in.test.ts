import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { limitingAnswer } from '../../lib/wire/scripted-answers'
import { type CollectorProcess, endCollectors, factAfter, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'

afterAll(endCollectors)

const playing = (): Promise<CollectorProcess> => startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
const client = (collector: CollectorProcess) => collectorClient(collector.url, fetch)
const control = (collector: CollectorProcess, body?: string): Promise<Response> =>
  fetch(`${collector.url}/control/upstream`, body === undefined ? {} : { method: 'POST', body })

let shared: CollectorProcess
beforeAll(async () => {
  shared = await playing()
})

describe('the stand-in of the collector', () => {
  it('plays a script from /control/upstream and keeps what it received', async () => {
    const collector = await playing()
    const { answers } = await client(collector).play({ answers: [{ status: 413, times: 2, categories: ['error'] }] })
    expect(answers).toMatchObject([{ status: 413, times: 2, categories: ['error'], does: 'answer', endsAt: null }])
    const { body } = errorEnvelope(collector.dsn)
    await postEnvelope(collector, transactionEnvelope(collector.dsn).body)
    const first = await factAfter(collector, 'delivered')
    await postEnvelope(collector, body)
    await factAfter(collector, 'delivered', first)
    const state = await client(collector).standIn()
    expect(state?.answers).toMatchObject([{ times: 1 }])
    expect(state?.received).toMatchObject([
      { n: 2, status: 413, path: '/api/1/envelope/', categories: ['error'], bytes: Buffer.byteLength(body) },
      { n: 1, status: 200, categories: ['transaction'] },
    ])
    const answer = await fetch(`${collector.url}/control/upstream`, { method: 'POST', body: '{"answers":[]}' })
    expect(Object.keys((await answer.json()) as object)).toEqual(['now', 'answers'])
    expect(await (await fetch(client(collector).receivedUrl(2))).text()).toBe(body)
    expect((await fetch(client(collector).receivedUrl(3))).status).toBe(404)
  })

  it('is described on the overview until its script is used up', async () => {
    const collector = await playing()
    expect((await client(collector).overview()).script).toBeNull()
    await client(collector).play({ answers: [limitingAnswer(['transaction'], 60)] })
    expect((await client(collector).overview()).script).toBe(
      '429 with transaction limited for 60 s to posts with transaction, 1 more time; then 200',
    )
    await postEnvelope(collector, transactionEnvelope(collector.dsn).body)
    await factAfter(collector, 'decided')
    expect((await client(collector).overview()).script).toBeNull()
  })

  it('writes a new script and the end of a rule to the journal', async () => {
    const collector = await playing()
    await client(collector).play({ answers: [{ status: 503, forMs: 200 }] })
    const begun = await factAfter(collector, 'changed')
    await factAfter(collector, 'changed', begun)
    expect((await client(collector).overview()).script).toBeNull()
    expect((await client(collector).standIn())?.answers).toEqual([])
  })

  it('gets a probe at once when its script is removed', async () => {
    const collector = await playing()
    await client(collector).play({ answers: [{ status: 403 }] })
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await expect.poll(async () => (await client(collector).status()).upstreams[0]?.state).toBe('paused')
    await client(collector).play({ answers: [] })
    await expect
      .poll(async () => (await client(collector).status()).upstreams[0])
      .toMatchObject({
        state: 'idle',
        pending: 0,
      })
  })

  it('loses its script at a restart', async () => {
    const collector = await playing()
    await client(collector).play({ answers: [{ status: 503 }] })
    await collector.stop()
    const again = await collector.restart()
    expect((await client(again).overview()).script).toBeNull()
  })

  it('does not delay a stop while thirty posts hang; all of them stay pending', async () => {
    const collector = await playing()
    await client(collector).play({ answers: [{ does: 'hang' }] })
    for (let sent = 0; sent < 30; sent += 1) await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await expect.poll(async () => (await client(collector).standIn())?.received.length).toBe(30)
    expect(await collector.stop()).toBe(0)
    const again = await collector.restart()
    await expect.poll(async () => (await client(again).overview()).items).toMatchObject({ outcomes: { accepted: 30 } })
    const { deliveries } = await client(again).deliveries({ limit: 100 })
    const cut = deliveries.filter(({ status }) => status === null)
    expect(cut).toHaveLength(30)
    // Posts whose grace period was over have another error.
    for (const { error } of cut) expect(error).toContain('ECONNRESET')
  })

  it.each([
    ['{"answers":[{"status":99}]}', 'answers.0.status: got 99'],
    ['{"answers":[{"statsu":429}]}', 'answers.0: unknown key "statsu"; did you mean status?'],
    ['{"answer":[]}', 'the body: unknown key "answer"; did you mean answers?'],
    ['{"answers":[{"does":"hangs"}]}', 'answers.0.does: unknown behaviour "hangs"; did you mean hang?'],
    ['{"answers":[{"reset":true}]}', 'unknown key "reset"'],
    ['{"answers":[{"does":"drip"}]}', 'answers.0.does: unknown behaviour "drip"'],
    ['{"answers":[],"keep":true}', 'the body: unknown key "keep"'],
    ['{"answers":[{"categories":["errors"]}]}', 'answers.0.categories: "errors"; did you mean error?'],
    ['{"answers":[{"categories":["all"]}]}', 'an answer without categories applies to every post'],
    ['{"answers":[{"headers":{"X-A":"a\\r\\nb"}}]}', 'one line of printable ASCII'],
    ['{"answers":[{"headers":{"Content-Length":"1"}}]}', 'leave them out'],
    ['{"answers":[{"headers":{"X A":"1"}}]}', 'answers.0.headers.X A: a header name has letters'],
    ['{"answers":[{"status":"429"}]}', 'answers.0.status: got "429"; Invalid input: expected number'],
    ['{"answers":[{"times":0}]}', 'answers.0.times: got 0'],
    [`{"answers":[${Array(101).fill('{}').join()}]}`, 'answers: got'],
    ['[]', 'the body: got []'],
    ['{', 'the body is not JSON'],
    ['', 'the body is empty'],
  ])('rejects %s', async (script, cause) => {
    const response = await control(shared, script)
    expect(response.status).toBe(400)
    expect(((await response.json()) as { causes: string[] }).causes.join('\n')).toContain(cause)
  })

  it('accepts a chunked script, and rejects one over 1 MiB with and without Content-Length', async () => {
    const answers = [{ status: 503, body: 'x'.repeat(60_000), categories: ['session'] }]
    const chunked = (text: string): Promise<Response> => {
      const init: RequestInit & { readonly duplex: 'half' } = {
        method: 'POST',
        body: new Blob([text]).stream(),
        duplex: 'half',
      }
      return fetch(`${shared.url}/control/upstream`, init)
    }
    const refused = async (response: Response) => [response.status, await response.text()]
    expect((await chunked(JSON.stringify({ answers }))).status).toBe(200)
    const large = JSON.stringify({ answers: Array(20).fill(answers[0]) })
    const why = [413, expect.stringContaining('the body is larger than 1 MiB')]
    expect(await refused(await control(shared, large))).toEqual(why)
    expect(await refused(await chunked(large))).toEqual(why)
  })

  it('accepts a hundred rules, and unknown categories', async () => {
    const answers = Array.from({ length: 100 }, (_, at) => ({ categories: [`custom_${at}`], status: 503 }))
    expect((await control(shared, JSON.stringify({ answers }))).status).toBe(200)
  })

  it('answers 409 with another upstream, and says how to start it', async () => {
    const collector = await startCollector()
    const response = await control(collector)
    expect(response.status).toBe(409)
    expect(await response.text()).toContain('WAYSTATION_UPSTREAM=stand-in')
    expect(await client(collector).standIn()).toBeNull()
    expect((await control(collector, '{"answers":[]}')).status).toBe(409)
  })
})
