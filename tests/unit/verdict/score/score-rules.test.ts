import { describe, expect, it } from 'vitest'
import type { Case } from '../../../../lib/verdict/rules/rule'
import { instrumentationScore, SCORE_RULES } from '../../../../lib/verdict/score/score'
import { type Came, containerOf, drawn, eventOf, evidenceOf } from '../rules/sample-evidence'
import { BEGIN_MS, CHECKOUT, logsOf, metricsOf, type SampleSpan, tracesOf } from '../rules/sample-otlp'

/** The verdict of a rule on the first service. */
function judge(id: string, came: readonly Came[], missing: Case['missing'] = []) {
  const [first] = instrumentationScore({ evidence: evidenceOf(...came), missing })
  return first?.rules.find((rule) => rule.id === id)?.verdict
}

const one = (resource: Readonly<Record<string, unknown>>): Came =>
  tracesOf([{ spanId: '1' }], { ...CHECKOUT, ...resource })
const spans = (count: number, of: Partial<SampleSpan>): Came =>
  tracesOf(Array.from({ length: count }, (_, index) => ({ spanId: `${index + 1}`, ...of })))
const DAY_MS = 86_400_000
const production = { ...CHECKOUT, 'deployment.environment.name': 'production' }
const sentry = (picture: string) => containerOf(drawn(picture))

interface Sample {
  readonly name: string
  readonly came: readonly Came[]
}

/** For each rule, telemetry that passes, that fails with a finding, and that cannot be judged with the reason. */
const RULES: Readonly<
  Record<
    string,
    {
      readonly pass: readonly Sample[]
      readonly fail: readonly (Sample & { readonly actual: string })[]
      readonly open: readonly (Sample & { readonly why: string })[]
    }
  >
> = {
  'RES-001': {
    pass: [{ name: 'an instance id', came: [one({ 'service.instance.id': 'i-1' })] }],
    fail: [
      { name: 'no instance id', came: [one({})], actual: 'nothing' },
      { name: 'an empty instance id', came: [one({ 'service.instance.id': ' ' })], actual: 'nothing' },
      { name: 'a segment of Sentry without an instance id', came: [sentry('pageload /cart  ==')], actual: 'nothing' },
    ],
    open: [{ name: 'errors only', came: [eventOf()], why: 'No resource and no segment was recorded.' }],
  },
  'RES-002': {
    pass: [
      {
        name: 'two programs with an id each',
        came: [
          one({ 'service.instance.id': 'i-1', 'process.pid': 1 }),
          one({ 'service.instance.id': 'i-2', 'process.pid': 2 }),
        ],
      },
      {
        name: 'a program that restarted with its id',
        came: [
          one({ 'service.instance.id': 'i-1', 'process.pid': 1 }),
          tracesOf([{ spanId: '2', atMs: 5000 }], { ...CHECKOUT, 'service.instance.id': 'i-1', 'process.pid': 2 }),
        ],
      },
    ],
    fail: [
      {
        name: 'two programs with one id at once',
        came: [
          one({ 'service.instance.id': 'i-1', 'host.name': 'a', 'process.pid': 1 }),
          one({ 'service.instance.id': 'i-1', 'host.name': 'b', 'process.pid': 1 }),
        ],
        actual: 'two programs at once: host.name a, process.pid 1 and host.name b, process.pid 1',
      },
    ],
    open: [
      {
        name: 'programs without an identity',
        came: [one({ 'service.instance.id': 'i-1' })],
        why: 'No resource with service.instance.id has one of host.id, host.name, container.id, k8s.pod.uid, process.pid, so programs cannot be distinguished.',
      },
    ],
  },
  'RES-003': {
    pass: [{ name: 'a pod with its uid', came: [one({ 'k8s.pod.name': 'p', 'k8s.pod.uid': 'u' })] }],
    fail: [{ name: 'a pod without its uid', came: [one({ 'k8s.pod.name': 'p' })], actual: 'nothing' }],
    open: [{ name: 'no pod', came: [one({})], why: 'No resource describes a Kubernetes pod.' }],
  },
  'RES-004': {
    pass: [{ name: 'attributes at their level', came: [one({ 'host.name': 'a' })] }],
    fail: [
      { name: 'a span attribute on the resource', came: [one({ 'http.route': '/' })], actual: 'on a resource' },
      {
        name: 'a resource attribute on a span',
        came: [tracesOf([{ spanId: '1', attributes: { 'host.name': 'a' } }])],
        actual: 'on a span',
      },
      {
        name: 'a resource attribute on a log',
        came: [logsOf([{ attributes: { 'service.version': '1' } }])],
        actual: 'on a log',
      },
    ],
    open: [
      {
        name: 'Sentry',
        came: [sentry('pageload /cart  ==')],
        why: 'Telemetry of Sentry has attributes at one level only.',
      },
    ],
  },
  'RES-005': {
    pass: [
      { name: 'a service name', came: [one({})] },
      { name: 'an SDK of Sentry with a project', came: [sentry('pageload /cart  ==')] },
    ],
    fail: [{ name: 'no service name', came: [tracesOf([{ spanId: '1' }], { 'host.name': 'a' })], actual: 'nothing' }],
    open: [{ name: 'errors only', came: [eventOf()], why: 'No resource and no segment was recorded.' }],
  },
  'SPA-001': {
    pass: [{ name: '10 INTERNAL spans', came: [spans(10, { kind: 1 })] }],
    fail: [
      { name: '11 INTERNAL spans in a trace', came: [spans(11, { kind: 1 })], actual: '11 INTERNAL spans' },
      {
        name: '11 spans of Sentry with operations of the application',
        came: [
          sentry(`http.server /cart  ====\n${Array.from({ length: 11 }, (_, at) => `  work w${at}  =`).join('\n')}`),
        ],
        actual: '11 INTERNAL spans',
      },
    ],
    open: [{ name: 'no spans', came: [logsOf([{}])], why: 'No span was recorded.' }],
  },
  'SPA-002': {
    pass: [
      {
        name: 'a parent in another request',
        came: [tracesOf([{ spanId: '2', parentSpanId: '1' }]), tracesOf([{ spanId: '1' }])],
      },
    ],
    fail: [
      {
        name: 'a parent that was not recorded',
        came: [tracesOf([{ spanId: '2', parentSpanId: '9' }])],
        actual: 'parent 0000000000000009 was not recorded',
      },
    ],
    open: [{ name: 'no spans', came: [logsOf([{}])], why: 'No span was recorded.' }],
  },
  'SPA-003': {
    pass: [],
    fail: [],
    open: [{ name: 'any telemetry', came: [one({})], why: 'The specification names no limit.' }],
  },
  'SPA-004': {
    pass: [
      { name: 'a SERVER root', came: [one({})] },
      {
        name: 'a CLIENT span with a parent',
        came: [tracesOf([{ spanId: '1' }, { spanId: '2', parentSpanId: '1', kind: 3 }])],
      },
      { name: 'a page load of Sentry', came: [sentry('pageload /cart  ==')] },
    ],
    fail: [
      { name: 'a CLIENT root', came: [spans(1, { kind: 3 })], actual: 'a root span of kind CLIENT' },
      {
        name: 'a root of Sentry that calls',
        came: [sentry('http.client GET  ==')],
        actual: 'a root span of kind CLIENT',
      },
    ],
    open: [
      { name: 'no root', came: [spans(1, { parentSpanId: '9' })], why: 'No root span was recorded.' },
      { name: 'no spans', came: [logsOf([{}])], why: 'No span was recorded.' },
    ],
  },
  'SPA-005': {
    pass: [
      { name: '20 short spans', came: [spans(20, { tookMs: 4 })] },
      { name: '21 spans of 5 ms', came: [spans(21, { tookMs: 5 })] },
    ],
    fail: [{ name: '21 short spans', came: [spans(21, { tookMs: 4 })], actual: '21 spans shorter than 5 ms' }],
    open: [{ name: 'no spans', came: [logsOf([{}])], why: 'No span was recorded.' }],
  },
  'MET-001': {
    pass: [{ name: '9,999 values', came: [metricsOf([{ name: 'm', points: valuesOf(9999) }])] }],
    fail: [
      {
        name: '10,000 values',
        came: [metricsOf([{ name: 'm', points: valuesOf(10_000) }])],
        actual: '10,000 values or more in an hour',
      },
    ],
    open: [{ name: 'no metrics', came: [one({})], why: 'No metric was recorded.' }],
  },
  'MET-002': {
    pass: ['s', 'ms', 'By', 'KiBy/s', '1', '%', '{request}', 'By/{request}', 'm2', 'Cel', 'millisecond', 'byte'].map(
      (unit) => ({
        name: `the unit ${unit}`,
        came: [metricsOf([{ name: 'm', unit }])],
      }),
    ),
    fail: [
      { name: 'no unit', came: [metricsOf([{ name: 'm' }])], actual: 'no unit' },
      ...['seconds', 'requests', 'sec', '{', 'By/'].map((unit) => ({
        name: `the unit ${unit}`,
        came: [metricsOf([{ name: 'm', unit }])],
        actual: JSON.stringify(unit),
      })),
    ],
    open: [{ name: 'no metrics', came: [one({})], why: 'No metric was recorded.' }],
  },
  'MET-003': {
    pass: [
      {
        name: 'one unit',
        came: [
          metricsOf([
            { name: 'm', unit: 's' },
            { name: 'n', unit: 'ms' },
            { name: 'm', unit: 's' },
          ]),
        ],
      },
    ],
    fail: [
      {
        name: 'two units',
        came: [
          metricsOf([
            { name: 'm', unit: 's' },
            { name: 'm', unit: 'ms' },
          ]),
        ],
        actual: 's and ms',
      },
    ],
    open: [{ name: 'no metrics', came: [one({})], why: 'No metric was recorded.' }],
  },
  'MET-004': {
    pass: [
      {
        name: 'one set',
        came: [
          metricsOf([
            { name: 'm', bounds: [1, 2] },
            { name: 'm', bounds: [1, 2] },
          ]),
        ],
      },
    ],
    fail: [
      {
        name: 'two sets',
        came: [
          metricsOf([
            { name: 'm', bounds: [1, 2] },
            { name: 'm', bounds: [1, 5] },
          ]),
        ],
        actual: '[1, 2] and [1, 5]',
      },
    ],
    open: [
      {
        name: 'no histogram',
        came: [metricsOf([{ name: 'm' }])],
        why: 'No histogram with explicit buckets was recorded.',
      },
      { name: 'no metrics', came: [one({})], why: 'No metric was recorded.' },
    ],
  },
  'MET-005': {
    pass: ['http.server.request.duration', 'disk.bytes.errors', 'jobs'].map((name) => ({
      name,
      came: [metricsOf([{ name }])],
    })),
    fail: ['jobs.seconds', 'queue_bytes', 'latency-ms'].map((name) => ({
      name,
      came: [metricsOf([{ name }])],
      actual: `the name ends with ${name.split(/[._-]/).at(-1)}`,
    })),
    open: [{ name: 'no metrics', came: [one({})], why: 'No metric was recorded.' }],
  },
  'MET-006': {
    pass: [{ name: 'a name of its own', came: [metricsOf([{ name: 'http.server.request.duration' }])] }],
    fail: [
      {
        name: 'the name of an attribute',
        came: [metricsOf([{ name: 'http.request.method' }])],
        actual: 'an attribute key of the semantic conventions',
      },
    ],
    open: [{ name: 'no metrics', came: [one({})], why: 'No metric was recorded.' }],
  },
  'LOG-001': {
    pass: [{ name: 'no DEBUG in production', came: [logsOf([{ severity: 9 }], production)] }],
    fail: [
      {
        name: 'DEBUG for 15 days',
        came: [logsOf([{ severity: 5 }, { severity: 5, atMs: 15 * DAY_MS }], production)],
        actual: '2 DEBUG logs within 15 days',
      },
    ],
    open: [
      {
        name: 'DEBUG for a day',
        came: [logsOf([{ severity: 5 }, { severity: 5, atMs: DAY_MS }], production)],
        why: 'DEBUG logs were recorded in production, but for no more than 14 days.',
      },
      {
        name: 'another environment',
        came: [logsOf([{ severity: 5 }])],
        why: 'No log of an environment named production was recorded.',
      },
      { name: 'no logs', came: [one({})], why: 'No log was recorded.' },
    ],
  },
  'LOG-002': {
    pass: [{ name: 'a severity', came: [logsOf([{ severity: 9 }])] }],
    fail: [{ name: 'no severity', came: [logsOf([{ severity: 9 }, {}])], actual: 'no severity' }],
    open: [{ name: 'no logs', came: [one({})], why: 'No log was recorded.' }],
  },
  'SDK-001': {
    pass: [],
    fail: [],
    open: [
      {
        name: 'any telemetry',
        came: [one({})],
        why: 'A recording does not contain the versions that each SDK supports.',
      },
    ],
  },
}

function valuesOf(count: number): readonly Readonly<Record<string, unknown>>[] {
  return Array.from({ length: count }, (_, user) => ({ user, region: 'eu' }))
}

describe('the rules of the Instrumentation Score', () => {
  it('all have samples', () => {
    expect(Object.keys(RULES)).toEqual(SCORE_RULES.map(({ id }) => id))
  })

  const samples = Object.entries(RULES)
  it.each(samples.flatMap(([id, { pass }]) => pass.map(({ name, came }) => [id, name, came] as const)))(
    '%s passes for %s',
    (id, _, came) => {
      expect(judge(id, came)).toMatchObject({ verdict: 'pass' })
    },
  )

  it.each(samples.flatMap(([id, { fail }]) => fail.map(({ name, came, actual }) => [id, name, actual, came] as const)))(
    '%s fails for %s: %s',
    (id, _, actual, came) => {
      expect(judge(id, came)).toMatchObject({
        verdict: 'fail',
        found: 1,
        findings: [{ actual, at: { seq: expect.any(Number), item: 0 } }],
      })
    },
  )

  it.each(samples.flatMap(([id, { open }]) => open.map(({ name, came, why }) => [id, name, why, came] as const)))(
    '%s is not judged for %s: %s',
    (id, _, why, came) => {
      expect(judge(id, came)).toEqual({ verdict: 'incomplete', why })
    },
  )

  it('SPA-002 leaves out traces that may lack spans', () => {
    const orphan = { ...(tracesOf([{ spanId: '2', parentSpanId: '9' }]) as object), receivedAt: BEGIN_MS } as Came
    expect(judge('SPA-002', [orphan], [{ from: BEGIN_MS - 1000, until: BEGIN_MS + 1000 }])).toEqual({
      verdict: 'incomplete',
      why: 'Parts of each trace may be missing in this record.',
    })
  })

  it('MET-001 counts each hour on its own', () => {
    const early = metricsOf([{ name: 'm', points: valuesOf(6000) }])
    const late = metricsOf([{ name: 'm', atMs: 7_200_000, points: valuesOf(12_000).slice(6000) }])
    expect(judge('MET-001', [early, late])).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('SPA-001 takes the kind of Sentry’s spans from sentry.kind before the operation', () => {
    const lines = Array.from({ length: 11 }, (_, at) => `  work w${at}  =`).join('\n')
    const attributes = Object.fromEntries(
      Array.from({ length: 11 }, (_, at) => [`w${at}`, { 'sentry.kind': 'CLIENT' }]),
    )
    const came = containerOf(drawn(`http.server /cart  ====\n${lines}`), { attributes })
    expect(judge('SPA-001', [came])).toEqual({ verdict: 'pass', judged: 1 })
  })
})
