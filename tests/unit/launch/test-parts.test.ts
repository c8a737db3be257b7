import { describe, expect, test } from 'vitest'
import {
  addCounts,
  allParts,
  countPlaywright,
  countsLine,
  countVitest,
  neverGreenAfterCrash,
  selectChanged,
  selectNamed,
} from '../../../collector/launch/test/test-parts.js'

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
  test('end in the line that CI parses', () => {
    const sum = addCounts({ passed: 3, failed: 0, skipped: 1 }, { passed: 4, failed: 2, skipped: 0 })
    expect(countsLine(sum)).toBe('7 passed, 2 failed, 1 skipped')
  })

  test('are read from the report of Vitest', () => {
    const report = vitestReport({ numPassedTests: 5, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 })
    expect(countVitest(report)).toEqual({ passed: 5, failed: 1, skipped: 3 })
  })

  test('include a test file that cannot be loaded as a failure', () => {
    const broken = { status: 'failed', assertionResults: [] }
    const failing = { status: 'failed', assertionResults: [{ status: 'failed' }] }
    expect(countVitest(vitestReport({ numFailedTests: 1, testResults: [broken, failing] })).failed).toBe(2)
  })

  test('are read from the report of Playwright; a flaky test is a failure', () => {
    const report = JSON.stringify({ stats: { expected: 7, unexpected: 1, flaky: 1, skipped: 2 }, errors: [{}] })
    expect(countPlaywright(report)).toEqual({ passed: 7, failed: 3, skipped: 2 })
  })

  test('include a failure when the runner crashed', () => {
    const green = { passed: 5, failed: 0, skipped: 0 }
    expect(neverGreenAfterCrash(green, false)).toEqual({ passed: 5, failed: 1, skipped: 0 })
    expect(neverGreenAfterCrash(green, true)).toEqual(green)
    expect(neverGreenAfterCrash({ ...green, failed: 2 }, false)).toEqual({ passed: 5, failed: 2, skipped: 0 })
  })
})

describe('the arguments of npm test', () => {
  const select = (...words: string[]) => selectNamed(words, allParts('/out'))
  const names = (...words: string[]) => {
    const selected = select(...words)
    return typeof selected === 'string' ? selected : selected.map(({ name }) => name)
  }

  test('select all parts but the slowest by default, and otherwise the named ones in their order', () => {
    expect(names()).toEqual(['lint', 'types', 'unit', 'repo', 'flow', 'faults', 'e2e'])
    expect(names('soak', 'lint')).toEqual(['lint', 'soak'])
  })

  test('pass paths to the named part, or to the part of their folder', () => {
    expect(select('flow', 'relay.test.ts')).toEqual([{ name: 'flow', args: ['relay.test.ts'] }])
    expect(select('tests/unit/time.test.ts', 'tests/e2e/home.spec.ts')).toEqual([
      { name: 'unit', args: ['tests/unit/time.test.ts'] },
      { name: 'e2e', args: ['tests/e2e/home.spec.ts'] },
    ])
  })

  test('refuse an unknown part and a path without a part', () => {
    expect(names('units')).toMatch(
      /^unknown part "units"; valid parts: lint, types, .*, soak, and paths of test files$/,
    )
    expect(names('lib/time.ts')).toMatch(/^lib\/time\.ts belongs to no part; name one before it: lint, /)
  })
})

describe('the parts that a change can break', () => {
  const CHECKS = ['lint', 'types', 'repo']
  const UNIT = 'unit --changed=HEAD'
  const select = (...changed: string[]) =>
    selectChanged(changed, 'HEAD').map(({ name, args }) => [name, ...args].join(' '))

  test.each<[string, readonly string[], readonly string[]]>([
    ['documents', ['docs/ci.md', 'README.md'], CHECKS],
    ['a unit test', ['tests/unit/time.test.ts'], [...CHECKS, UNIT]],
    ['the relay', ['collector/relay/delivery.ts'], [...CHECKS, UNIT, 'flow', 'faults']],
    ['a command', ['collector/cli/wait.ts'], [...CHECKS, UNIT, 'flow']],
    ['a page', ['dashboards/ui/chip.tsx'], [...CHECKS, UNIT, 'e2e']],
    ['a style sheet', ['app/layout.css'], [...CHECKS, 'e2e']],
    ['the SDK set-up', ['lib/sdk/client.ts'], [...CHECKS, UNIT, 'flow', 'e2e']],
    ['one flow test', ['tests/flow/relay.test.ts'], [...CHECKS, UNIT, 'flow tests/flow/relay.test.ts']],
    ['the support code of flow tests', ['tests/flow/envelopes.ts'], [...CHECKS, UNIT, 'flow']],
    ['the lock file', ['package-lock.json'], [...CHECKS, 'unit', 'flow', 'faults', 'e2e']],
  ])('of %s', (_what, changed, selected) => {
    expect(select(...changed).sort()).toEqual([...selected].sort())
  })
})
