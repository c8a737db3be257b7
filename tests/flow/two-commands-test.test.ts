import { afterEach, expect, test } from 'vitest'
import { testClone } from './fresh-clone'
import { endStarted } from './npm-start'

afterEach(endStarted)

test('npm test builds, runs every part after a failed one, and counts a part that crashed as failed', async () => {
  const vitest = (numPassedTests: number) => ({
    report: { numPassedTests, numFailedTests: 0, numPendingTests: 1, numTodoTests: 0, testResults: [] },
  })
  const e2e = { code: 1, report: { stats: { expected: 4, unexpected: 0, flaky: 0, skipped: 0 }, errors: [] } }
  const clone = testClone()
  const run = clone.test({ unit: {}, repo: vitest(2), store: vitest(2), flow: vitest(3), faults: vitest(1), e2e })
  expect((await run.exited).code, run.output()).toBe(1)
  expect(clone.done()).toEqual(['build', 'lint', 'types', 'unit', 'repo', 'store', 'flow', 'faults', 'e2e'])
  expect(run.lastLine()).toBe('14 passed, 2 failed, 4 skipped')
})
