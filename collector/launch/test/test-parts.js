import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/**
 * How many tests passed, failed and were skipped.
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 *
 * A part of the tests. `count` and `listFailed` read the report of the runner; a check has no report and counts as one
 * test. `onlyNamed`: runs only when it is named.
 * @typedef {{
 *   name: string,
 *   needs: readonly ('build' | 'browser')[],
 *   script: string,
 *   args: readonly string[],
 *   env: Readonly<Record<string, string>>,
 *   report: string | null,
 *   onlyNamed?: boolean,
 *   count: (report: string) => Counts,
 *   listFailed: (report: string) => readonly string[],
 * }} Part
 *
 * A part to run, with additional arguments for its runner, such as test files.
 * @typedef {{ name: string, args: readonly string[] }} Selected
 */

/**
 * All parts in the order in which they run: the quick ones first.
 * @param {string} output folder of this run
 * @returns {readonly Part[]}
 */
export const allParts = (output) => [
  check('lint', '@biomejs/biome/bin/biome', ['check', '.']),
  check('types', 'typescript/bin/tsc', ['--noEmit', '-p', '.']),
  vitest('unit', [], output, ['unit', 'unit-isolated']),
  vitest('repo', [], output),
  vitest('store', [], output),
  vitest('flow', ['build'], output, ['flow', 'flow-postgres']),
  vitest('faults', [], output),
  {
    name: 'e2e',
    needs: ['build', 'browser'],
    script: '@playwright/test/cli.js',
    args: ['test', '--config', 'tests/e2e/playwright.config.ts'],
    env: { WAYSTATION_E2E_REPORT: join(output, 'e2e.json'), WAYSTATION_E2E_OUTPUT: join(output, 'e2e') },
    report: join(output, 'e2e.json'),
    count: countPlaywright,
    listFailed: listFailedByPlaywright,
  },
  // Needs envelopes from outside of the repository.
  { ...vitest('corpus', [], output), onlyNamed: true },
]

/** @param {string} name @param {string} script in node_modules @param {readonly string[]} args @returns {Part} */
function check(name, script, args) {
  const count = () => ({ passed: 1, failed: 0, skipped: 0 })
  return { name, needs: [], script, args, env: {}, report: null, count, listFailed: () => [] }
}

/**
 * @param {string} name
 * @param {Part['needs']} needs
 * @param {string} output
 * @param {readonly string[]} [projects] of Vitest
 * @returns {Part}
 */
function vitest(name, needs, output, projects = [name]) {
  const report = join(output, `${name}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const named = projects.flatMap((project) => ['--project', project])
  return {
    name,
    needs,
    script: 'vitest/vitest.mjs',
    args: ['run', '--config', 'tests/vitest.config.ts', ...named, ...reporters],
    env: {},
    report,
    count: countVitest,
    listFailed: listFailedByVitest,
  }
}

/**
 * Reads the arguments of `npm test`: names of parts, and paths of test files. A path without the name of a part selects
 * the part of its folder.
 * @param {readonly string[]} words
 * @param {readonly Part[]} parts
 * @returns {readonly Selected[] | string} a message when a word is neither
 */
export function selectNamed(words, parts) {
  const paths = words.filter((word) => word.includes('/') || /\.[jt]sx?$/.test(word))
  const names = words.filter((word) => !paths.includes(word))
  const valid = parts.map(({ name }) => name)
  const unknown = names.find((name) => !valid.includes(name))
  if (unknown !== undefined)
    return `unknown part ${JSON.stringify(unknown)}; valid parts: ${valid.join(', ')}, and paths of test files`
  const partOf = (/** @type {string} */ path) => /(?:^|\/)tests\/(\w+)\//.exec(path)?.[1] ?? ''
  const stray = paths.find((path) => names.length === 0 && !valid.includes(partOf(path)))
  if (stray !== undefined) return `${stray} belongs to no part; name one before it: ${valid.join(', ')}`
  return parts.flatMap(({ name, report, onlyNamed = false }) => {
    const isNamed = names.length === 0 ? paths.some((path) => partOf(path) === name) : names.includes(name)
    if (!isNamed && (words.length > 0 || onlyNamed)) return []
    const args = report === null ? [] : paths.filter((path) => names.length > 0 || partOf(path) === name)
    return [{ name, args }]
  })
}

/** A change to these files can break every part. */
const EVERYTHING = /^(?:package(?:-lock)?\.json|tsconfig\.json|tests\/vitest\.config\.ts)$/
/** The slow parts, and the files that they cover. */
const COVERED = [
  { name: 'store', files: /^collector\/(?:spool|spool-postgres|runtime)\// },
  { name: 'flow', files: /^(?:collector|lib)\// },
  { name: 'faults', files: /^(?:collector\/(?:\w|-)+\.ts$|collector\/(?:spool|index|relay|runtime|intake|api)\/)/ },
  { name: 'e2e', files: /^(?:app|dashboards|lib\/(?:sdk|kit|contract|tunnel)|tests\/fixtures)\/|^[\w.-]+\.(?:js|ts)$/ },
]

/**
 * Selects the parts that a change can break. lint, types and repo always run; Vitest selects unit tests by their imports.
 * When only test files of a slow part have changed, only these run.
 * @param {readonly string[]} changed files, relative to the root
 * @param {string} since the git revision that they are compared with
 * @returns {readonly Selected[]}
 */
export function selectChanged(changed, since) {
  const all = changed.some((file) => EVERYTHING.test(file))
  const isCode = changed.some((file) => /\.(?:[cm]?[jt]sx?|json)$/.test(file))
  const unit = all ? [{ name: 'unit', args: [] }] : isCode ? [{ name: 'unit', args: [`--changed=${since}`] }] : []
  const slow = COVERED.flatMap(({ name, files }) => {
    const own = changed.filter((file) => file.startsWith(`tests/${name}/`))
    const isWhole =
      all || changed.some((file) => files.test(file)) || own.some((file) => !/\.(?:test|spec)\.ts$/.test(file))
    return isWhole ? [{ name, args: [] }] : own.length > 0 ? [{ name, args: own }] : []
  })
  return [{ name: 'lint', args: [] }, { name: 'types', args: [] }, ...unit, { name: 'repo', args: [] }, ...slow]
}

/** @type {Counts} */
export const NONE = { passed: 0, failed: 0, skipped: 0 }

/** @param {Counts} a @param {Counts} b @returns {Counts} */
export const addCounts = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
})

/** The last line of `npm test`, which CI parses. @param {Counts} counts */
export const countsLine = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`

/**
 * Counts a failure when the runner failed without reporting a failed test: it crashed, or failed outside of a test.
 * @param {Counts} counts
 * @param {boolean} endedWell
 * @returns {Counts}
 */
export const neverGreenAfterCrash = (counts, endedWell) =>
  endedWell || counts.failed > 0 ? counts : { ...counts, failed: 1 }

/** @param {string} report Vitest's JSON @returns {Counts} */
export function countVitest(report) {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(report)
  // A test file that cannot be loaded fails without a failed test.
  const broken = testResults.filter(
    (/** @type {{ status: string, assertionResults: { status: string }[] }} */ file) =>
      file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  ).length
  return { passed: numPassedTests, failed: numFailedTests + broken, skipped: numPendingTests + numTodoTests }
}

/** @param {string} report Playwright's JSON @returns {Counts} */
export function countPlaywright(report) {
  const { stats, errors } = JSON.parse(report)
  // A test that passes only when repeated is a failure.
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky + errors.length, skipped: stats.skipped }
}

/**
 * Names each failed test with the first line of its error, so that the end of a log says what failed.
 * @param {string} report Vitest's JSON
 * @returns {readonly string[]}
 */
export function listFailedByVitest(report) {
  /** @type {{ testResults: { name?: string, status: string, message?: string, assertionResults: { fullName: string, status: string, failureMessages?: string[] }[] }[] }} */
  const { testResults } = JSON.parse(report)
  return testResults.flatMap(({ name = '', status, message = '', assertionResults }) => {
    const failed = assertionResults.filter((result) => result.status === 'failed')
    if (status === 'failed' && failed.length === 0) return [nameFailure(name, 'cannot be loaded', message)]
    return failed.map(({ fullName, failureMessages = [] }) => nameFailure(name, fullName, failureMessages[0] ?? ''))
  })
}

/**
 * @typedef {{ file?: string, title: string, tests: { projectName: string, status: string, results: { error?: { message?: string } }[] }[] }} Spec
 * @typedef {{ specs?: Spec[], suites?: Suite[] }} Suite
 * @param {string} report Playwright's JSON
 * @returns {readonly string[]} as of Vitest
 */
export function listFailedByPlaywright(report) {
  /** @type {{ suites?: Suite[], errors: { message?: string }[] }} */
  const { suites = [], errors } = JSON.parse(report)
  /** @param {Suite} suite @returns {Spec[]} */
  const specsOf = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)]
  const failed = suites.flatMap(specsOf).flatMap(({ file = '', title, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected' || status === 'flaky')
      .map(({ projectName, results }) => {
        const message = results.find(({ error }) => error !== undefined)?.error?.message ?? ''
        return nameFailure(file, `[${projectName}] ${title}`, message)
      }),
  )
  return [...failed, ...errors.map(({ message = '' }) => nameFailure('', 'outside of a test', message))]
}

/** @param {string} file @param {string} title @param {string} message of the error */
const nameFailure = (file, title, message) =>
  `✗ ${file.replace(/^.*\/tests\//, 'tests/')} ${title}: ${stripVTControlCharacters(message).split('\n')[0]}`
