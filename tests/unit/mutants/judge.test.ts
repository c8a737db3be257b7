import { describe, expect, it } from 'vitest'
import { judgeMutant, mergeControls, type RunSentences, readReports } from '../../mutants/judge'

const runOf = (
  exitCode: number | null,
  failures: readonly string[] = [],
  warnings: readonly string[] = [],
): RunSentences => ({
  exitCode,
  failures,
  warnings,
})
const GREEN = runOf(0)
const NAMED = /wrong key/

describe('the judgement of a mutant', () => {
  it.each([
    ['a failure that names the cause', runOf(1, ['wrong key in 3 posts']), 'found', 'wrong key in 3 posts'],
    ['a failure that does not name it', runOf(1, ['something else']), 'found', null],
    ['a failure, and a warning that names it', runOf(1, ['something'], ['wrong key']), 'found', 'wrong key'],
    ['an incomplete run that names it', runOf(3, ['wrong key']), 'found', 'wrong key'],
    ['an incomplete run that names it in a warning', runOf(3, ['nothing'], ['wrong key']), 'found', 'wrong key'],
    ['an incomplete run that does not name it', runOf(3, ['something else']), 'incomplete', null],
    ['a green run with a warning that names it', runOf(0, [], ['wrong key']), 'warned', 'wrong key'],
    ['a green run with another warning', runOf(0, [], ['something else']), 'missed', null],
    ['a green run', GREEN, 'missed', null],
    ['a wrong argument', runOf(2, ['wrong key']), 'broken', 'wrong key'],
    ['a run that was ended by a signal', runOf(null, []), 'broken', null],
  ] as const)('of %s', (_title, mutant, outcome, sentence) => {
    expect(judgeMutant(mutant, GREEN, NAMED)).toMatchObject({ outcome, sentence })
  })

  it('does not count sentences of the control, whatever their numbers and ids', () => {
    const control = runOf(1, ['lost 22 spans of 9ea1fb22'], ['1 wrong key'])
    const mutant = runOf(1, ['lost 7 spans of db07c7f8d74b'], ['12 wrong key'])
    expect(judgeMutant(mutant, control, NAMED)).toEqual({ outcome: 'missed', sentence: null, added: [] })
    expect(judgeMutant({ ...mutant, warnings: ['wrong key of a page'] }, control, NAMED)).toEqual({
      outcome: 'warned',
      sentence: 'wrong key of a page',
      added: ['wrong key of a page'],
    })
  })

  it('compares with every run of the control', () => {
    const control = mergeControls([GREEN, runOf(1, ['a loss'])])
    expect(control.exitCode).toBe(1)
    expect(judgeMutant(runOf(1, ['a loss']), control, NAMED).outcome).toBe('missed')
  })
})

describe('the reports of a run', () => {
  const finding = { about: 'pageload /', at: null, path: 'environment', actual: 'tset', expected: 'test' }
  const judged = (severity: string, verdict: object) => ({ id: 'names', title: 'Names', severity, verdict })
  const report = JSON.stringify({
    verdict: 'fail',
    reasons: ['nothing arrived from a browser'],
    gaps: ['an envelope was evicted'],
    judged: [
      judged('error', { verdict: 'fail', judged: 1, found: 1, findings: [finding] }),
      judged('warning', { verdict: 'fail', judged: 1, found: 1, findings: [{ ...finding, path: '' }] }),
      judged('error', { verdict: 'pass', judged: 1 }),
      judged('error', { verdict: 'incomplete', why: 'no page was sent a rate limit' }),
    ],
  })
  const test = {
    annotations: [{ type: 'telemetry', description: 'nothing was recorded' }, { type: 'slow' }],
    results: [{ errors: [{ message: 'no unexpected errors' }, {}] }],
  }
  const suite = JSON.stringify({ suites: [{ suites: [{ specs: [{ tests: [test] }] }] }] })

  it('contain failures and warnings', () => {
    expect(readReports({ exitCode: 1, report, suite })).toEqual({
      exitCode: 1,
      failures: [
        'names (Names): pageload / environment: got tset, expected test',
        'nothing arrived from a browser',
        'no unexpected errors',
        '',
      ],
      warnings: [
        'names (Names): pageload /: got tset, expected test',
        'an envelope was evicted',
        'nothing was recorded',
        '',
      ],
    })
  })

  it('may be missing', () => {
    expect(readReports({ exitCode: 127, report: null, suite: null })).toEqual(runOf(null))
  })

  it('judge nothing if no test ran', () => {
    const idle = JSON.stringify({ suites: [{ specs: [{ tests: [{ annotations: [], results: [] }] }] }] })
    expect(readReports({ exitCode: 1, report: null, suite: idle }).exitCode).toBeNull()
  })

  it('of another shape are refused', () => {
    expect(() => readReports({ exitCode: 0, report: '{}', suite: null })).toThrow(/reasons/)
  })
})
