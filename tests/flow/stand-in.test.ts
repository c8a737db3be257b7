import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { limitingAnswer } from '../../lib/wire/stand-in'
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

describe('the stand-in that the collector plays', () => {
  it('answers as scripted over /control/upstream, and keeps what it received', async () => {
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
    expect(Object.keys((await answer.json()) as object)).toEqual(['now', 'answers', 'keep'])
    expect(await (await fetch(client(collector).receivedUrl(2))).text()).toBe(body)
    expect((await fetch(client(collector).receivedUrl(3))).status).toBe(404)
  })

  it('says on the overview what it plays, until that is used up', async () => {
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

  it('tells in the journal that a script changed, and that the time of a rule is over', async () => {
    const collector = await playing()
    await client(collector).play({ answers: [{ status: 503, forMs: 200 }] })
    const begun = await factAfter(collector, 'changed')
    await factAfter(collector, 'changed', begun)
    expect((await client(collector).overview()).script).toBeNull()
    expect((await client(collector).standIn())?.answers).toEqual([])
  })

  it('is asked at once when its script is taken out, whatever is left of a wait', async () => {
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

  it('forgets its script with this life of the collector', async () => {
    const collector = await playing()
    await client(collector).play({ answers: [{ status: 503 }] })
    await collector.stop()
    const again = await collector.restart()
    expect((await client(again).overview()).script).toBeNull()
  })

  it('goes on with a script that is to be kept, from where it was, also after a SIGKILL', async () => {
    const collector = await playing()
    const answers = [
      { status: 413, times: 3 },
      { status: 503, forMs: 3_600_000 },
    ]
    const played = await client(collector).play({ answers, keep: true })
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await factAfter(collector, 'delivered')
    await collector.stop()
    const again = await collector.restart()
    const state = await client(again).standIn()
    expect(state).toMatchObject({ keep: true, answers: [{ status: 413, times: 2 }, { status: 503 }] })
    expect(Math.abs((state?.answers[1]?.endsAt ?? 0) - (played.answers[1]?.endsAt ?? 0))).toBeLessThan(1000)
    await again.kill()
    const third = await again.restart()
    expect((await client(third).overview()).script).toMatch(/^413, 2 more times; 503, for 60 min more; then 200$/)
    await client(third).play({ answers: [] })
    await third.kill()
    expect((await client(await third.restart()).standIn())?.answers).toEqual([])
  })

  it('lets the collector stop at once while thirty posts hang, and all stay pending', async () => {
    const collector = await playing()
    await client(collector).play({ answers: [{ does: 'hang' }] })
    for (let sent = 0; sent < 30; sent += 1) await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    await expect.poll(async () => (await client(collector).standIn())?.received.length, { timeout: 20_000 }).toBe(30)
    expect(await collector.stop()).toBe(0)
    const again = await collector.restart()
    await expect
      .poll(async () => (await client(again).overview()).items, { timeout: 20_000 })
      .toMatchObject({ outcomes: { accepted: 30 } })
    const { deliveries } = await client(again).deliveries({ limit: 100 })
    const cut = deliveries.filter(({ status }) => status === null)
    expect(cut).toHaveLength(30)
    // Not what is said of those whose moment of grace was over.
    for (const { error } of cut) expect(error).toContain('ECONNRESET')
  })

  it.each([
    ['{"answers":[{"status":99}]}', 'answers.0.status: got 99'],
    ['{"answers":[{"statsu":429}]}', 'answers.0: unknown key "statsu"; did you mean status?'],
    ['{"answer":[]}', 'the body: unknown key "answer"; did you mean answers?'],
    ['{"answers":[{"does":"hangs"}]}', 'answers.0.does: unknown behaviour "hangs"; did you mean hang?'],
    ['{"answers":[{"reset":true}]}', 'unknown key "reset"'],
    ['{"answers":[{"categories":["errors"]}]}', 'answers.0.categories: "errors"; did you mean error?'],
    ['{"answers":[{"categories":["all"]}]}', 'an answer without categories applies to every post'],
    ['{"answers":[{"headers":{"X-A":"a\\r\\nb"}}]}', 'one line of printable ASCII'],
    ['{"answers":[{"headers":{"Content-Length":"1"}}]}', 'leave them out'],
    ['{"answers":[{"headers":{"X A":"1"}}]}', 'answers.0.headers.X A: a header is named by letters'],
    ['{"answers":[{"status":"429"}]}', 'answers.0.status: got "429"; Invalid input: expected number'],
    ['{"answers":[{"times":0}]}', 'answers.0.times: got 0'],
    [`{"answers":[${Array(101).fill('{}').join()}]}`, 'answers: got'],
    ['[]', 'the body: got []'],
    ['{', 'the body is not JSON'],
    ['', 'the body is empty'],
  ])('refuses %s', async (script, cause) => {
    const response = await control(shared, script)
    expect(response.status).toBe(400)
    expect(((await response.json()) as { causes: string[] }).causes.join('\n')).toContain(cause)
  })

  it('takes a script whose length nobody told, and none beyond 1 MiB either way', async () => {
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

  it('takes a hundred rules, and categories that nobody knows by name', async () => {
    const answers = Array.from({ length: 100 }, (_, at) => ({ categories: [`custom_${at}`], status: 503 }))
    expect((await control(shared, JSON.stringify({ answers }))).status).toBe(200)
  })

  it('is not there otherwise, and says how to have it', async () => {
    const collector = await startCollector()
    const response = await control(collector)
    expect(response.status).toBe(409)
    expect(await response.text()).toContain('WAYSTATION_UPSTREAM=stand-in')
    expect(await client(collector).standIn()).toBeNull()
    expect((await control(collector, '{"answers":[]}')).status).toBe(409)
  })
})
