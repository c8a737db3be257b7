import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { junitReport } from '../../../../lib/verdict/reports/junit'
import { everything, failing, finding, judged, OPTIONS, report } from './sample-reports'

const SCHEMA = readFileSync(new URL('../../../fixtures/junit.xsd', import.meta.url), 'utf8')

const schemaErrors = async (xml: string): Promise<readonly string[]> =>
  (await validateXML({ xml, schema: [SCHEMA] })).errors.map(({ message }) => message)

const incomplete = report({
  verdict: 'incomplete',
  judged: [judged({ verdict: { verdict: 'incomplete', why: 'no event was recorded' } })],
  from: { submissions: 0, items: 0, stamp: null, first: null, last: null },
  reasons: ['the required check losses is incomplete: 3 are pending'],
  gaps: [],
})

describe('a report as JUnit XML', () => {
  it('has a passing case for a complete record', () => {
    expect(junitReport(report(), OPTIONS)).toContain(
      '<testcase name="the record is complete" classname="waystation.recording" time="0"/>',
    )
  })

  it('names tests that passed at a retry', () => {
    expect(junitReport(report({ flaky: [{ test: 'pays', attempt: 2 }] }), OPTIONS)).toContain(
      '<system-out>1 test passed on retry 2 (flaky): pays</system-out>',
    )
  })

  it('has a failure if the program failed', () => {
    const program = 'The program was ended by signal SIGKILL'
    expect(
      junitReport(report(), { ...OPTIONS, program }),
    ).toContain(`  <testsuite name="program" tests="1" failures="1" errors="0" skipped="0" time="0">
    <testcase name="the program succeeded" classname="waystation.program" time="0"><failure type="program" message="${program}">${program}</failure></testcase>
  </testsuite>`)
  })

  it('has a suite per group and a case per check; warnings pass, incomplete checks are skipped', () => {
    expect(junitReport(everything, OPTIONS)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="waystation">
  <testsuite name="recording" tests="1" failures="0" errors="1" skipped="0" time="0">
    <testcase name="the record is complete" classname="waystation.recording" time="0"><error type="record-incomplete" message="3 records were evicted while it ran">Checked 31 envelopes with 412 items
3 records were evicted while it ran</error><system-out>2 known failures not counted (baseline or allowlist)
Error: old, 2 times (errors): the allowlist: #12, until 2999-01-01</system-out></testcase>
  </testsuite>
  <testsuite name="contract" tests="4" failures="1" errors="0" skipped="2" time="0">
    <testcase name="Every event names its environment (default-environment)" classname="waystation.contract" time="0"/>
    <testcase name="Nothing secret is sent (no-secrets)" classname="waystation.contract" time="0"><failure type="no-secrets" message="TypeError: x is not a function: expected a name, got nothing">TypeError: x is not a function
  path      environment
  expected  a name
  actual    nothing
  in        http://localhost:3000/envelopes/7
pageload /checkout
  expected  100 %
  actual    a | pipe &amp; &lt;b&gt;\\u001b[31m
and 12 more
fix: Set environment in Sentry.init.</failure></testcase>
    <testcase name="Every event names its environment (prefetch)" classname="waystation.contract" time="0"><skipped message="nobody watched the browser"/></testcase>
    <testcase name="Every event names its environment (cache)" classname="waystation.contract" time="0"><skipped message="nobody watched the browser"/></testcase>
  </testsuite>
  <testsuite name="errors" tests="1" failures="0" errors="0" skipped="0" time="0">
    <testcase name="No error is unexpected (errors)" classname="waystation.errors" time="0"><system-out>warning
TypeError: x is not a function
  path      environment
  expected  none
  actual    unhandled
  in        http://localhost:3000/envelopes/7
fix: Mend it, or allow it until a date.</system-out></testcase>
  </testsuite>
</testsuites>
`)
  })

  it('has an error for an incomplete record, because readers show skipped cases as green', () => {
    expect(junitReport(incomplete, OPTIONS)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="waystation">
  <testsuite name="recording" tests="1" failures="0" errors="1" skipped="0" time="0">
    <testcase name="the record is complete" classname="waystation.recording" time="0"><error type="incomplete" message="Telemetry check is incomplete: 0 of 1 check passed, 1 incomplete: the required check losses is incomplete: 3 are pending">Telemetry check is incomplete: 0 of 1 check passed, 1 incomplete
reason: the required check losses is incomplete: 3 are pending
No telemetry was recorded</error></testcase>
  </testsuite>
  <testsuite name="contract" tests="1" failures="0" errors="0" skipped="1" time="0">
    <testcase name="Every event names its environment (default-environment)" classname="waystation.contract" time="0"><skipped message="no event was recorded"/></testcase>
  </testsuite>
</testsuites>
`)
  })
})

describe('the JUnit schema', () => {
  const evil = `]]> <x a="b" c='d'> & \u0000\u0008\u001b\ufffe\uffff \ud800 \udc00 🙂 \r\n"`

  it.each([
    ['a passing report', report()],
    ['a report with every kind of result', everything],
    ['an incomplete report', incomplete],
    ['a report without checks', report({ judged: [] })],
    [
      'a report with special characters in every text',
      report({
        judged: [
          judged({
            title: evil,
            fix: evil,
            verdict: failing([finding({ about: evil, path: evil, actual: evil, expected: evil })]),
          }),
          judged({ severity: 'warning', verdict: failing([finding({ about: evil })]) }),
          judged({ verdict: { verdict: 'incomplete', why: evil } }),
        ],
        gaps: [evil],
      }),
    ],
  ])('accepts %s', async (_name, one) => {
    expect(await schemaErrors(junitReport(one, OPTIONS))).toEqual([])
  })

  it.each([
    ['a text that is not XML', (xml: string) => xml.replace('</testsuites>', '')],
    ['a case without a name', (xml: string) => xml.replace('testcase name="', 'testcase title="')],
    ['a count that is not a number', (xml: string) => xml.replace('tests="1"', 'tests="one"')],
  ])('rejects %s', async (_name, broken) => {
    expect((await schemaErrors(broken(junitReport(report(), OPTIONS)))).length).toBeGreaterThan(0)
  })
})
