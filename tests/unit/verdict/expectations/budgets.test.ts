import { describe, expect, it } from 'vitest'
import { type Budgets, judgeBudgets } from '../../../../lib/verdict/expectations/budgets'
import { drawn, eventOf, evidenceOf, failingWith, transactionOf } from '../rules/sample-evidence'

const loadOf = (name: string, columns: number, ids: string): string =>
  transactionOf(drawn(`  pageload ${name}  ${'='.repeat(columns)}\n    db SELECT 1  =`), {
    ids,
    traceId: ids.repeat(32),
  })

const EVIDENCE = evidenceOf(
  { body: loadOf('/a', 10, '1'), page: 'p1' },
  { body: loadOf('/a', 20, '2'), page: 'p2' },
  { body: loadOf('/b', 5, '3'), page: 'p3' },
  { body: eventOf(), page: 'p2' },
  { body: eventOf({ event_id: 'f'.repeat(32) }), page: 'p2', endpoint: 'stream' },
)
const judge = (budgets: Budgets, evidence = EVIDENCE) => {
  const [judged] = judgeBudgets(evidence, budgets)
  if (judged === undefined) throw new TypeError('one budget is judged')
  return judged
}

describe('a budget', () => {
  it('counts items per page load, without copies', () => {
    const over = judge({ items: 1 })
    expect(over.title).toBe('At most 1 item per page load (maximum: 2, of 3)')
    expect(over.verdict).toMatchObject({
      judged: 3,
      findings: [{ about: 'pageload /a, 2 s', at: { seq: 2 }, actual: '2 items', expected: 'at most 1' }],
    })
    expect(judge({ items: 2 }).verdict).toEqual({ verdict: 'pass', judged: 3 })
  })

  it('counts bytes per page load', () => {
    const [first] = EVIDENCE.envelopes
    expect(judge({ bytes: 10_000 }).verdict.verdict).toBe('pass')
    expect(judge({ bytes: (first?.bytes ?? 0) - 1 }).verdict).toMatchObject({ verdict: 'fail' })
  })

  it('is incomplete without page headers', () => {
    expect(judge({ items: 9 }, evidenceOf(eventOf())).verdict).toEqual({
      verdict: 'incomplete',
      why: "no page load has a page header; set transportOptions: { headers: { 'x-waystation-page': crypto.randomUUID() } } in its Sentry.init (stampHeaders() of waystation/vitest has it)",
    })
  })

  it('counts spans per trace', () => {
    expect(judge({ spans: 2 })).toMatchObject({
      id: 'budget-spans',
      title: 'At most 2 spans per trace (maximum: 2, of 3)',
      verdict: { verdict: 'pass', judged: 3 },
    })
    expect(judge({ spans: 1 }).verdict).toMatchObject(
      failingWith({ about: 'pageload /a, 1 s', actual: '2 spans', expected: 'at most 1' }, {}, {}),
    )
    expect(judge({ spans: 1 }, evidenceOf(eventOf())).verdict.verdict).toBe('incomplete')
  })

  it('counts errors of all page loads together', () => {
    expect(judge({ errors: 2 }).verdict.verdict).toBe('pass')
    expect(judge({ errors: 1 })).toMatchObject({
      title: 'At most 1 error (recorded: 2)',
      verdict: { findings: [{ about: 'error 2: Error: boom', actual: '2 errors', expected: 'at most 1' }] },
    })
    expect(judge({ errors: 0 }, evidenceOf()).verdict.verdict).toBe('incomplete')
    expect(judge({ errors: 0 }, evidenceOf('{}')).verdict.verdict).toBe('incomplete')
  })

  it('is incomplete if an event cannot be parsed, unless the limit is exceeded', () => {
    const broken = '{}\n{"type":"event"}\n{"exception":'
    expect(judge({ errors: 0 }, evidenceOf(eventOf(), broken)).verdict).toMatchObject({ verdict: 'fail', found: 1 })
    expect(judge({ errors: 1 }, evidenceOf(eventOf(), broken)).verdict).toEqual({
      verdict: 'incomplete',
      why: 'The event in envelope 2 could not be parsed: the payload is not JSON.',
    })
  })

  it('counts events of level error and fatal as errors, and no messages', () => {
    const verdictFor = (level: string) => judge({ errors: 0 }, evidenceOf(eventOf({ level }))).verdict.verdict
    expect([verdictFor('info'), verdictFor('warning'), verdictFor('error'), verdictFor('fatal')]).toEqual([
      'pass',
      'pass',
      'fail',
      'fail',
    ])
  })

  it.each<[string, string, number | { readonly p50?: number; readonly max?: number }, string]>([
    ['the longest is within the limit', '/a', 2000, 'pass'],
    ['the longest exceeds the limit', '/a', 1999, 'fail'],
    ['an op and a name select page loads', 'pageload /a', 1999, 'fail'],
    ['a wildcard selects page loads', 'pageload *', 1999, 'fail'],
    ['p50 is within the limit, though the longest is not', '/a', { p50: 1000 }, 'pass'],
    ['p50 exceeds the limit', '/a', { p50: 999 }, 'fail'],
    ['p50 of three is the one in the middle', '*', { p50: 999 }, 'fail'],
    ['a page that was not recorded is incomplete', '/c', 2000, 'incomplete'],
  ])('judges durations: %s', (_what, name, most, verdict) => {
    expect(judge({ durations: { [name]: most } }).verdict.verdict).toBe(verdict)
  })

  it('shows the measured duration', () => {
    expect(judge({ durations: { '/a': { p50: 500, max: 5000 } } })).toMatchObject({
      id: 'budget-duration /a',
      title: '/a takes at most p50 500 ms, 5 s (maximum: 2 s, of 2)',
      verdict: {
        judged: 2,
        findings: [{ about: 'pageload /a, 1 s', actual: 'p50 1 s of 2', expected: 'at most 500 ms' }],
      },
    })
  })
})
