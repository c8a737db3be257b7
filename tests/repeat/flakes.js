import { stripVTControlCharacters } from 'node:util'

/** Lines of a failure that are printed. */
const MOST_LINES = 12

/**
 * One run: each test with its failure, `null` for a pass. Skipped tests are left out.
 * @typedef {ReadonlyMap<string, string | null>} Run
 */

/**
 * @param {string} report Vitest's JSON
 * @returns {Run}
 */
export function readVitest(report) {
  /** @type {{ testResults: { name: string, status: string, message?: string, assertionResults: { fullName: string, status: string, failureMessages?: string[] }[] }[] }} */
  const { testResults } = JSON.parse(report)
  return new Map(
    testResults.flatMap(({ name, status, message, assertionResults }) => {
      /** @type {(readonly [string, string | null])[]} */
      const results = assertionResults
        .filter((one) => one.status === 'passed' || one.status === 'failed')
        .map((one) => [`${name} ${one.fullName}`, one.status === 'passed' ? null : why(one.failureMessages?.[0])])
      // A file that cannot be loaded fails without a test to its name.
      return results.length === 0 && status === 'failed' ? [[name, why(message)]] : results
    }),
  )
}

/**
 * @typedef {{ title: string, file?: string, suites?: Suite[], specs?: { title: string, ok: boolean, tests: { projectName: string, status: string, results?: { error?: { message?: string } }[] }[] }[] }} Suite
 * @param {string} report Playwright's JSON
 * @returns {Run}
 */
export function readPlaywright(report) {
  /** @type {{ suites: Suite[], errors: { message?: string }[] }} */
  const { suites, errors } = JSON.parse(report)
  const broken = errors.map(
    ({ message }, at) => /** @type {const} */ ([`error ${at + 1} outside of tests`, why(message)]),
  )
  return new Map([...suites.flatMap((suite) => specsOf(suite, '')), ...broken])
}

/**
 * @param {Suite} suite
 * @param {string} before
 * @returns {(readonly [string, string | null])[]}
 */
function specsOf({ title, suites = [], specs = [] }, before) {
  const path = `${before}${title} `
  const own = specs.flatMap((spec) =>
    spec.tests
      .filter(({ status }) => status !== 'skipped')
      .map(
        ({ projectName, status, results = [] }) =>
          /** @type {const} */ ([
            `${path}${spec.title} [${projectName}]`,
            status === 'expected' ? null : why(results.find(({ error }) => error !== undefined)?.error?.message),
          ]),
      ),
  )
  return [...own, ...suites.flatMap((suite) => specsOf(suite, path))]
}

/**
 * The first lines of a message, without terminal control codes.
 * @param {string} message
 */
function why(message = 'no message') {
  return stripVTControlCharacters(message).trim().split('\n').slice(0, MOST_LINES).join('\n')
}

/**
 * Tests that failed, the most frequent failures first.
 * @param {readonly Run[]} runs
 * @returns {{ name: string, failed: number, of: number }[]} `of`: runs that included the test
 */
export function failuresIn(runs) {
  /** @type {Map<string, { failed: number, of: number }>} */
  const counts = new Map()
  for (const run of runs)
    for (const [name, failure] of run) {
      const { failed, of } = counts.get(name) ?? { failed: 0, of: 0 }
      counts.set(name, { failed: failed + (failure === null ? 0 : 1), of: of + 1 })
    }
  return [...counts]
    .map(([name, count]) => ({ name, ...count }))
    .filter(({ failed }) => failed > 0)
    .sort((a, b) => b.failed - a.failed || (a.name < b.name ? -1 : 1))
}
