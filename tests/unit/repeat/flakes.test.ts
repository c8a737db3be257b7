import { describe, expect, it } from 'vitest'
import { failuresIn, readPlaywright, readVitest } from '../../repeat/flakes.js'

describe('a run', () => {
  it('of Vitest says of each test whether it passed, and of a file that cannot be loaded that it failed', () => {
    const report = {
      testResults: [
        {
          name: 'a.test.ts',
          status: 'failed',
          assertionResults: [
            { fullName: 'one', status: 'passed' },
            { fullName: 'two', status: 'failed' },
            { fullName: 'three', status: 'pending' },
          ],
        },
        { name: 'b.test.ts', status: 'failed', assertionResults: [] },
      ],
    }
    expect([...readVitest(JSON.stringify(report))]).toEqual([
      ['a.test.ts one', true],
      ['a.test.ts two', false],
      ['b.test.ts', false],
    ])
  })

  it('of Playwright says so of each test in each project; what passed at the second try failed', () => {
    const spec = (title: string, status: string) => ({ title, ok: true, tests: [{ projectName: 'kit', status }] })
    const report = {
      errors: [{ message: 'no tests found' }],
      suites: [
        {
          title: 'a.spec.ts',
          specs: [spec('one', 'expected'), spec('two', 'flaky'), spec('three', 'skipped')],
          suites: [{ title: 'group', specs: [spec('four', 'unexpected')] }],
        },
      ],
    }
    expect([...readPlaywright(JSON.stringify(report))]).toEqual([
      ['a.spec.ts one [kit]', true],
      ['a.spec.ts two [kit]', false],
      ['a.spec.ts group four [kit]', false],
      ['no tests found', false],
    ])
  })
})

it('tells each test that did not always pass, and in how many of its runs', () => {
  const runs = [
    { a: true, b: true, c: false },
    { a: true, b: false, c: false },
    { a: true, b: true },
  ].map((run) => new Map(Object.entries(run)))
  expect(failuresIn(runs)).toEqual([
    { name: 'c', failed: 2, of: 2 },
    { name: 'b', failed: 1, of: 3 },
  ])
  expect(failuresIn(runs.slice(0, 0))).toEqual([])
})
