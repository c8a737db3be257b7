import { describe, expect, it } from 'vitest'
import { environmentRule } from '../../../../lib/verdict/rules/environment'
import { missingReleaseRule } from '../../../../lib/verdict/rules/missing-release'
import { nPlusOneRule } from '../../../../lib/verdict/rules/n-plus-one'
import { orphansRule } from '../../../../lib/verdict/rules/orphans'
import { spanRecorderRule } from '../../../../lib/verdict/rules/span-recorder'
import { encodeRequest, RESOURCE, textAttribute } from '../../otlp/requests'
import { BEGIN_S, type Came, caseFrom, TRACE } from './sample-evidence'

const idOf = (number: number): string => number.toString(16).padStart(16, '0')
const nanos = (ms: number): string => String(BigInt(BEGIN_S * 1000 + ms) * 1_000_000n)

/** A span that lasts from one ms to another after the start; without a parent a server span. */
const span = (
  id: number,
  name: string,
  from: number,
  until: number,
  parent: number | null = 1,
  further: object = {},
) => ({
  traceId: TRACE,
  spanId: idOf(id),
  ...(parent !== null && { parentSpanId: idOf(parent) }),
  name,
  kind: parent === null ? 2 : 1,
  flags: 0x101,
  startTimeUnixNano: nanos(from),
  endTimeUnixNano: nanos(until),
  ...further,
})

const request = (spans: readonly object[], attributes: readonly object[] = RESOURCE.attributes): Came => ({
  endpoint: 'otlp_traces',
  contentType: 'application/x-protobuf',
  body: encodeRequest('traces', 'protobuf', { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] }),
})

describe('rules about spans judge spans of OpenTelemetry', () => {
  it('n-plus-one finds equal calls that run one after the other', () => {
    //  GET /orders  ====================
    //    SELECT     == == == == == ==
    const calls = Array.from({ length: 6 }, (_, at) => span(10 + at, 'SELECT item', 50 * at, 50 * at + 40))
    const verdict = nPlusOneRule.judge(caseFrom(request([span(1, 'GET /orders', 0, 400, null), ...calls])))
    expect(verdict).toMatchObject({ verdict: 'fail', found: 1 })
  })

  it('orphans finds a span whose parent never arrived, and passes when another request brings it', () => {
    const [root, child, grandchild] = [span(1, 'GET /', 0, 9, null), span(2, 'render', 1, 8), span(3, 'query', 2, 3, 2)]
    expect(orphansRule.judge(caseFrom(request([child, grandchild]), request([root])))).toEqual({
      verdict: 'pass',
      judged: 3,
    })
    expect(orphansRule.judge(caseFrom(request([grandchild]), request([root])))).toMatchObject({
      verdict: 'incomplete',
      why: expect.stringContaining('query'),
    })
  })

  it('environment and missing-release name the attribute of the resource', () => {
    const given = caseFrom(request([span(1, 'GET /', 0, 9, null)], [textAttribute('service.name', 'checkout')]))
    expect(environmentRule.judge(given)).toMatchObject({
      verdict: 'fail',
      findings: [{ path: 'resource.attributes.deployment.environment.name' }],
    })
    expect(missingReleaseRule.judge(given)).toMatchObject({
      verdict: 'fail',
      findings: [{ path: 'resource.attributes.service.version' }],
    })
  })

  it('span-recorder counts the spans of a browser per trace, over several requests', () => {
    const attributes = [textAttribute('service.name', 'browser'), textAttribute('telemetry.sdk.language', 'webjs')]
    const spans = Array.from({ length: 1001 }, (_, at) => span(at + 1, 'loop', 0, 1, 5000))
    const parts = [request(spans.slice(0, 600), attributes), request(spans.slice(600), attributes)]
    expect(spanRecorderRule.judge(caseFrom(...parts))).toMatchObject({
      verdict: 'fail',
      findings: [{ about: 'OpenTelemetry spans of one trace', actual: '1001 spans', expected: 'at most 1000' }],
    })
    const repeated = caseFrom(request(spans.slice(0, 1000), attributes), request(spans.slice(0, 600), attributes))
    expect(spanRecorderRule.judge(repeated)).toEqual({ verdict: 'pass', judged: 1 })
  })
})
