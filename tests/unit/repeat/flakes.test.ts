import { expect, it } from 'vitest'
import { failuresIn, readPlaywright, readVitest } from '../../repeat/flakes.js'

it('lists each test that did not always pass', () => {
  const one = { fullName: 'one', status: 'failed', failureMessages: ['\u001b[31mexpected 1 to be 2\u001b[39m'] }
  const failed = readVitest(
    JSON.stringify({ testResults: [{ name: 'a.test.ts', status: 'failed', assertionResults: [one] }] }),
  )
  expect([...failed]).toEqual([['a.test.ts one', 'expected 1 to be 2']])
  const spec = { title: 'two', ok: true, tests: [{ projectName: 'kit', status: 'expected' }] }
  const passed = readPlaywright(JSON.stringify({ errors: [], suites: [{ title: 'a.spec.ts', specs: [spec] }] }))
  expect([...passed]).toEqual([['a.spec.ts two [kit]', null]])
  expect(failuresIn([failed, passed, failed])).toEqual([{ name: 'a.test.ts one', failed: 2, of: 2 }])
})
