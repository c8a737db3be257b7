import { describe, expect, it } from 'vitest'
import { DEFAULT_PLAN } from '../../../../lib/verdict/expectations/check-plan'
import { evaluate } from '../../../../lib/verdict/expectations/evaluate'
import { conventionsRule } from '../../../../lib/verdict/rules/conventions'
import { type Came, caseFrom, containerOf, drawn, envelopeOf, eventOf, failingWith, TRACE } from './sample-evidence'
import { CHECKOUT, logsOf, metricOf, tracesOf } from './sample-otlp'

const judge = (...came: readonly Came[]) => conventionsRule.judge(caseFrom(...came))
const span = (attributes: Readonly<Record<string, unknown>>, resource = {}) =>
  tracesOf([{ spanId: '1', attributes }], { ...CHECKOUT, ...resource })

const GOOD = {
  'http.request.method': 'GET',
  'http.response.status_code': 200,
  'http.request.header.accept': ['text/html'],
  'shop.cart.size': 3,
  type: 1,
}

describe('the conventions rule', () => {
  it('passes for registered attributes with their types, and for names of the application', () => {
    expect(judge(span(GOOD))).toEqual({ verdict: 'pass', judged: 7 })
  })

  it.each([
    ['a deprecated name', { 'http.method': 'GET' }, 'deprecated, sent 1 time', 'http.request.method'],
    [
      'a deprecated name without replacement',
      { 'http.target': '/x' },
      'deprecated, sent 1 time',
      'no attribute: it has no replacement',
    ],
    ['text for an integer', { 'http.response.status_code': '200' }, 'string, sent 1 time', 'integer'],
    ['a fraction for an integer', { 'http.response.status_code': 200.5 }, 'double, sent 1 time', 'integer'],
    ['a number for text', { 'http.route': 7 }, 'integer, sent 1 time', 'string'],
    ['text for a list', { 'http.request.header.accept': 'text/html' }, 'string, sent 1 time', 'string[]'],
    ['numbers for a list of texts', { 'http.request.header.accept': [1] }, 'integer[], sent 1 time', 'string[]'],
    ['a resource attribute on a span', { 'service.version': '1' }, 'on a span, sent 1 time', 'on the resource'],
    ['a typing error', { 'http.request.methd': 'GET' }, 'not a registered name, sent 1 time', 'http.request.method'],
  ])('reports %s', (_, attributes, actual, expected) => {
    const [name = ''] = Object.keys(attributes)
    expect(judge(span(attributes))).toMatchObject(
      failingWith({
        about: `${name} of checkout`,
        path: `attributes.${name}`,
        actual,
        expected,
        at: { seq: 1, item: 0 },
      }),
    )
  })

  it('judges only the spelling of attributes on spans of an instrumentation', () => {
    const { body, ...rest } = tracesOf([{ spanId: '1', attributes: { 'http.method': 'GET' } }], CHECKOUT) as {
      body: string
    }
    const scoped = (name: string) => judge({ ...rest, body: body.replace('"scope":{}', `"scope":{"name":"${name}"}`) })
    expect(scoped('@opentelemetry/instrumentation-http').verdict).toBe('pass')
    expect(scoped('next.js').verdict).toBe('pass')
    expect(scoped('checkout').verdict).toBe('fail')
  })

  it('reports a span attribute on the resource', () => {
    expect(judge(span({}, { 'http.route': '/cart' }))).toMatchObject({
      findings: [{ path: 'resource.attributes.http.route', actual: 'on a resource, sent 1 time' }],
    })
  })

  it('reports a deprecated resource attribute with its replacement', () => {
    expect(judge(span({}, { 'deployment.environment': 'production' }))).toMatchObject({
      findings: [{ actual: 'deprecated, sent 1 time', expected: 'deployment.environment.name' }],
    })
  })

  it('reports each attribute once per service, with its count', () => {
    const both = tracesOf([
      { spanId: '1', attributes: { 'http.method': 'GET' } },
      { spanId: '2', attributes: { 'http.method': 'PUT' } },
    ])
    const other = tracesOf([{ spanId: '3', attributes: { 'http.method': 'GET' } }], { 'service.name': 'cart' })
    expect(judge(both, other)).toMatchObject(
      failingWith(
        { about: 'http.method of checkout', actual: 'deprecated, sent 2 times' },
        { about: 'http.method of cart', actual: 'deprecated, sent 1 time' },
      ),
    )
  })

  it.each([
    ['a log', logsOf({ 'http.method': 'GET' })],
    ['a metric', metricOf('shop.orders', { 'http.method': 'GET' })],
    [
      'an event of a span',
      tracesOf([
        { spanId: '1', events: [{ name: 'e', attributes: [{ key: 'http.method', value: { stringValue: 'GET' } }] }] },
      ]),
    ],
  ])('reads the attributes of %s', (_, came) => {
    expect(judge(came)).toMatchObject({ found: 1, findings: [{ about: 'http.method of checkout' }] })
  })

  describe('for spans of Sentry', () => {
    const PAGE = drawn(`
      pageload /cart       ======
        cart.total sum       ==
    `)
    const sent = (attributes: Readonly<Record<string, unknown>>) =>
      containerOf(PAGE, { attributes: { sum: attributes } })

    it('reports deprecated names, wrong types and typing errors', () => {
      expect(judge(sent({ 'http.method': 'GET', 'http.route': 7, 'http.request.methd': 'GET' }))).toMatchObject(
        failingWith(
          { about: 'http.method of browser', expected: 'http.request.method' },
          { about: 'http.route of browser', expected: 'string' },
          { about: 'http.request.methd of browser', expected: 'http.request.method' },
        ),
      )
    })

    it('judges only the spelling on spans that the SDK made by itself', () => {
      const own = { 'sentry.origin': 'auto.http.browser', 'http.method': 'GET', 'http.request.methd': 'GET' }
      expect(judge(sent(own))).toMatchObject({ found: 1, findings: [{ about: 'http.request.methd of browser' }] })
    })

    it('does not judge levels, because the format has no resource', () => {
      expect(judge(sent({ 'service.version': '1' }))).toMatchObject({ verdict: 'pass' })
    })

    it('reads the attributes of logs', () => {
      const log = {
        timestamp: 1,
        level: 'info',
        body: 'x',
        trace_id: TRACE,
        attributes: { 'http.method': { value: 'GET', type: 'string' } },
      }
      const header = { type: 'log', item_count: 1, content_type: 'application/vnd.sentry.items.log+json' }
      expect(judge(envelopeOf({}, [header, { items: [log] }]))).toMatchObject({ found: 1 })
    })
  })

  it('ignores copies', () => {
    const copy = containerOf(drawn('pageload /cart  =='), { attributes: { '/cart': { 'http.method': 'GET' } } })
    expect(judge({ body: copy, endpoint: 'stream' })).toMatchObject({ verdict: 'incomplete' })
  })

  it('is incomplete without attributes', () => {
    const why = 'No span, log or metric with attributes was recorded.'
    expect(judge(eventOf())).toEqual({ verdict: 'incomplete', why })
  })

  it('warns by default and fails with rules: { conventions: "error" }', () => {
    const given = caseFrom(span({ 'http.method': 'GET' }))
    const options = { losses: null, gaps: [], now: 0, rules: [conventionsRule] }
    expect(evaluate(given, options).verdict).not.toBe('fail')
    const plan = { ...DEFAULT_PLAN, rules: { conventions: 'error' } } as const
    expect(evaluate(given, { ...options, plan }).verdict).toBe('fail')
  })
})
