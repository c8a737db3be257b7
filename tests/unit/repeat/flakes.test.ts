import { describe, expect, it } from 'vitest'
import { failuresIn, readPlaywright, readVitest } from '../../repeat/flakes.js'

describe('the results of a run', () => {
  it('of Vitest name the failure of each test, and of files that fail to load', () => {
    const report = {
      testResults: [
        {
          name: 'a.test.ts',
          status: 'failed',
          assertionResults: [
            { fullName: 'one', status: 'passed' },
            {
              fullName: 'two',
              status: 'failed',
              failureMessages: ['\u001b[31mexpected 1 to be 2\u001b[39m\n  at here'],
            },
            { fullName: 'three', status: 'pending' },
          ],
        },
        { name: 'b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
      ],
    }
    expect([...readVitest(JSON.stringify(report))]).toEqual([
      ['a.test.ts one', null],
      ['a.test.ts two', 'expected 1 to be 2\n  at here'],
      ['b.test.ts', 'no such module'],
    ])
  })

  it('of Playwright name the failure of each test in each project; a test that passes on retry counts as failed', () => {
    const results = [{ error: { message: 'a timeout' } }, {}]
    const spec = (title: string, status: string) => ({
      title,
      ok: true,
      tests: [{ projectName: 'kit', status, ...(status === 'expected' ? {} : { results }) }],
    })
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
      ['a.spec.ts one [kit]', null],
      ['a.spec.ts two [kit]', 'a timeout'],
      ['a.spec.ts group four [kit]', 'a timeout'],
      ['error 1 outside of tests', 'no tests found'],
    ])
  })
})

it('lists each test that did not always pass, with the number of failed runs', () => {
  const runs = [
    { a: null, b: null, c: 'no' },
    { a: null, b: 'no', c: 'no' },
    { a: null, b: null },
  ].map((run) => new Map(Object.entries(run)))
  expect(failuresIn(runs)).toEqual([
    { name: 'c', failed: 2, of: 2 },
    { name: 'b', failed: 1, of: 3 },
  ])
  expect(failuresIn(runs.slice(0, 0))).toEqual([])
})
