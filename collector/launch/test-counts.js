/**
 * How many tests passed, failed and were skipped.
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 */

/** @type {Counts} */
export const NONE = { passed: 0, failed: 0, skipped: 0 }

/**
 * @param {Counts} a
 * @param {Counts} b
 * @returns {Counts}
 */
export const addCounts = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
})

/**
 * The last line of `npm test`.
 * @param {Counts} counts
 */
export const countsLine = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`

/**
 * A runner that ended badly and yet reports no failed test has failed all the same: it crashed, or broke outside of
 * any test.
 * @param {Counts} counts
 * @param {boolean} endedWell
 * @returns {Counts}
 */
export const neverGreenAfterCrash = (counts, endedWell) =>
  endedWell || counts.failed > 0 ? counts : { ...counts, failed: 1 }

/**
 * @param {string} report Vitest's JSON
 * @returns {Counts}
 */
export function countVitest(report) {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(report)
  // A file that cannot even be loaded fails without a test to its name.
  const broken = testResults.filter(
    (/** @type {{ status: string, assertionResults: { status: string }[] }} */ file) =>
      file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  ).length
  return { passed: numPassedTests, failed: numFailedTests + broken, skipped: numPendingTests + numTodoTests }
}

/**
 * @param {string} report Playwright's JSON
 * @returns {Counts}
 */
export function countPlaywright(report) {
  const { stats, errors } = JSON.parse(report)
  // Passing at the second try is not passing.
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky + errors.length, skipped: stats.skipped }
}
