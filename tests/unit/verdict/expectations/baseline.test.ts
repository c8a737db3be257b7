import { describe, expect, it } from 'vitest'
import { baselineOf, baselineText, neverBaselined, readBaseline } from '../../../../lib/verdict/expectations/baseline'
import { verdictOf } from '../../../../lib/verdict/verdict'
import { caseFrom, eventOf } from '../rules/sample-evidence'
import { FAIL, findingOf, NOW, OPEN, PASS, report, ruleOf } from './sample-report'

describe('a baseline', () => {
  const failing = report([ruleOf('one', FAIL), ruleOf('two', PASS)])
  const baseline = baselineOf(failing, NOW)

  it('never contains leaks', () => {
    const leaking = ruleOf('privacy', FAIL)
    const baseline = baselineOf(report([leaking, ruleOf('one', FAIL)]), NOW)
    expect(baseline.known.map(({ id }) => id)).toEqual(['one'])
    const forged = { ...baseline, known: [{ id: 'privacy', about: 'order #', path: 'a.#' }] }
    const judged = report([leaking], {}, { baseline: forged })
    expect(judged).toMatchObject({ verdict: 'fail', known: 0 })
    expect(neverBaselined(judged)).toEqual({ leaks: 1, budgets: 0 })
  })

  it('never contains exceeded budgets', () => {
    const given = caseFrom(eventOf({ event_id: 'a'.repeat(32) }), eventOf({ event_id: 'b'.repeat(32) }))
    const plan = { errors: 'ignore', budgets: { errors: 1 } } as const
    const exceeded = report([ruleOf('one', FAIL)], plan, {}, given)
    expect(neverBaselined(exceeded)).toEqual({ leaks: 0, budgets: 1 })
    const baseline = baselineOf(exceeded, NOW)
    expect(baseline.known.map(({ id }) => id)).toEqual(['one'])
    const former = { ...baseline, known: [{ id: 'budget-errors', about: 'errors', path: '' }], beyond: {} }
    expect(report([], plan, { baseline: former }, given)).toMatchObject({ verdict: 'fail', known: 0, fixed: [] })
  })

  it('is a text with one line per failure, without actual values', () => {
    expect(baselineText(baseline)).toBe(`{
  "waystation": "baseline",
  "version": 1,
  "made": "2026-11-21T12:00:00.000Z",
  "known": [
    {
      "id": "one",
      "about": "order #",
      "path": "a.#"
    }
  ],
  "beyond": {}
}
`)
    expect(readBaseline(baselineText(baseline))).toEqual({ ok: true, value: baseline })
  })

  it('allows known failures that differ only in numbers, and counts them', () => {
    const other = ruleOf('one', { ...FAIL, findings: [findingOf('order 12')] })
    expect(report([other], {}, { baseline })).toMatchObject({
      verdict: 'pass',
      known: 1,
      knownFailures: [{ id: 'one', count: 1, by: 'the baseline' }],
    })
  })

  it('fails for new failures', () => {
    const more = ruleOf('one', { ...FAIL, found: 2, findings: [findingOf('order 12'), findingOf('customer 12')] })
    const { verdict, known, judged } = report([more], {}, { baseline })
    expect({ verdict, known }).toEqual({ verdict: 'fail', known: 1 })
    expect(judged[0]?.verdict).toMatchObject({ found: 1, findings: [{ about: 'customer 12' }] })
    expect(report([ruleOf('two', FAIL)], {}, { baseline }).verdict).toBe('fail')
  })

  it('reports entries that no longer fail', () => {
    const of = (...about: readonly string[]) => ruleOf('one', verdictOf(2, about.map(findingOf), ''))
    const both = baselineOf(report([of('order 12', 'customer 12')]), NOW)
    const fixed = [{ id: 'one', about: 'customer #', path: 'a.#' }]
    expect(report([of('order 13')], {}, { baseline: both })).toMatchObject({ verdict: 'pass', fixed })
    expect(report([of()], {}, { baseline: both }).fixed).toHaveLength(2)
    const other = report([of('order 13'), ruleOf('two', FAIL)], {}, { baseline: both })
    expect(other).toMatchObject({ verdict: 'fail', fixed })
  })

  it.each([
    ['is incomplete', [ruleOf('one', OPEN), ruleOf('two', PASS)], {}],
    ['did not run', [ruleOf('two', PASS)], {}],
    ['has more failures than findings', [ruleOf('one', { ...FAIL, found: 2, findings: [] })], {}],
    ['ran on a record with gaps', [ruleOf('one', PASS)], { gaps: ['something made room'] }],
  ])('reports no fixed entries if the check %s', (_what, rules, options) => {
    expect(report(rules, {}, { baseline, ...options }).fixed).toEqual([])
  })

  it('allows as many unlisted findings as it has counted', () => {
    const crowd = (found: number) => ruleOf('one', { ...FAIL, found })
    const large = baselineOf(report([crowd(60)]), NOW)
    expect(large.beyond).toEqual({ one: 59 })
    expect(report([crowd(60)], {}, { baseline: large })).toMatchObject({ verdict: 'pass', known: 60 })
    expect(report([crowd(61)], {}, { baseline: large })).toMatchObject({ verdict: 'fail', known: 60 })
  })

  it('matches findings beyond the first 50, in any order', () => {
    const all = Array.from({ length: 60 }, (_, index) =>
      findingOf(`customer ${'abcdefghij'[index % 10]}${'-'.repeat(index)}`),
    )
    const crowd = (findings: readonly ReturnType<typeof findingOf>[]) => ruleOf('one', verdictOf(60, findings, ''))
    const large = baselineOf(report([crowd(all)]), NOW)
    expect(large).toMatchObject({ known: { length: 60 }, beyond: {} })
    expect(report([crowd([...all].reverse())], {}, { baseline: large })).toMatchObject({ verdict: 'pass', known: 60 })
    const other = report([crowd(all.with(58, findingOf('another')))], {}, { baseline: large })
    expect(other).toMatchObject({ verdict: 'fail', known: 59 })
  })

  it('matches failures that differ only in a duration', () => {
    const took = (time: string) => ruleOf('one', { ...FAIL, findings: [findingOf(`pageload /checkout, ${time}`)] })
    const slow = baselineOf(report([took('950 ms')]), NOW)
    expect(slow.known).toMatchObject([{ about: 'pageload /checkout, #' }])
    expect(report([took('1.10 s')], {}, { baseline: slow }).verdict).toBe('pass')
    expect(report([took('2 min 5 s')], {}, { baseline: slow }).verdict).toBe('pass')
    expect(
      report([ruleOf('one', { ...FAIL, findings: [findingOf('pageload /cart, 1.10 s')] })], {}, { baseline: slow })
        .verdict,
    ).toBe('fail')
  })

  it('contains no secrets', () => {
    const leaky = ruleOf('one', { ...FAIL, findings: [findingOf('Error: password=hunter2 for bob@example.com')] })
    expect(baselineText(baselineOf(report([leaky]), NOW))).not.toMatch(/hunter2|bob@/)
  })

  it.each([
    [
      'a text that is not JSON',
      'hello',
      'not valid JSON: "hello"; write a baseline with waystation check --write-baseline FILE',
    ],
    [
      'other JSON',
      '{}',
      /^not a baseline: waystation: .*; write a baseline with waystation check --write-baseline FILE$/,
    ],
  ])('rejects %s with a message', (_what, text, message) => {
    const read = readBaseline(text)
    expect(read.ok ? '' : read.error).toEqual(typeof message === 'string' ? message : expect.stringMatching(message))
  })
})
