import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { judgeSpans } from '../../../collector/judge/judge-spans'
import { JUDGE_BOUNDS, newestSubmissions } from '../../../collector/spool/read/read-newest'
import { transactionEnvelope } from '../../flow/envelopes'
import { type InProcessSpool, openInProcess, removeFolders, submission } from '../spool/in-process-spool'

const DSN = 'http://local@127.0.0.1:8969/1'

let spool: InProcessSpool
beforeEach(() => {
  spool = openInProcess({})
})
afterEach(() => spool.close())
afterAll(removeFolders)

const receive = (body: string, stamp: string | null = null) =>
  spool.append(submission({ body: new TextEncoder().encode(body), stamp }))

describe('spans that a query expects', () => {
  it('are found with a stamp also in unstamped envelopes of its traces, and in no others', async () => {
    const page = transactionEnvelope(DSN, { name: '/cart' })
    const server = { name: 'GET /api', op: 'http.server', platform: 'node' }
    await receive(transactionEnvelope(DSN, { ...server, traceId: page.traceId, parentSpanId: page.spanId }).body)
    await receive(transactionEnvelope(DSN, { ...server, name: 'GET /foreign' }).body)
    await receive(page.body, 'mine')
    const search = (pattern: string) => judgeSpans(spool.db, { stamp: 'mine', pattern })
    expect(search('pageload /cart > http.server')).toMatchObject({
      answer: 'match',
      from: { submissions: 2, isPart: false },
      matched: [
        { label: 'pageload /cart', service: 'browser', traceId: page.traceId, spanId: page.spanId, seq: 3, item: 0 },
        { label: 'http.server GET /api', service: 'server', traceId: page.traceId, seq: 1 },
      ],
    })
    expect(search('http.server GET /foreign').answer).toBe('no match')
    expect(judgeSpans(spool.db, { stamp: null, pattern: 'http.server GET /foreign' }).answer).toBe('match')
    expect(judgeSpans(spool.db, { stamp: 'other', pattern: '*' }).answer).toBe('nothing recorded')
  })

  it('are searched in one trace when the query names it', async () => {
    const [first, second] = [
      transactionEnvelope(DSN, { name: '/first' }),
      transactionEnvelope(DSN, { name: '/second' }),
    ]
    await receive(first.body)
    await receive(second.body)
    const answerIn = (traceId: string | null) =>
      judgeSpans(spool.db, { stamp: null, traceId, pattern: 'pageload /first' }).answer
    expect([answerIn(null), answerIn(first.traceId), answerIn(second.traceId), answerIn('0'.repeat(32))]).toEqual([
      'match',
      'match',
      'no match',
      'nothing recorded',
    ])
  })

  it('come with the longest matched beginning of the pattern when they are missing', async () => {
    await receive(transactionEnvelope(DSN, { name: '/first' }).body)
    await receive(transactionEnvelope(DSN, { name: '/second' }).body)
    const { answer, matched, message } = judgeSpans(spool.db, { stamp: null, pattern: '* /second > http.client > db' })
    expect([answer, matched.map(({ label }) => label)]).toEqual([
      'no match',
      ['pageload /second', 'http.client GET /api/0'],
    ])
    expect(message).toContain('found 2 of 3')
  })

  it('are searched in stamped envelopes, however many unstamped ones arrived since', async () => {
    await receive('{}', 'mine')
    for (let sent = 0; sent < 3; sent += 1) await receive('{}')
    const bounds = { ...JUDGE_BOUNDS, submissions: 2 }
    const seqs = (query: { readonly stamp: string | null; readonly unstamped?: boolean }) =>
      newestSubmissions(spool.db, { after: 0, ...query }, bounds).submissions.map(({ seq }) => seq)
    expect(seqs({ stamp: 'mine' })).toEqual([1])
    expect(seqs({ stamp: null, unstamped: true })).toEqual([3, 4])
  })
})
