import { describe, expect, it } from 'vitest'
import { renderAnswer } from '../../../lib/ask/answer'
import { explainVerb } from '../../../lib/ask/explain'
import type { AskSources } from '../../../lib/ask/sources'
import { collectorClient } from '../../../lib/wire/collector-client'
import type { Delivery } from '../../../lib/wire/delivery'
import type { EnvelopeDetail, EnvelopeSummary } from '../../../lib/wire/envelope'
import { signalIn } from '../dashboards/drawn-trace'

const STATUS = { name: 'accepted', reason: null } as const
const SUMMARY: EnvelopeSummary = {
  ...{
    seq: 7,
    journal: 9,
    receivedAt: 0,
    digestedAt: 1,
    relayedAt: 2,
    endpoint: 'tunnel',
    project: '1',
    publicKey: 'k',
  },
  ...{ sdk: null, eventId: null, traceId: null, environment: null, own: false, page: null, bytes: 10, stamp: null },
  ...{ digest: 'digested', deliveryStatus: STATUS, deliveries: 1, lastDelivery: null, items: [] },
}
const item = (index: number) => ({
  ...{ index, type: 'event', category: 'error', quantity: 1, bytes: 5, deliveryStatus: STATUS, problem: null },
  ...{ header: {}, text: null, truncated: false },
})
const attempt = (n: number): Delivery => ({
  ...{ id: n, journal: n, seq: 7, attempt: n, upstream: 'sentry.io/1', startedAt: 0, endedAt: 1, status: 503 },
  ...{ error: null, rateLimits: null, retryAfter: null, answer: null, form: ['scrubbed'], sha256: 'a', bytes: 1 },
  ...{ maybeDelivered: false, leftOut: [], removed: [] },
})
const DETAIL: EnvelopeDetail = {
  ...SUMMARY,
  ...{ header: {}, items: [item(0), item(1)], attempts: Array.from({ length: 23 }, (_, n) => attempt(n + 1)) },
  facts: {
    ...{ method: 'POST', contentType: null, contentEncoding: null, userAgent: null, origin: null },
    ...{ receipt: 'r', page: null, lab: false },
    scrubbed: Array.from({ length: 46 }, (_, n) => ({ rule: 'email', path: `${n % 2}.extra.${n}` })),
  },
}

/** @param answers bodies of answers by the beginning of the path; other paths answer 404 */
async function explained(id: string, answers: Readonly<Record<string, object>>): Promise<string> {
  const client = collectorClient('http://collector.test', async (input) => {
    const path = String(input).replace('http://collector.test', '')
    const found = Object.entries(answers).find(([begin]) => path.startsWith(begin))?.[1]
    return found === undefined ? new Response('{}', { status: 404 }) : Response.json(found)
  })
  const sources = { client, signal: new AbortController().signal } as AskSources
  const answer = await explainVerb.run(sources, { id })
  return renderAnswer(answer, { asker: 'mcp', raw: false, call: { verb: 'explain', args: { id } } })
}

const STORED = { '/query/envelopes/7': DETAIL }

describe('the explanation of an envelope', () => {
  it('has 20 attempts, newest first, and 20 scrubbed values, and counts the others', async () => {
    const text = await explained('7', STORED)
    expect(text.match(/- attempt \d+: `503`/g)).toHaveLength(20)
    expect(text).toMatch(/## Attempts, newest first\n\n- attempt 23: /)
    expect(text).toContain('\n- 3 attempts left out\n')
    expect(text.match(/- scrubbed before storing: /g)).toHaveLength(20)
    expect(text).toContain('- 26 more values were scrubbed before storing')
    expect(text).toContain('- item 0, 1 `event`: accepted')
  })

  it('has only what was scrubbed in the item that was named, which must exist', async () => {
    const text = await explained('7.1', STORED)
    expect(text).toContain('scrubbed before storing: `1.extra.1` by the rule email')
    expect(text).not.toContain('`0.extra')
    await expect(explained('7.2', STORED)).rejects.toThrow('envelope 7 has no item 2; its items are 0 to 1')
  })

  it('of a client report says how many items of a category the SDK discarded, and why', async () => {
    const text = JSON.stringify({ discarded_events: [{ reason: 'event_processor', category: 'error', quantity: 2 }] })
    const report = { ...item(0), type: 'client_report', category: 'internal', text }
    const answer = await explained('7', { '/query/envelopes/7': { ...DETAIL, items: [report] } })
    expect(answer).toContain('- item 0 `client_report`: accepted\n  - the SDK discarded 2 `error`: `event_processor`')
  })

  it('of a limited item names the limits that run, and when they end', async () => {
    const limited = { ...item(0), deliveryStatus: { name: 'rate_limited', reason: 'limited' } }
    const limit = {
      upstream: 'sentry.io/1',
      category: 'error',
      receivedAt: 0,
      reason: 'quota',
      scope: null,
      sourceSeq: 7,
      cut: 1,
    }
    const limits = [
      { ...limit, until: 90_000 },
      { ...limit, category: 'span', until: 10_000 },
    ]
    const answer = await explained('7', {
      '/query/envelopes/7': { ...DETAIL, items: [limited] },
      '/query/status': {
        ...{ now: 30_000, storage: { state: 'ok', trouble: null }, holdErrors: false, shown: null, run: null },
        ...{ localDsn: null, upstreams: [], stranded: [], script: null, limits },
      },
    })
    expect(answer).toContain(
      '## Limits that run now\n\n- `sentry.io/1` limits `error` until 1970-01-01T00:01:30.000Z · `quota`\n',
    )
    expect(answer).not.toContain('limits `span`')
  })

  it('of a trace in several envelopes is the list of the newest 50', async () => {
    const refused = { name: 'invalid', reason: 'upstream_400' }
    const envelopes = [SUMMARY, { ...SUMMARY, seq: 8, deliveryStatus: refused }]
    const path = `/query/envelopes?trace=${'a'.repeat(32)}&own=show&limit=50`
    const report = (receivedAt: number, reason: string) =>
      signalIn('client_report', {
        receivedAt,
        key: reason,
        fields: { reason, category: 'error', quantity: 1, list: '' },
      })
    const signals = [report(60_001, 'too_late'), report(60_000, 'event_processor')]
    const text = await explained('a'.repeat(32), {
      [path]: { envelopes, next: '5-', journal: 9 },
      '/query/signals?kind=client_report': { signals, next: null, journal: 9 },
      '/query/envelopes/1': { ...DETAIL, sdk: 'sentry.node 11' },
    })
    expect(text).toMatch(
      /## Client reports of the same minute, which name no trace\n\n- .* `1` `error` · `event_processor` · sdk: `sentry\.node 11` · envelope: 1\n/,
    )
    expect(text).not.toContain('too_late')
    expect(text).toMatch(/^# Trace a{32} is in 2 or more envelopes\n/)
    expect(text).toContain('invalid: `upstream_400`')
    expect(text).toContain('`explain {"id":"8"}`')
  })
})
