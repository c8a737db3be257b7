import { expect, test } from 'vitest'
import {
  allParts,
  countPlaywright,
  countsLine,
  countVitest,
  listFailedByPlaywright,
  listFailedByVitest,
  neverGreenAfterCrash,
  selectChanged,
  selectNamed,
} from '../../../collector/launch/test/test-parts.js'

test('a crash, a file that cannot be loaded and a flaky test count as failures', () => {
  const broken = { status: 'failed', assertionResults: [] }
  const report = { numPassedTests: 5, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1, testResults: [broken] }
  const counts = countVitest(JSON.stringify(report))
  expect(countsLine(counts)).toBe('5 passed, 2 failed, 3 skipped')
  const stats = { expected: 7, unexpected: 1, flaky: 1, skipped: 2 }
  expect(countPlaywright(JSON.stringify({ stats, errors: [{}] }))).toEqual({ passed: 7, failed: 3, skipped: 2 })
  const green = { passed: 5, failed: 0, skipped: 0 }
  expect(neverGreenAfterCrash(green, false)).toEqual({ ...green, failed: 1 })
  expect(neverGreenAfterCrash(green, true)).toEqual(green)
})

test('the end of a run names each failed test with the first line of its error', () => {
  const assertions = [
    { fullName: 'adds', status: 'passed' },
    { fullName: 'subtracts', status: 'failed', failureMessages: ['\u001b[31mexpected 1\u001b[39m\nat x.ts'] },
  ]
  const testResults = [
    { name: '/w/tests/unit/a.test.ts', status: 'failed', assertionResults: assertions },
    { name: '/w/tests/unit/b.test.ts', status: 'failed', message: 'no such file\nat y', assertionResults: [] },
  ]
  expect(listFailedByVitest(JSON.stringify({ testResults }))).toEqual([
    '✗ tests/unit/a.test.ts subtracts: expected 1',
    '✗ tests/unit/b.test.ts cannot be loaded: no such file',
  ])
  const ran = (status: string, message: string) => ({
    projectName: 'static',
    status,
    results: [{ error: { message } }],
  })
  const specs = [
    { file: 'a.spec.ts', title: 'opens', tests: [ran('flaky', 'too late\nat z')] },
    { file: 'a.spec.ts', title: 'closes', tests: [{ projectName: 'static', status: 'expected', results: [{}] }] },
  ]
  const report = { suites: [{ suites: [{ specs }] }], errors: [{ message: 'no port' }] }
  expect(listFailedByPlaywright(JSON.stringify(report))).toEqual([
    '✗ a.spec.ts [static] opens: too late',
    '✗  outside of a test: no port',
  ])
})

test('npm test runs all parts but the slowest, the named ones, the part of a path, or what a change can break', () => {
  const parts = allParts('/out')
  const all = ['lint', 'types', 'unit', 'repo', 'store', 'flow', 'faults', 'e2e']
  const allSelected = all.map((name) => ({ name, args: [] }))
  expect(selectNamed([], parts)).toEqual(allSelected)
  expect(selectNamed(['corpus', 'lint'], parts)).toMatchObject([{ name: 'lint' }, { name: 'corpus' }])
  const path = 'tests/unit/time.test.ts'
  expect(selectNamed([path], parts)).toEqual([{ name: 'unit', args: [path] }])
  expect(selectNamed(['units'], parts)).toMatch(/^unknown part "units"; valid parts: lint, /)
  expect(selectChanged(['package-lock.json'], 'HEAD')).toEqual(allSelected)
  expect(selectChanged(['tests/flow/relay.test.ts'], 'HEAD').at(-1)).toEqual({
    name: 'flow',
    args: ['tests/flow/relay.test.ts'],
  })
})
