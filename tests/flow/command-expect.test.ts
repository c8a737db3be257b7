import { describe, expect, it } from 'vitest'
import { collectorClient } from '../../lib/wire/collector-client'
import { type CollectorProcess, postEnvelope, sharedCollector, temporaryFolder } from './collector-process'
import { errorEnvelope, transactionEnvelope } from './envelopes'
import { type RunningCommand, startCommand } from './run-process'

const shared = sharedCollector()

const run = (args: readonly string[], { url }: Pick<CollectorProcess, 'url'>): RunningCommand =>
  startCommand(['expect', ...args], { WAYSTATION_DATA: temporaryFolder(), WAYSTATION_COLLECTOR_URL: url })

const stamped = (stamp: string) => ({ 'x-waystation-stamp': stamp })

/** A page load whose first request is answered by a segment of the server, in an envelope without a stamp. */
async function postCheckout(collector: CollectorProcess, stamp: string): Promise<void> {
  const page = transactionEnvelope(collector.dsn, { name: '/checkout', children: 1 })
  const [, , payload] = page.body.split('\n')
  const { spans } = JSON.parse(payload ?? '') as { readonly spans: readonly { readonly span_id: string }[] }
  const server = transactionEnvelope(collector.dsn, {
    name: 'GET /api/0',
    op: 'http.server',
    platform: 'node',
    traceId: page.traceId,
    parentSpanId: spans[0]?.span_id ?? '',
  })
  await postEnvelope(collector, server.body)
  await postEnvelope(collector, page.body, stamped(stamp))
}

describe('waystation expect', () => {
  it('finds spans that arrived before it was called, over all services of the trace', async () => {
    const collector = shared()
    await postCheckout(collector, 'first')
    const pattern = 'pageload /checkout > http.client GET /api/0 > http.server >> http.client GET /api/1'
    const { code, out, err } = await run([pattern, '--stamp', 'first', '--timeout', '10s'], collector).ended
    expect(out).toBe('pageload /checkout > http.client GET /api/0 > http.server GET /api/0 > http.client GET /api/1\n')
    expect(err).toMatch(/^open http:\/\/localhost:3000\/traces\/[0-9a-f]{32}\?span=[0-9a-f]{16}\n$/)
    expect(code).toBe(0)
  })

  it('waits for spans that have not arrived yet', async () => {
    const collector = shared()
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    const { url } = collector
    const waiting = collectorClient(url, fetch).expectSpans({ pattern: 'pageload /late', stamp: null, wait: 30 })
    const command = run(['pageload /late'], collector)
    await postEnvelope(collector, transactionEnvelope(collector.dsn, { name: '/late' }).body)
    expect(await waiting).toMatchObject({ answer: 'match', from: { isPart: false }, message: '' })
    expect(await command.ended).toMatchObject({ code: 0, out: 'pageload /late\n' })
  })

  it('prints the nearest miss and exits with 1', async () => {
    const collector = shared()
    await postCheckout(collector, 'mine')
    await postEnvelope(collector, transactionEnvelope(collector.dsn, { name: '/other' }).body, stamped('mine'))
    const args = ['pageload /checkout > http.client POST /api/order >> db*', '--stamp', 'mine', '--timeout', '0.2']
    const { code, out, err } = await run(args, collector).ended
    expect(err.split('\n').slice(0, 5)).toEqual([
      'No match with the stamp mine within 0.2 s in 3 envelopes: the trace has no pageload /checkout > http.client POST /api/order >> db*',
      '',
      'found 1 of 3: pageload /checkout',
      'expected child: http.client POST /api/order',
      'got 1 child: http.client GET /api/0',
    ])
    expect({ code, out }).toEqual({ code: 1, out: '' })
  })

  it('answers a pattern with a maximum when nothing more arrives', async () => {
    const collector = shared()
    const { body, traceId } = transactionEnvelope(collector.dsn, { name: '/few', children: 1 })
    await postEnvelope(collector, body, stamped('few'))
    const pattern = 'pageload /few > http.client[<=10ms]{..1}'
    const waiting = collectorClient(collector.url, fetch).expectSpans({ pattern, stamp: 'few', wait: 3 })
    const command = run([pattern, '--stamp', 'few', '--timeout', '20s'], collector)
    expect(await waiting).toMatchObject({ answer: 'match', matched: [{ traceId }, { traceId }] })
    expect(await command.ended).toMatchObject({ code: 0, out: 'pageload /few > http.client GET /api/0\n' })
    const many = await run([pattern.replace('..1', '0'), '--stamp', 'few', '--timeout', '0'], collector).ended
    expect(many.err).toContain('\nfound 1 of http.client[<=10ms], expected none\n')
  })

  it('exits with 3 when nothing was recorded with the stamp, and prints JSON', async () => {
    const collector = shared()
    await postCheckout(collector, 'yours')
    const args = ['pageload', '--stamp', 'nobody', '--timeout', '0']
    expect(await run(args, collector).ended).toEqual({
      code: 3,
      out: '',
      err: 'Nothing was recorded with the stamp nobody within 0 s.\n',
    })
    const { code, out } = await run([...args, '--json'], collector).ended
    expect([code, JSON.parse(out)]).toMatchObject([3, { answer: 'nothing recorded', stamp: 'nobody', matched: [] }])
  })

  it('exits with 2 for wrong arguments, and with 3 when no collector answers', async () => {
    const away = { url: 'http://127.0.0.1:9' }
    const refused = async (...args: string[]) => (await run(args, away).ended).err
    expect(await refused()).toMatch(/^PATTERN is missing/)
    expect(await refused('pageload >')).toMatch(/^a step is missing at the end.*\n {2}pageload >\n {12}\^\n$/)
    expect(await refused('db*{5..2}')).toMatch(/^no number is 5\.\.2; write the smaller number first\n/)
    expect(await refused('pageload', '/checkout')).toMatch(/^unexpected argument "\/checkout": the pattern is one/)
    expect(await refused('pageload', '--timeout', '1m')).toMatch(/^--timeout must be seconds from 0 to 86400/)
    expect(await run(['pageload', '--stamp', ' '], away).ended).toMatchObject({ code: 2 })
    expect(await run(['pageload'], away).ended).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^No collector answers at http:\/\/127\.0\.0\.1:9/),
    })
  })
})

describe('GET /query/expect', () => {
  it('refuses a missing or invalid pattern, and other wrong parameters', async () => {
    const collector = shared()
    const refusal = async (query: string): Promise<unknown> => {
      const response = await fetch(`${collector.url}/query/expect${query}`)
      return [response.status, await response.text()]
    }
    expect(await refusal('')).toEqual([400, expect.stringContaining('pattern: the span tree must not be empty')])
    expect(await refusal('?pattern=a+-%3E+b')).toEqual([400, expect.stringContaining('write > without a -')])
    expect(await refusal('?pattern=a&wait=61')).toEqual([400, expect.stringContaining('from 0 to 60')])
    expect(await refusal('?pattern=a&stamp=%20')).toEqual([400, expect.stringContaining('stamp')])
    expect(await refusal('?pattern=a&trace=7')).toEqual([400, expect.stringContaining('32 hexadecimal digits')])
    expect(await refusal('?pattern=a&after=x')).toEqual([400, expect.stringContaining('whole number')])
    expect(await refusal('?pattern=a&until=1')).toEqual([400, expect.stringContaining('there is no parameter')])
  })

  it('is guarded as other queries', async () => {
    const { url } = shared()
    const foreign = await fetch(`${url}/query/expect?pattern=a`, { headers: { origin: 'https://elsewhere.example' } })
    expect(foreign.status).toBe(403)
  })

  it('judges an envelope without spans as no match', async () => {
    const collector = shared()
    await postEnvelope(collector, errorEnvelope(collector.dsn).body, stamped('spanless'))
    const found = await collectorClient(collector.url, fetch).expectSpans({
      pattern: 'pageload',
      stamp: 'spanless',
      wait: 0,
    })
    expect(found).toMatchObject({ answer: 'no match', message: expect.stringContaining('no span') })
  })
})
