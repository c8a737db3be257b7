import { describe, expect, it } from 'vitest'
import {
  differenceLines,
  explainMissing,
  explainWait,
  findingLines,
} from '../../../../lib/verdict/expectations/explain'
import { findSpan } from '../../../../lib/verdict/expectations/find-span'
import { traceOf } from '../../../../lib/verdict/expectations/trace'
import { boardLink, NO_BOARDS, positionText } from '../../../../lib/verdict/verdict'
import { errorEnvelope } from '../../../flow/envelopes'
import { recordedCase } from '../../kit/recorded-case'
import {
  clientReportOf,
  containerOf,
  drawn,
  envelopeOf,
  eventOf,
  evidenceOf,
  TRACE,
  transactionOf,
} from '../rules/sample-evidence'

const BOARDS = { appUrl: 'http://localhost:3000/' }

const PAGE = transactionOf(
  drawn(`
  pageload /chekout            ============
    http.client GET /api/cart     ===
    http.client GET /api/user     ==
`),
)

it('findingLines lists up to ten findings and counts the rest', () => {
  const at = { seq: 3, item: 0, eventId: 'e'.repeat(32) }
  const findings = Array.from({ length: 12 }, (_, index) => ({
    about: `error ${index}`,
    at: index === 0 ? at : null,
    path: index === 0 ? 'message' : '',
    actual: 'x',
    expected: 'none',
  }))
  const lines = findingLines(findings, 30, BOARDS)
  expect(lines.slice(0, 5)).toEqual([
    'error 0 (envelope 3, item 0)',
    '  message: expected none, got x',
    `  http://localhost:3000/events/${'e'.repeat(32)}`,
    'error 1',
    '  expected none, got x',
  ])
  expect(lines).toHaveLength(1 + 2 * 10 + 1)
  expect(lines.at(-1)).toBe('and 20 more')
  expect(findingLines(findings.slice(0, 2), 2, NO_BOARDS)).toHaveLength(4)
})

describe('an item that was not found', () => {
  it('is explained with the nearest miss, what else arrived, and a link', () => {
    const evidence = evidenceOf(PAGE, eventOf(), clientReportOf(['sample_rate', 'transaction', 3]))
    const criteria = { name: '/checkout', op: 'pageload' }
    expect(explainMissing({ kind: 'transaction', criteria, evidence, waitedMs: 10_000 }, BOARDS)).toBe(
      `no transaction with name "/checkout" and op "pageload" arrived within 10 s

nearest: pageload /chekout (envelope 1, item 0)
  name  expected "/checkout", got "/chekout"
  http://localhost:3000/traces/${TRACE}?span=0000000000000001

what arrived:
  1 transaction: pageload /chekout
  3 spans: pageload /chekout, http.client GET /api/cart, http.client GET /api/user
  1 error: Error: boom
  1 client report: 3 sample_rate transaction`,
    )
  })

  it('lists more names of its own kind, and links the event of a breadcrumb', () => {
    const breadcrumbs = Array.from({ length: 10 }, (_, index) => ({ category: 'fetch', message: `GET /${index}` }))
    const evidence = evidenceOf(PAGE, eventOf({ breadcrumbs }))
    const missing = { kind: 'breadcrumb' as const, criteria: { category: 'ui.click' }, evidence, waitedMs: null }
    expect(explainMissing(missing, BOARDS)).toBe(
      `no breadcrumb with category "ui.click" arrived

nearest: fetch GET /9 (envelope 2, item 0)
  category  expected "ui.click", got "fetch"
  http://localhost:3000/events/${'e'.repeat(32)}

what arrived:
  10 breadcrumbs: fetch GET /0, fetch GET /1, fetch GET /2, fetch GET /3, fetch GET /4, fetch GET /5, fetch GET /6, fetch GET /7 and 2 more
  1 transaction: pageload /chekout
  3 spans: pageload /chekout, http.client GET /api/cart, http.client GET /api/user
  1 error: Error: boom`,
    )
  })

  it('is explained briefly if nothing arrived', () => {
    const nothing = { kind: 'error' as const, criteria: { title: /x/ }, evidence: evidenceOf(), waitedMs: null }
    expect(explainMissing(nothing, NO_BOARDS)).toBe('no error with title like /x/ arrived\n\nnothing arrived')
  })

  it('has no nearest miss if nothing of its kind arrived', () => {
    const evidence = evidenceOf(eventOf())
    const missing = { kind: 'log' as const, criteria: { level: 'info' }, evidence, waitedMs: 500 }
    expect(explainMissing(missing, NO_BOARDS)).toBe(
      'no log with level "info" arrived within 500 ms\n\nwhat arrived:\n  1 error: Error: boom',
    )
  })

  it('suggests a similar field name', () => {
    const missing = {
      kind: 'transaction' as const,
      criteria: { nmae: '/checkout' } as object,
      evidence: evidenceOf(PAGE),
      waitedMs: null,
    }
    expect(explainMissing(missing, NO_BOARDS).split('\n\n')[1]).toBe(
      `nearest: pageload /chekout (envelope 1, item 0)
  nmae  expected "/checkout", got nothing (no item has nmae; did you mean name?)`,
    )
  })

  it('shows the last item for a predicate, which gives no reason', () => {
    const missing = {
      kind: 'span' as const,
      criteria: (span: { readonly op: string | null }): boolean => span.op === 'db',
      evidence: evidenceOf(PAGE),
      waitedMs: null,
    }
    const [title, nearest] = explainMissing(missing, NO_BOARDS).split('\n\n')
    expect(title).toBe('no span matching (span) => span.op === "db" arrived')
    expect(nearest).toBe('last arrived: http.client GET /api/user (envelope 1, item 0)')
  })

  it('is explained without control characters', () => {
    const evil = '\u001b]0;owned\u0007\u202e\u009b31m'
    const evidence = evidenceOf(eventOf({ exception: { values: [{ type: evil, value: evil }] } }))
    const message = explainMissing({ kind: 'error', criteria: { title: 'x' }, evidence, waitedMs: null }, NO_BOARDS)
    expect(message.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
    expect(message).toContain('\\u001b]0;owned\\u0007\\u202e\\u009b31m')
  })

  it('has an explanation of bounded length', () => {
    const many = Array.from({ length: 500 }, (_, index) =>
      eventOf({ message: `${index} ${'x'.repeat(5000)}`, exception: undefined }),
    )
    const criteria = {
      title: 'y'.repeat(5000),
      tags: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`t${index}`, 'x'])),
    }
    const missing = { kind: 'error' as const, criteria, evidence: evidenceOf(...many), waitedMs: null }
    expect(explainMissing(missing, NO_BOARDS).length).toBeLessThan(20_000)
  })
})

it('differenceLines shows the first ten differences in columns', () => {
  const differences = Array.from({ length: 12 }, (_, index) => ({ path: `n${index * 50}`, actual: '1', expected: '2' }))
  const lines = differenceLines(differences, [])
  expect(lines[0]).toBe('  n0    expected 2, got 1')
  expect(lines[9]).toBe('  n450  expected 2, got 1')
  expect(lines[10]).toBe('  and 2 more differences')
})

it.each([
  ['an event by its id', { seq: 1, item: 0, eventId: 'e1', traceId: 't1' }, '/events/e1'],
  ['a span in its trace', { seq: 1, item: 0, traceId: 't1', spanId: 's1' }, '/traces/t1?span=s1'],
  ['a trace', { seq: 1, item: 0, traceId: 't1', eventId: null }, '/traces/t1'],
  ['an envelope', { seq: 12, item: 3 }, '/envelopes/12'],
])('the position of a finding links to %s', (_what, at, path) => {
  expect(boardLink(at, BOARDS)).toBe(`http://localhost:3000${path}`)
  expect(boardLink(at, NO_BOARDS)).toBeNull()
})

it('the position of a finding is written as text if there are no pages to link to', () => {
  expect(positionText({ seq: 12, item: 3 })).toBe('envelope 12, item 3')
  expect(positionText({ seq: 12, item: -1 })).toBe('header of envelope 12')
})

describe('findSpan', () => {
  const traceIn = (...came: readonly string[]) => {
    const trace = traceOf(evidenceOf(...came), TRACE)
    if (trace === null) throw new TypeError('the trace is unknown')
    return trace
  }

  it('finds a span by some of its fields', () => {
    const { found, verdict, negatedMessage } = findSpan(traceIn(PAGE), { op: 'http.client', name: /user/ }, BOARDS)
    expect(found?.name).toBe('GET /api/user')
    expect(verdict).toEqual({ verdict: 'pass', judged: 3 })
    expect(negatedMessage).toBe(
      `the trace has a span with op "http.client" and name like /user/; expected none

found: http.client GET /api/user, 200 ms (envelope 1, item 0)
  http://localhost:3000/traces/${TRACE}?span=0000000000000003`,
    )
  })

  it('explains a missing span with the nearest one', () => {
    const { verdict, message } = findSpan(traceIn(PAGE), { op: 'db', name: 'GET /api/cart' }, NO_BOARDS)
    expect(verdict.verdict).toBe('fail')
    expect(message).toBe(
      `the trace has no span with op "db" and name "GET /api/cart"

nearest: http.client GET /api/cart (envelope 1, item 0)
  op  expected "db", got "http.client"

the trace has 3 spans: 2 http.client, pageload`,
    )
  })

  it('is incomplete if the segment of the trace is missing', () => {
    const late = containerOf(drawn('  pageload /a  ====\n    ui.paint LCP  =='), { late: true })
    const { verdict, message } = findSpan(traceIn(late), { op: 'db' }, NO_BOARDS)
    const why = 'the trace is incomplete: 1 span of segment 0000000000000001 arrived, but not the segment itself'
    expect(verdict).toEqual({ verdict: 'incomplete', why })
    expect(message.split('\n')[1]).toBe(why)
  })
})

it('explainMissing counts items without a kind by their type', () => {
  const evidence = evidenceOf(envelopeOf({}, [{ type: 'statsd' }, { x: 1 }]))
  expect(explainMissing({ kind: 'item', criteria: { type: 'event' }, evidence, waitedMs: null }, NO_BOARDS)).toBe(
    `no item with type "event" arrived

nearest: statsd (envelope 1, item 0)
  type  expected "event", got "statsd"

what arrived:
  1 envelope: statsd`,
  )
})

const explanationFor = async (bodies: readonly string[], emptyCollector: string | null = null): Promise<string> => {
  const { recording } = await recordedCase(bodies)
  const emptyHint = 'is it telemetry.watch(context)?'
  const evidence = recording.evidence()
  const wait = { kind: 'span', criteria: { op: 'db' }, evidence, emptyCollector, emptyHint } as const
  return explainWait(wait, { ended: 'late', afterMs: 1_000 }, NO_BOARDS)
}

it('explainWait adds a hint if nothing arrived', async () => {
  expect(await explanationFor([])).toMatch(/\n\nnothing arrived\nis it telemetry\.watch\(context\)\?$/)
  expect(await explanationFor([errorEnvelope('http://local@127.0.0.1:8969/1').body])).not.toContain('watch')
})

it('explainWait names the collector first if it never received anything', async () => {
  const lines = (await explanationFor([], 'http://127.0.0.1:4')).split('\n')
  expect(lines.slice(-2)).toEqual([
    'the collector at http://127.0.0.1:4 has never received anything: does the app’s DSN have this address? waystation run sets SENTRY_DSN, but a DSN in the code overrides it, and an app that was started before the run does not have it',
    expect.stringContaining('telemetry.watch(context)'),
  ])
  const some = await explanationFor([errorEnvelope('http://local@127.0.0.1:8969/1').body], 'http://127.0.0.1:4')
  expect(some).not.toContain('DSN')
})
