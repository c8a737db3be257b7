import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { testClone } from './fresh-clone'
import { endStarted } from './npm-start'

afterEach(endStarted)

const vitest = (numPassedTests: number, numFailedTests = 0) => ({
  code: numFailedTests === 0 ? 0 : 1,
  report: { numPassedTests, numFailedTests, numPendingTests: 1, numTodoTests: 0, testResults: [] },
})
const playwright = (expected: number, code = 0) => ({
  code,
  report: { stats: { expected, unexpected: 0, flaky: 0, skipped: 0 }, errors: [] },
})
const GREEN = { unit: vitest(10), repo: vitest(2), flow: vitest(3), faults: vitest(1), e2e: playwright(4) }

describe('npm test', () => {
  test('builds, runs every part, and prints the sum of their counts last', async () => {
    const clone = testClone()
    const run = clone.test(GREEN)
    expect(await run.exited, run.output()).toEqual({ code: 0, signal: null })
    expect(clone.done()).toEqual(['build', 'lint', 'types', 'unit', 'repo', 'flow', 'faults', 'e2e'])
    expect(run.lastLine()).toBe('22 passed, 0 failed, 4 skipped')
  })

  test('runs the other parts after a failed one, and fails', async () => {
    const clone = testClone()
    const run = clone.test({ ...GREEN, lint: { code: 1 }, unit: vitest(9, 1) })
    expect((await run.exited).code).toBe(1)
    expect(clone.done()).toContain('e2e')
    expect(run.lastLine()).toBe('20 passed, 2 failed, 4 skipped')
  })

  test('counts a crashed part as failed, with and without a report', async () => {
    const clone = testClone()
    const run = clone.test({ ...GREEN, flow: { code: 1 }, e2e: playwright(4, 1) })
    expect((await run.exited).code).toBe(1)
    expect(run.lastLine()).toBe('19 passed, 2 failed, 3 skipped')
  })

  test('counts a part without a report as failed', async () => {
    const clone = testClone()
    const run = clone.test({ ...GREEN, unit: {} })
    expect((await run.exited).code).toBe(1)
    expect(run.lastLine()).toBe('12 passed, 1 failed, 3 skipped')
  })

  test('counts parts that need a build as failed when it fails, and runs the others', async () => {
    const clone = testClone()
    const run = clone.test(GREEN, [], { PLAYED_NEXT: './app/page.tsx:1:1\nNo such module' })
    expect((await run.exited).code).toBe(1)
    expect(clone.done()).toEqual(['lint', 'types', 'unit', 'repo', 'faults'])
    expect(run.output()).toContain('Not run: app/page.tsx:1:1 No such module. See ')
    expect(run.lastLine()).toBe('15 passed, 2 failed, 3 skipped')
  })

  test('runs only the named parts, and builds nothing that they do not need', async () => {
    const clone = testClone()
    const run = clone.test(GREEN, ['unit', 'lint'])
    expect((await run.exited).code).toBe(0)
    expect(clone.done()).toEqual(['lint', 'unit'])
    expect(run.lastLine()).toBe('11 passed, 0 failed, 1 skipped')
  })

  test('lists the valid parts when a part is unknown', async () => {
    const run = testClone().test(GREEN, ['units'])
    expect((await run.exited).code).toBe(2)
    expect(run.output()).toBe(
      'unknown part "units"; valid parts: lint, types, unit, repo, flow, faults, e2e, corpus, soak, and paths of test files\n',
    )
  })

  // Browsers of macOS are not on the PATH, so an empty PATH does not hide them.
  test.skipIf(process.platform === 'darwin')('prints what to do when there is no browser', async () => {
    const clone = testClone()
    mkdirSync(join(clone.root, 'empty'))
    const run = clone.test(GREEN, ['e2e'], { PATH: join(clone.root, 'empty'), PLAYED_BROWSER: '/nowhere', CI: '' })
    expect((await run.exited).code).toBe(1)
    expect(run.output()).toMatch(
      /Not run: there is no Chromium or Chrome, and installing one failed \(.*\); install one, or set WAYSTATION_CHROMIUM to its path\. See /,
    )
    expect(run.lastLine()).toBe('0 passed, 1 failed, 0 skipped')
  })

  test('runs the tests without the settings of npm start', async () => {
    const clone = testClone()
    clone.write(
      'node_modules/typescript/bin/tsc',
      "console.log('settings:', Object.keys(process.env).filter((name) => /^(WAYSTATION|SENTRY)_/.test(name)).join())",
    )
    const run = clone.test(GREEN, ['types'], { WAYSTATION_TOKEN: 'x'.repeat(16), SENTRY_DSN: 'http://a@b/1' })
    await run.exited
    expect(run.output()).toContain('settings: \n')
  })
})
