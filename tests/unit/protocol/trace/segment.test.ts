import { describe, expect, it } from 'vitest'
import { parseSpanContainer } from '../../../../lib/protocol/items/span'
import { fromBrowser, segmentsFromSpanItems, serviceOf } from '../../../../lib/protocol/trace/segment'
import { buildSpanTree } from '../../../../lib/protocol/trace/span-tree'
import { valueIn } from '../../value-in'
import { capturedPayload } from '../captured'
import { draw, outline } from './drawing'

const traceId = 'a'.repeat(32)
const id = (letter: string): string => letter.padStart(16, '0')
const typed = (value: unknown) => ({ value, type: typeof value })
const browser = { 'user_agent.original': typed('Mozilla/5.0') }

interface Wire {
  readonly [key: string]: unknown
  readonly attributes?: Readonly<Record<string, unknown>>
}

function read(items: readonly Wire[]) {
  const parsed = valueIn(parseSpanContainer(Buffer.from(JSON.stringify({ version: 2, items }))))
  return segmentsFromSpanItems(parsed.spans)
}

const span = (more: Wire): Wire => ({
  trace_id: traceId,
  span_id: id('a'),
  name: 'GET 127.0.0.1',
  start_timestamp: 1,
  end_timestamp: 2,
  is_segment: false,
  status: 'ok',
  ...more,
})

/** Builds a streamed container from a drawing; `own` is the segment, at any position. */
function containerOf(drawing: string, own: string): readonly Wire[] {
  return draw(drawing).map((one) =>
    span({
      span_id: id(one.spanId),
      ...(one.parentSpanId !== null && { parent_span_id: id(one.parentSpanId) }),
      name: one.spanId,
      start_timestamp: one.startUs / 1e6,
      end_timestamp: one.endUs / 1e6,
      is_segment: one.spanId === own,
      attributes: { 'sentry.segment.id': typed(id(own)) },
    }),
  )
}

describe('the segment of a streamed container', () => {
  it('is found after its children, which arrive first', () => {
    const { segments, spans } = read(
      containerOf(
        `
        c < b      |-|
        b < a     |---|
        a       |--------|
        `,
        'a',
      ),
    )
    expect(segments.map((segment) => [segment.segmentId, segment.lifecycle])).toEqual([[id('a'), 'stream']])
    expect(spans.map((one) => one.segmentId)).toEqual([id('a'), id('a'), id('a')])
    const short = spans.map((one) => ({ ...one, spanId: one.name, parentSpanId: one.parentSpanId?.slice(-1) ?? null }))
    expect(outline(buildSpanTree(short).roots)).toBe('a\n  b\n    c\n')
  })

  it('may be missing: late children name a segment of an earlier container', () => {
    const { segments, spans } = read(containerOf('b < a  |--|', 'a'))
    expect(segments).toEqual([])
    expect(spans[0]).toMatchObject({ segmentId: id('a'), parentSpanId: id('a'), isSegment: false })
  })

  it('may be one of several: containers are split by size, not by segment', () => {
    const { segments } = read([span({ is_segment: true }), span({ span_id: id('b'), is_segment: true })])
    expect(segments.map((segment) => segment.segmentId)).toEqual([id('a'), id('b')])
  })

  it('takes environment, release and SDK from its attributes', () => {
    const attributes = {
      'sentry.environment': typed('production'),
      'sentry.release': typed('app@1'),
      'sentry.sdk.name': typed('sentry.javascript.nextjs'),
      'sentry.op': typed('pageload'),
      'sentry.origin': typed('auto.pageload'),
    }
    const { segments, spans } = read([span({ is_segment: true, attributes })])
    expect(segments[0]).toMatchObject({ environment: 'production', release: 'app@1', sdk: 'sentry.javascript.nextjs' })
    expect(spans[0]).toMatchObject({ op: 'pageload', origin: 'auto.pageload' })
  })

  it.each([
    ['a generic name is named by its path', { name: 'Pageload', is_segment: true }, '/docs/9'],
    ['the other generic name is named by its path', { name: 'Navigation', is_segment: true }, '/docs/9'],
    ['no name is named by its path', { name: undefined, is_segment: true }, '/docs/9'],
    ['its own name keeps it', { name: 'GET /docs/[id]', is_segment: true }, 'GET /docs/[id]'],
    ['a generic name that is no segment keeps it', { name: 'Pageload' }, 'Pageload'],
  ])('with %s', (_name, more, expected) => {
    expect(read([span({ ...more, attributes: { 'url.path': typed('/docs/9') } })]).spans[0]?.name).toBe(expected)
  })

  it('takes environment and release of a web vital from names without prefix', () => {
    const attributes = { release: typed('r@1'), environment: typed('feas') }
    expect(read([span({ is_segment: true, attributes })]).segments).toMatchObject([
      { environment: 'feas', release: 'r@1' },
    ])
  })

  it('has no negative duration', () => {
    const { segments, spans } = read([span({ is_segment: true, start_timestamp: 5, end_timestamp: 4 })])
    expect([segments[0]?.endUs, spans[0]?.endUs]).toEqual([5_000_000, 5_000_000])
  })

  it('has links of typed attributes', () => {
    const link = {
      trace_id: 'b'.repeat(32),
      span_id: id('b'),
      attributes: { 'sentry.link.type': typed('previous_trace') },
    }
    const { segments, spans } = read([span({ is_segment: true, links: [link, { trace_id: 'x' }] })])
    expect(spans[0]?.links).toEqual([{ traceId: 'b'.repeat(32), spanId: id('b'), type: 'previous_trace' }])
    expect(segments[0]?.previousTrace).toBe('b'.repeat(32))
  })
})

describe('the service of a streamed container', () => {
  const nextjs = { 'sentry.sdk.name': typed('sentry.javascript.nextjs') }

  it.each([
    ['of a browser SDK', [{ ...nextjs, ...browser }], ['browser']],
    ['of a server SDK', [nextjs], ['server']],
    ['of a server that calls out', [nextjs, { ...nextjs, 'user_agent.original': typed('node') }], ['server', 'server']],
    [
      "of a server that keeps a visitor's user agent on its request",
      [nextjs, { ...nextjs, ...browser }],
      ['server', 'server'],
    ],
    ['of the edge runtime', [{ ...nextjs, 'process.runtime.name': typed('vercel-edge') }], ['edge']],
    ['of another language', [{ 'sentry.sdk.name': typed('sentry.python.django') }], ['python']],
    ['without any fields', [{}], ['unknown']],
  ])('%s', (_name, attributes, services) => {
    const items = attributes.map((one, index) => span({ span_id: id(String(index)), attributes: one }))
    expect(read(items).spans.map((one) => one.service)).toEqual(services)
  })

  it.each([
    ['envelopes/browser-11.8-navigation-spans', 'browser', 6],
    ['envelopes/browser-11.8-late-spans', 'browser', 2],
    ['envelopes/server-11.8-page-spans', 'server', 4],
    ['envelopes/server-11.8-outgoing-call-spans', 'server', 6],
  ])('of the captured %s is the %s on each span', (name, service, count) => {
    const parsed = valueIn(parseSpanContainer(capturedPayload(name, 'span')))
    expect(parsed.unreadable).toBe(0)
    expect(segmentsFromSpanItems(parsed.spans).spans.map((one) => one.service)).toEqual(
      Array.from({ length: count }, () => service),
    )
  })
})

describe('a captured container', () => {
  const segmentsOf = (name: string) => {
    const parsed = valueIn(parseSpanContainer(capturedPayload(name, 'span')))
    return segmentsFromSpanItems(parsed.spans)
  }

  it('the container of a navigation is one tree under its segment', () => {
    const { segments, spans } = segmentsOf('envelopes/browser-11.8-navigation-spans')
    expect(segments).toMatchObject([{ name: '/other', op: 'navigation' }])
    const { roots } = buildSpanTree(spans)
    expect(roots.find((root) => root.span.isSegment)?.children.length).toBeGreaterThan(0)
  })

  it("of a server's page is one tree under its request", () => {
    const { segments, spans } = segmentsOf('envelopes/server-11.8-page-spans')
    expect(segments).toMatchObject([{ name: 'GET /', op: 'http.server' }])
    expect(buildSpanTree(spans).roots).toHaveLength(1)
  })

  it('the container of late spans has no segment and names an earlier one', () => {
    const { segments, spans } = segmentsOf('envelopes/browser-11.8-late-spans')
    expect(segments).toEqual([])
    expect(new Set(spans.map((one) => one.segmentId)).size).toBe(1)
    expect(spans[0]?.segmentId).toMatch(/^[0-9a-f]{16}$/)
  })
})

it.each([
  ['a platform of node', { platform: 'node', sdk: 'sentry.javascript.nextjs' }, 'server'],
  ['a platform of javascript', { platform: 'javascript', sdk: 'sentry.javascript.nextjs' }, 'browser'],
  ['the edge runtime before the platform', { platform: 'javascript', runtime: 'vercel-edge' }, 'edge'],
  ['the runtime edge', { runtime: 'edge' }, 'edge'],
  ['another platform, by its name', { platform: 'python' }, 'python'],
  ['an SDK without a platform, by its family', { sdk: 'sentry.go' }, 'go'],
  ['an SDK of JavaScript without a platform', { sdk: 'sentry.javascript.node' }, 'server'],
  ['an SDK of JavaScript in a browser', { sdk: 'sentry.javascript.react', inBrowser: true }, 'browser'],
  [
    'an SDK of servers, whose span names the browser of a visitor',
    { sdk: 'sentry.javascript.node', inBrowser: true },
    'server',
  ],
  ['an SDK of browsers without a user agent', { sdk: 'sentry.javascript.vue' }, 'browser'],
  ['an empty platform, by its SDK', { platform: '', sdk: 'sentry.php' }, 'php'],
  ['nothing', {}, 'unknown'],
  ['an unknown SDK', { sdk: 'custom' }, 'unknown'],
])('serviceOf uses %s', (_name, sender, service) => {
  expect(serviceOf(sender)).toBe(service)
})

describe('a container comes from a browser', () => {
  const agent = (value: unknown) => ({ attributes: { 'user_agent.original': value } })

  it.each([
    ['every span has the user agent of a browser', [agent('Mozilla/5.0 (X11)'), agent('Mozilla/5.0 (X11)')], true],
    ['one span has none', [agent('Mozilla/5.0'), { attributes: {} }], false],
    ['the user agent is a program', [agent('node')], false],
    ['the user agent is a program that names browsers', [agent('curl (like Mozilla/5.0)')], false],
    ['the user agent is no text', [agent(7)], false],
  ])('when %s: %s', (_name, spans, expected) => {
    expect(fromBrowser(spans)).toBe(expected)
  })
})
