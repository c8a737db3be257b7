/**
 * What one run says of each of its tests: did it pass? What was skipped is left out.
 * @typedef {ReadonlyMap<string, boolean>} Run
 */

/**
 * @param {string} report Vitest's JSON
 * @returns {Run}
 */
export function readVitest(report) {
  /** @type {{ testResults: { name: string, status: string, assertionResults: { fullName: string, status: string }[] }[] }} */
  const { testResults } = JSON.parse(report)
  return new Map(
    testResults.flatMap(({ name, status, assertionResults }) => {
      /** @type {(readonly [string, boolean])[]} */
      const told = assertionResults
        .filter((one) => one.status === 'passed' || one.status === 'failed')
        .map((one) => [`${name} ${one.fullName}`, one.status === 'passed'])
      // A file that cannot be loaded fails without a test to its name.
      return told.length === 0 && status === 'failed' ? [[name, false]] : told
    }),
  )
}

/**
 * @typedef {{ title: string, file?: string, suites?: Suite[], specs?: { title: string, ok: boolean, tests: { projectName: string, status: string }[] }[] }} Suite
 * @param {string} report Playwright's JSON
 * @returns {Run}
 */
export function readPlaywright(report) {
  /** @type {{ suites: Suite[], errors: { message?: string }[] }} */
  const { suites, errors } = JSON.parse(report)
  const broken = errors.map(({ message = 'an error outside of tests' }) => /** @type {const} */ ([message, false]))
  return new Map([...suites.flatMap((suite) => specsOf(suite, '')), ...broken])
}

/**
 * @param {Suite} suite
 * @param {string} before
 * @returns {(readonly [string, boolean])[]}
 */
function specsOf({ title, suites = [], specs = [] }, before) {
  const path = `${before}${title} `
  const own = specs.flatMap((spec) =>
    spec.tests
      .filter(({ status }) => status !== 'skipped')
      .map(
        ({ projectName, status }) =>
          /** @type {const} */ ([`${path}${spec.title} [${projectName}]`, status === 'expected']),
      ),
  )
  return [...own, ...suites.flatMap((suite) => specsOf(suite, path))]
}

/**
 * Tests that failed, those that fail most often first.
 * @param {readonly Run[]} runs
 * @returns {{ name: string, failed: number, of: number }[]} `of`: runs in which it was at all
 */
export function failuresIn(runs) {
  /** @type {Map<string, { failed: number, of: number }>} */
  const counts = new Map()
  for (const run of runs)
    for (const [name, passed] of run) {
      const { failed, of } = counts.get(name) ?? { failed: 0, of: 0 }
      counts.set(name, { failed: failed + (passed ? 0 : 1), of: of + 1 })
    }
  return [...counts]
    .map(([name, count]) => ({ name, ...count }))
    .filter(({ failed }) => failed > 0)
    .sort((a, b) => b.failed - a.failed || (a.name < b.name ? -1 : 1))
}
