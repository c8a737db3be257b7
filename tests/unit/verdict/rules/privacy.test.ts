import { describe, expect, it } from 'vitest'
import { contentTypeOf, type OtlpEncoding, type OtlpSignal } from '../../../../lib/otlp/signals'
import { judgeLeaks, privacyRule } from '../../../../lib/verdict/rules/privacy'
import type { Case } from '../../../../lib/verdict/rules/rule'
import { encodeRequest, logsRequest, metricsRequest, SPAN, textAttribute, tracesRequest } from '../../otlp/requests'
import {
  type Came,
  caseFrom,
  containerOf,
  drawn,
  envelopeOf,
  eventOf,
  failing,
  TRACE,
  transactionOf,
} from './sample-evidence'

const judge = (...came: readonly Came[]) => privacyRule.judge(caseFrom(...came))
const PAGE = drawn('pageload /cart  ====')
const event = (payload: Readonly<Record<string, unknown>>): string => eventOf({ exception: undefined, ...payload })

describe('the privacy rule', () => {
  it.each([
    ['an event', eventOf()],
    ['a transaction', transactionOf(PAGE)],
    ['a container', containerOf(PAGE)],
  ])('passes for %s', (_, body) => {
    expect(judge(body)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it.each([
    ['a token', event({ extra: { api_token: 'hunter2hunter2' } }), 'extra.api_token', 'key'],
    ['a cookie', event({ request: { cookies: { session: 'abcdef0123' } } }), 'request.cookies.session', 'cookie'],
    ['an e-mail address', event({ message: 'no mail to ada@example.org' }), 'message', 'email'],
    ['a card number', event({ message: 'paid with 4111 1111 1111 1111' }), 'message', 'card'],
    [
      'a bearer token',
      event({ breadcrumbs: [{ message: 'Authorization: Bearer abcdefghijklmnop' }] }),
      'breadcrumbs.0.message',
      'parameter',
    ],
    [
      'a text of a span',
      transactionOf(PAGE, { attributes: { '/cart': { 'http.url': 'https://ada:hunter2-hunter2@shop.test/' } } }),
      'contexts.trace.data.http.url',
      'url_auth',
    ],
    [
      'a header line',
      transactionOf(PAGE, { header: { trace: { transaction: '/of/ada@example.org' } } }),
      'header.trace.transaction',
      'email',
    ],
    [
      'the name of a file',
      envelopeOf({}, [{ type: 'attachment', filename: 'ada@example.org.txt' }, {}]),
      'header.filename',
      'email',
    ],
  ])('reports rule and path, never the value: %s', (_, body, path, rule) => {
    const verdict = judge(body)
    expect(verdict).toMatchObject({ verdict: 'fail', found: 1, findings: [{ path, expected: 'no secrets' }] })
    expect(JSON.stringify(verdict)).toContain(`"actual":"${rule}: `)
    expect(JSON.stringify(verdict)).not.toMatch(/hunter2|abcdef0123|ada|4111|abcdefghij/)
  })

  it('reports the item or the envelope header', () => {
    expect(judge(eventOf(), event({ message: 'ada@example.org' }))).toMatchObject({
      findings: [
        {
          about: 'event item of envelope 2',
          at: { seq: 2, item: 0, traceId: TRACE, eventId: 'e'.repeat(32) },
          path: 'message',
          actual: 'email: an e-mail address (***@example.org)',
        },
      ],
    })
    const header = transactionOf(PAGE, { header: { trace: { transaction: '/of/ada@example.org' } } })
    expect(judge(header)).toMatchObject({
      findings: [{ about: 'header of envelope 1', at: { seq: 1, item: -1 } }],
    })
  })

  describe('with a secret in a span', () => {
    const CALLS = drawn(`
      pageload /cart             ======
        http.client GET /of/a     ==
        http.client GET /of/b       ==
    `)
    const attributes = { 'GET /of/b': { 'url.full': 'https://shop.test/of/ada%40example.org' } }
    const ofB = { seq: 1, item: 0, traceId: TRACE, spanId: '0000000000000003' }
    const first = (body: string) => {
      const verdict = judge(body)
      return verdict.verdict === 'fail' ? verdict.findings[0] : verdict
    }

    it('names the span by op and name, in both lifecycles', () => {
      expect(first(transactionOf(CALLS, { attributes }))).toMatchObject({
        about: 'transaction item of envelope 1, http.client GET /of/b',
        at: ofB,
        path: 'spans.1.data.url.full',
      })
      expect(first(containerOf(CALLS, { attributes }))).toMatchObject({
        about: 'span item of envelope 1, http.client GET /of/b',
        at: ofB,
        path: 'items.1.attributes.url.full.value',
      })
    })

    it('names the transaction for other secrets, with their number', () => {
      const carts = { request: { data: [{ mail: 'ada@example.org' }, { mail: 'ada@example.org' }] } }
      expect(first(transactionOf(CALLS, { payload: carts }))).toMatchObject({
        about: 'transaction item of envelope 1, pageload /cart, the first of 2',
        at: { ...ofB, spanId: '0000000000000001' },
      })
    })

    it('scrubs and truncates the span name', () => {
      const name = `GET /of/ada@example.org/${'x'.repeat(80)}`
      const found = first(containerOf(CALLS.map((span) => (span.name === 'GET /of/b' ? { ...span, name } : span))))
      expect(found).toMatchObject({
        about: `span item of envelope 1, http.client GET /of/[Filtered]/${'x'.repeat(28)}…`,
        path: 'items.1.name',
      })
    })

    it('names the item for an unreadable span', () => {
      const items = [{ span_id: 'no id', attributes: { mail: { value: 'ada@example.org', type: 'string' } } }]
      expect(first(envelopeOf({}, [{ type: 'span' }, { version: 2, items }]))).toMatchObject({
        about: 'span item of envelope 1',
        path: 'items.0.attributes.mail.value',
      })
    })

    it('passes for addresses of called servers and loopback', () => {
      const peers = (address: string, op: string) =>
        first(containerOf(drawn(`${op} GET /a  ==`), { attributes: { 'GET /a': { 'network.peer.address': address } } }))
      expect(peers('104.16.30.34', 'http.client')).toEqual({ verdict: 'pass', judged: 1 })
      expect(peers('::1', 'http.server')).toEqual({ verdict: 'pass', judged: 1 })
      expect(peers('104.16.30.34', 'http.server')).toMatchObject({
        about: 'span item of envelope 1, http.server GET /a',
        path: 'items.0.attributes.network.peer.address.value',
        actual: expect.stringMatching(/^ip: /),
      })
    })
  })

  it('reports a path once for all events and list entries, with a count', () => {
    const cart = (mails: number) =>
      event({
        extra: {
          orders: Array.from({ length: mails }, () => ({ mail: 'ada@example.org' })),
          api_token: 'hunter2hunter2',
        },
      })
    const { verdict, all } = judgeLeaks(caseFrom(eventOf(), cart(3), cart(9)))
    expect(all).toBe(14)
    expect(verdict).toMatchObject({ verdict: 'fail', judged: 3, found: 2 })
    expect(verdict.verdict === 'fail' && verdict.findings.map(({ about, path }) => [about, path])).toEqual([
      ['event item of envelope 2, the first of 2', 'extra.api_token'],
      ['event item of envelope 2, the first of 12', 'extra.orders.0.mail'],
    ])
  })

  it('reports the gravest finding first', () => {
    const extra = {
      address: 'ada@example.org',
      login: { session_token: 'hunter2hunter2' },
      cookies: { session: 'abcdef0123' },
      key: `sk_live_${'a1'.repeat(12)}`,
      paid: 'by 4111 1111 1111 1111',
    }
    const verdict = judge(event({ user: { ip_address: '203.0.113.7' }, extra }))
    const rules = verdict.verdict === 'fail' ? verdict.findings.map(({ actual }) => actual.split(':')[0]) : []
    expect(rules).toEqual(['card', 'vendor_key', 'key', 'cookie', 'email', 'ip'])
  })

  it('keeps 10,000 findings and counts all', () => {
    const extra = Object.fromEntries(Array.from({ length: 10_060 }, (_, index) => [`token_${index}`, 'hunter2hunter2']))
    const verdict = judge(event({ extra }))
    expect(verdict).toMatchObject({ verdict: 'fail', found: 10_060 })
    expect(verdict.verdict === 'fail' && verdict.findings).toHaveLength(10_000)
  })

  it('passes for scrubbed values and for user folders in stacks', () => {
    expect(judge(event({ extra: { api_token: '[Filtered]', cwd: '/home/ada/shop', PWD: "'/home/ada'" } }))).toEqual({
      verdict: 'pass',
      judged: 1,
    })
  })

  it('checks copies', () => {
    expect(judge({ body: event({ message: 'ada@example.org' }), endpoint: 'stream' })).toMatchObject({
      verdict: 'fail',
      found: 1,
    })
  })

  it.each([
    ['not JSON', 'password=hunter2 ada@example.org 4111111111111111', ['card', 'parameter', 'email']],
    ['truncated JSON', '{"message": "a", "password":"hunter2hunter2', ['parameter']],
  ])('searches a payload that is %s', (_, payload, rules) => {
    const verdict = judge(eventOf(), `{}\n{"type":"event"}\n${payload}`)
    expect(verdict).toMatchObject({ verdict: 'fail', found: rules.length })
    const findings = verdict.verdict === 'fail' ? verdict.findings : []
    expect(findings.map(({ about, path, actual }) => [about, path, actual.split(':')[0]])).toEqual(
      rules.map((rule) => ['event item of envelope 2', '', rule]),
    )
    expect(JSON.stringify(verdict)).not.toMatch(/hunter2|ada@|4111/)
  })

  it('is incomplete for an invalid JSON payload without findings', () => {
    const why = 'The event item in envelope 2 is not valid JSON, so its fields cannot be checked.'
    for (const payload of ['nothing to see', '{"message": broken'])
      expect(judge(eventOf(), `{}\n{"type":"event"}\n${payload}`)).toEqual({ verdict: 'incomplete', why })
  })

  it('is incomplete without readable text', () => {
    expect(judge(envelopeOf({}, [{ type: 'attachment' }, { a: 1 }]))).toEqual({
      verdict: 'incomplete',
      why: 'No item with readable text was recorded.',
    })
  })
})

describe('the privacy rule for requests of OpenTelemetry', () => {
  const spans = [
    {
      ...SPAN,
      name: 'GET /cart',
      kind: 3,
      attributes: [textAttribute('http.request.header.authorization', 'hunter2hunter2')],
      status: { code: 2, message: 'no mail to ada@example.org' },
    },
    { ...SPAN, spanId: 'b'.repeat(16), attributes: [textAttribute('note', 'nothing')] },
  ]
  const sent = (signal: OtlpSignal, encoding: OtlpEncoding, request: object): Came => ({
    body: encodeRequest(signal, encoding, request),
    endpoint: `otlp_${signal}`,
    contentType: contentTypeOf(encoding),
  })

  it.each(['json', 'protobuf'] as const)(
    'reports rule, path and span of secrets in %s, never the value',
    (encoding) => {
      const verdict = judge(sent('traces', encoding, tracesRequest(...spans)))
      const place = 'resourceSpans.0.scopeSpans.0.spans.0'
      expect(verdict).toMatchObject(
        failing(
          1,
          {
            about: 'otlp_traces item of envelope 1, GET /cart',
            at: { traceId: SPAN.traceId, spanId: SPAN.spanId },
            path: `${place}.attributes.http.request.header.authorization`,
          },
          { path: `${place}.status.message`, actual: 'email: an e-mail address (***@example.org)' },
        ),
      )
      expect(JSON.stringify(verdict)).not.toMatch(/hunter2|ada@/)
    },
  )

  it('reports secrets in logs and metrics, and passes for requests without one', () => {
    const log = logsRequest({ body: { stringValue: 'Bearer abcdefghijklmnop' } })
    expect(judge(sent('logs', 'json', log))).toMatchObject({ verdict: 'fail', found: 1 })
    const metric = (key: string) =>
      metricsRequest({
        name: 'm',
        gauge: { dataPoints: [{ asInt: '1', attributes: [textAttribute(key, 'x7Kp2Qv9Lm4Td81z')] }] },
      })
    expect(judge(sent('metrics', 'protobuf', metric('api_key')))).toMatchObject({ verdict: 'fail' })
    expect(judge(sent('metrics', 'protobuf', metric('route')))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('does not read an item of an envelope as a request, even if its type is that of a request', () => {
    const body = envelopeOf({}, [{ type: 'otlp_traces', content_type: 'application/x-protobuf' }, { a: 'b' }])
    expect(judge(body)).toMatchObject({ verdict: 'incomplete' })
  })
})

describe('the threshold of the privacy rule', () => {
  const judged = (payload: Readonly<Record<string, unknown>>) => judge(event(payload))

  it.each([
    ['masks and placeholders', { password: '********', token: '<token>', api_key: '$API_KEY', secret: '[REDACTED]' }],
    ['ordinary words', { auth: 'anonymous', token_type: 'Bearer', password: 'required', credentials: 'same-origin' }],
    ['numbers and settings', { max_tokens: '4096', password_policy: 'min12-Upper1', session_token_ttl: '3600s' }],
    [
      'addresses of a private network',
      { headers: { 'X-Forwarded-For': '10.0.3.7' }, remote_addr: '192.168.1.20:5011' },
    ],
    [
      'names about a secret',
      {
        auth_domain: 'shop-1a2b.eu.auth0.example',
        nextPageToken: 'CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA',
        xsrfCookieName: 'XSRF-TOKEN-v2-shop',
        auth_user_id: 'auth0|5f7c8ec7c33c6c004bbafe82',
        auth_screen: 'google-oauth-consent-screen',
      },
    ],
    ['ids of sessions', { session_id: '8f14e45f-ceea-467f-a0e6-1f2b3c4d5e6f' }],
    ['mailboxes of a role', { from: 'no-reply@shop.example.com' }],
  ])('does not report %s', (_, extra) => {
    expect(judged({ extra })).toEqual({ verdict: 'pass', judged: 1 })
  })

  it.each([
    ['a nested field', { auth: { user: 'ada', password: 'Klapperstorch9' } }, 'extra.auth.password'],
    ['an element of a list', { tokens: ['none', 'x7Kp2Qv9Lm4Td81z'] }, 'extra.tokens.1'],
    ['a weak password', { password: 'letmein' }, 'extra.password'],
  ])('reports %s', (_, extra, path) => {
    expect(judged({ extra })).toMatchObject({ verdict: 'fail', found: 1, findings: [{ path }] })
  })

  it.each([
    ['a password in the query of a page', { request: { url: 'https://shop.test/login?password=Sommer2024!' } }],
    ['a password in a log line', { logentry: { formatted: 'connecting with password=hunter2 to db' } }],
    ['an address of a visitor', { user: { ip_address: '203.0.113.7' } }],
  ])('reports %s', (_, payload) => {
    expect(judged(payload)).toMatchObject({ verdict: 'fail', found: 1 })
  })

  it.each([
    [{ message: 'login with password=hunter2-hunter2' }, 'parameter', 'password=***'],
    [{ message: `paid with sk_live_${'a1'.repeat(12)}` }, 'vendor_key', 'sk_live_***'],
    [{ message: 'postgres://ada:hunter2-hunter2@db/shop' }, 'url_auth', '//***:***@'],
    [{ extra: { 'hunter2-hunter2@example.org': { token: 'x7Kp2Qv9Lm4Td81z' } } }, 'key', 'token=***'],
  ])('shows a masked excerpt of %j', (payload, rule, excerpt) => {
    const verdict = judged(payload)
    expect(verdict).toMatchObject({ verdict: 'fail', findings: [{ actual: expect.stringMatching(`^${rule}: `) }] })
    expect(verdict.verdict === 'fail' && verdict.findings[0]?.actual.endsWith(`(${excerpt})`)).toBe(true)
    expect(JSON.stringify(verdict)).not.toMatch(/hunter2|x7Kp2|a1a1/)
  })
})

describe('the allowlist of the privacy rule', () => {
  const judged = (harmless: Case['harmless'], payload: Readonly<Record<string, unknown>>) =>
    privacyRule.judge({ ...caseFrom(event(payload)), harmless: harmless ?? [] })
  const crumbs = { breadcrumbs: [{ message: 'a' }, { message: 'mail to ada@example.org' }] }

  it('allows by path, with * for an index or a name and ** for any number of them', () => {
    for (const path of ['breadcrumbs.*.message', 'breadcrumbs.**', '**.message', 'breadcrumbs.1.message'])
      expect(judged([{ path }], crumbs), path).toEqual({ verdict: 'pass', judged: 1 })
    for (const path of ['breadcrumbs.*', 'message', 'breadcrumbs.0.message', 'bread'])
      expect(judged([{ path }], crumbs), path).toMatchObject({ verdict: 'fail' })
  })

  it('allows by a pattern for the value, not for the text around it', () => {
    expect(judged([{ pattern: /^ada@/g }], crumbs)).toEqual({ verdict: 'pass', judged: 1 })
    expect(judged([{ pattern: /^mail to/ }], crumbs)).toMatchObject({ verdict: 'fail' })
  })

  it('allows a value only where path and pattern match', () => {
    expect(judged([{ path: 'breadcrumbs.**', pattern: /^bob@/ }], crumbs)).toMatchObject({ verdict: 'fail' })
  })

  it('reports another value of the same text', () => {
    const two = { message: 'from ada@example.org to bob@example.org' }
    expect(judged([{ pattern: /^ada@/ }], two)).toMatchObject({ verdict: 'fail', found: 1 })
    expect(judged([{ pattern: /^(?:ada|bob)@/ }], two)).toEqual({ verdict: 'pass', judged: 1 })
  })
})
