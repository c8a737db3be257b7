import { describe, expect, test } from 'vitest'
import {
  addCounts,
  countPlaywright,
  countsLine,
  countVitest,
  neverGreenAfterCrash,
} from '../../../collector/launch/test-counts.js'

const vitestReport = (over: object) =>
  JSON.stringify({
    numPassedTests: 0,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [],
    ...over,
  })

describe('the counts of a test run', () => {
  test('end in the line that others parse', () => {
    const sum = addCounts({ passed: 3, failed: 0, skipped: 1 }, { passed: 4, failed: 2, skipped: 0 })
    expect(countsLine(sum)).toBe('7 passed, 2 failed, 1 skipped')
  })

  test('take what Vitest reports', () => {
    const report = vitestReport({ numPassedTests: 5, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 })
    expect(countVitest(report)).toEqual({ passed: 5, failed: 1, skipped: 3 })
  })

  test('have a test file that cannot be loaded as a failure', () => {
    const broken = { status: 'failed', assertionResults: [] }
    const failing = { status: 'failed', assertionResults: [{ status: 'failed' }] }
    expect(countVitest(vitestReport({ numFailedTests: 1, testResults: [broken, failing] })).failed).toBe(2)
  })

  test('take what Playwright reports, and have a flaky test as a failure', () => {
    const report = JSON.stringify({ stats: { expected: 7, unexpected: 1, flaky: 1, skipped: 2 }, errors: [{}] })
    expect(countPlaywright(report)).toEqual({ passed: 7, failed: 3, skipped: 2 })
  })

  test('are never green after a runner that ended badly', () => {
    const green = { passed: 5, failed: 0, skipped: 0 }
    expect(neverGreenAfterCrash(green, false)).toEqual({ passed: 5, failed: 1, skipped: 0 })
    expect(neverGreenAfterCrash(green, true)).toEqual(green)
    expect(neverGreenAfterCrash({ ...green, failed: 2 }, false)).toEqual({ passed: 5, failed: 2, skipped: 0 })
  })
})
