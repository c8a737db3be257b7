import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import type { Judged } from '../../../../lib/verdict/expectations/report'
import { lastLine } from '../../../../lib/verdict/reports/report-text'
import { terminalReport, wrap } from '../../../../lib/verdict/reports/terminal'
import { browserTestsOnly } from '../../../../lib/verdict/rules/browser-requests'
import type { Finding } from '../../../../lib/verdict/verdict'
import { everything, failing, finding, judged, OPTIONS, report } from './sample-reports'

it('terminalReport shows a pass in two lines', () => {
  expect(terminalReport(report(), OPTIONS)).toBe(`
  ✓ Telemetry check passed: 1 of 1 check
    Checked 31 envelopes with 412 items
`)
})

it('terminalReport names tests that passed at a retry', () => {
  const flaky = [{ test: 'pays (cart.spec.ts:3)', attempt: 1 }]
  expect(terminalReport(report({ flaky }), OPTIONS)).toContain(
    '\n    1 test passed on retry 1 (flaky): pays (cart.spec.ts:3)\n',
  )
  const two = report({ flaky: [...flaky, { test: 'ships\n(cart.spec.ts:9)', attempt: 2 }] })
  expect(terminalReport(two, { ...OPTIONS, width: 200 })).toContain(
    '\n    2 tests passed on a retry (flaky): pays (cart.spec.ts:3) (retry 1), ships (cart.spec.ts:9) (retry 2)\n',
  )
})

it('terminalReport shows the verdict, failures, warnings, incomplete checks and gaps in this order', () => {
  expect(terminalReport(everything, OPTIONS)).toBe(`
  ✗ Telemetry check failed: 1 of 5 checks, 1 warning, 2 incomplete
    Checked 31 envelopes with 412 items
    2 known failures not counted (baseline or allowlist)
      - Error: old, 2 times (errors): the allowlist: #12, until 2999-01-01
    2 entries of the baseline no longer fail; update it with --write-baseline
    FILE

  ✗ Nothing secret is sent (no-secrets)
    TypeError: x is not a function
      path      environment
      expected  a name
      actual    nothing
      open      http://localhost:3000/envelopes/7
    pageload /checkout
      expected  100 %
      actual    a | pipe & <b>\\u001b[31m
    and 12 more
    fix: Set environment in Sentry.init.

  ! TypeError: x is not a function: unhandled (errors)
    fix: Mend it, or allow it until a date.

  ? 2 checks incomplete: prefetch, cache

  ? 3 records were evicted while it ran
`)
})

it('terminalReport shows the reasons for an incomplete report first, and each gap once', () => {
  const because = ['the required check losses is incomplete: 3 of 4 made have no outcome yet', 'a gap']
  expect(
    terminalReport(report({ verdict: 'incomplete', reasons: because, gaps: ['a gap'] }), { ...OPTIONS, width: 120 }),
  ).toBe(`
  ? Telemetry check is incomplete: 1 of 1 check passed
    reason: the required check losses is incomplete: 3 of 4 made have no outcome yet
    reason: a gap
    Checked 31 envelopes with 412 items
`)
})

it('terminalReport lists two gaps and counts the rest', () => {
  const text = terminalReport(
    report({ gaps: ['a', 'b', 'c', 'd', 'e'].map((page) => `page ${page} was closed`) }),
    OPTIONS,
  )
  expect(text.match(/page \w/g)).toEqual(['page a', 'page b'])
  expect(text).toContain('\n    and 3 more\n')
})

it('terminalReport shows incomplete checks in one line, or with reasons if there are no others', () => {
  const open = ['buffer', 'names', 'tunnel', 'cache'].map((id) =>
    judged({ id, verdict: { verdict: 'incomplete', why: `no ${id} was recorded` } }),
  )
  expect(terminalReport(report({ judged: [judged(), ...open] }), OPTIONS)).toContain(`

  ? 4 checks incomplete: buffer, names, tunnel, cache
`)
  expect(terminalReport(report({ verdict: 'incomplete', judged: open }), OPTIONS)).toContain(
    '  ? 1 check incomplete: no names was recorded\n    names\n',
  )
})

it('terminalReport shows reasons that name an envelope in full', () => {
  const why = 'the event of envelope 2 could not be read: the payload is not JSON'
  const open = ['buffer', 'names', 'tunnel', 'cache'].map((id) =>
    judged({ id, verdict: { verdict: 'incomplete', why: id === 'names' ? why : `no ${id} was recorded` } }),
  )
  expect(terminalReport(report({ judged: [judged(), ...open] }), { ...OPTIONS, width: 200 })).toContain(`

  ? 1 check incomplete: ${why}
    names
  ? 3 checks incomplete: buffer, tunnel, cache
`)
})

it('terminalReport merges the reasons of checks that need browser tests', () => {
  const open = Object.entries({ cache: 'What a browser asks for', fallback: 'What a page shows' }).map(([id, what]) =>
    judged({ id, verdict: { verdict: 'incomplete', why: browserTestsOnly(what) } }),
  )
  expect(terminalReport(report({ judged: open }), { ...OPTIONS, width: 200 })).toContain(`
  ? 2 checks incomplete: they can only be checked by toKeepTheContract() in a browser test: see docs/ci.md, “The contract”.
    cache, fallback
`)
})

it('terminalReport counts checks whose sender sent nothing in one line', () => {
  const open = (id: string, given: Partial<Judged> = {}) =>
    judged({ id, verdict: { verdict: 'incomplete', why: `no ${id} was recorded` }, ...given })
  const quiet = [open('tunnel', { silent: 'pages' }), open('cache', { silent: 'pages' })]
  const text = (...all: readonly Judged[]) => terminalReport(report({ judged: [judged(), ...all] }), OPTIONS)
  expect(text(...quiet, open('spans'))).toContain(`
  ? 1 check incomplete: spans; 2 checks skipped: no telemetry from pages
`)
  expect(text(...quiet, open('names', { silent: 'JavaScript SDKs' }))).toContain(
    '\n\n  ? 3 checks skipped: no telemetry from pages and JavaScript SDKs\n',
  )
})

it('terminalReport lists no checks if nothing was recorded', () => {
  const nothing = report({
    verdict: 'incomplete',
    judged: [judged({ verdict: { verdict: 'incomplete', why: 'no event was recorded' } })],
    from: { submissions: 0, items: 0, stamp: 'nightly', first: null, last: null },
  })
  expect(terminalReport(nothing, OPTIONS)).toBe(`
  ? Telemetry check is incomplete: 0 of 1 check passed, 1 incomplete
    No telemetry stamped nightly was recorded
`)
})

it('terminalReport lists three findings per check and counts the rest', () => {
  const findings = Array.from({ length: 22 }, (_, index) => finding({ about: `error ${index}`, at: null, path: '' }))
  const text = terminalReport(report({ verdict: 'fail', judged: [judged({ verdict: failing(findings) })] }), OPTIONS)
  expect(text.match(/error \d+/g)).toEqual(Array.from({ length: 3 }, (_, index) => `error ${index}`))
  expect(text).toContain('    and 19 more\n')
})

it('terminalReport shows the losses for one reason together, over their data categories', () => {
  const loss = (category: string, reason: string, actual: string) =>
    finding({ about: `${category}, ${reason}`, at: null, path: '', actual, expected: 'none lost' })
  const findings = [
    loss('span', 'queue_overflow', '103 discarded by the SDK: is its bufferSize small?'),
    loss('span', 'internal_sdk_error', '2 discarded by the SDK'),
    loss('error', 'queue_overflow', '1 discarded by the SDK'),
    loss('log_item', 'queue_overflow', '4 discarded by the SDK'),
    loss('error', 'overflow', '1 ended here'),
    loss('span', 'overflow', '1 ended here'),
  ]
  expect(
    terminalReport(report({ verdict: 'fail', judged: [judged({ verdict: failing(findings) })] }), OPTIONS),
  ).toContain(`
    span, error, log_item: queue_overflow
      expected  none lost
      actual    103, 1, 4 discarded by the SDK: is its bufferSize small?
    span, internal_sdk_error
      expected  none lost
      actual    2 discarded by the SDK
    error, overflow
      expected  none lost
      actual    1 ended here
    and 1 more
`)
})

it('terminalReport writes once what findings say of several subjects', () => {
  const of = (about: string, test: string, actual = 'recorded twice') =>
    finding({ about, at: null, path: '', actual, expected: 'once', test })
  const findings = [of('navigation /a', 'one'), of('navigation /b', 'two', 'late'), of('navigation /c', 'three')]
  expect(
    terminalReport(report({ verdict: 'fail', judged: [judged({ verdict: failing(findings) })] }), OPTIONS),
  ).toContain(`
    navigation /a
    navigation /c
      expected  once
      actual    recorded twice
      test      one
      test      three
    navigation /b
      expected  once
      actual    late
      test      two
`)
})

it('wrapped lines begin with no workflow command', () => {
  const lines = wrap('  ', `${'word '.repeat(20)}::stop-commands::x ${'word '.repeat(20)}::error::y`, 60)
  expect(lines.filter((line) => line.includes(':stop')).length).toBe(1)
  expect(lines.filter((line) => /^\s*::/.test(line))).toEqual([])
  expect(wrap('', '::a', 60)).toEqual(['\\u003a:a'])
})

it('terminalReport wraps at 80 columns, except addresses', () => {
  const long = 'several words that a payload had '.repeat(20)
  const wide = report({
    verdict: 'fail',
    judged: [
      judged({ title: long, fix: long, verdict: failing([finding({ about: long, actual: long, expected: long })]) }),
    ],
    gaps: [long],
  })
  const lines = terminalReport(wide, OPTIONS).split('\n')
  expect(lines.length).toBeGreaterThan(40)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
})

it('terminalReport truncates long text without splitting a surrogate pair', () => {
  const seen = `${'a'.repeat(499)}🙂${'b'.repeat(100)}`
  const text = terminalReport(report({ judged: [judged({ verdict: failing([finding({ actual: seen })]) })] }), OPTIONS)
  expect(text).toContain(`${'a'.repeat(499)}…\n`)
})

it('terminalReport shows positions without boards', () => {
  const text = terminalReport(report({ judged: [judged({ verdict: failing([finding()]) })] }), { appUrl: null })
  expect(text).toContain('      actual    nothing\n      in        envelope 7, item 0\n')
})

it('terminalReport adds colours as an option', () => {
  const plain = terminalReport(everything, OPTIONS)
  const painted = terminalReport(everything, { ...OPTIONS, colour: true })
  expect(painted).toContain('\u001b[31m  ✗ Nothing secret is sent (no-secrets)\u001b[39m')
  expect(stripVTControlCharacters(painted)).toBe(plain)
})

const refused = (test: string, envelope: number): Finding =>
  finding({
    about: 'POST http://localhost:3000/tunnel',
    actual: 'an envelope was answered 404',
    expected: 'an answer of 2xx',
    path: '',
    at: { seq: envelope, item: 0, eventId: `${envelope}`.repeat(32) },
    test,
  })
const posts = [
  'adds (a.spec.ts:1)',
  'adds (a.spec.ts:1)',
  'pays (b.spec.ts:2)',
  'logs in (c.spec.ts:3)',
  'ends (d.spec.ts:4)',
]
const refusals = judged({ id: 'posts', verdict: failing(posts.map((test, index) => refused(test, index + 1))) })

it('terminalReport groups equal findings, with a count and three examples', () => {
  const text = terminalReport(report({ verdict: 'fail', judged: [refusals] }), OPTIONS)
  expect(text).toContain(`
    POST http://localhost:3000/tunnel, 5 times
      expected  an answer of 2xx
      actual    an envelope was answered 404
      test      adds (a.spec.ts:1)
      open      http://localhost:3000/events/${'1'.repeat(32)}
      test      pays (b.spec.ts:2)
      open      http://localhost:3000/events/${'3'.repeat(32)}
      test      logs in (c.spec.ts:3)
      open      http://localhost:3000/events/${'4'.repeat(32)}
    fix: `)
})

it('terminalReport has one line for a consequence, and for checks beyond 24 lines', () => {
  const many = Array.from({ length: 4 }, (_, index) =>
    finding({ about: `span ${index}`, expected: 'one', actual: 'none' }),
  )
  const others = ['a', 'b', 'c'].map((id) => judged({ id, title: 'Spans', verdict: failing(many) }))
  const follows = judged({
    id: 'loads',
    title: 'Pageloads',
    verdict: failing(many),
    follows: 'POST /tunnel: answered 404',
  })
  const text = terminalReport(report({ verdict: 'fail', judged: [refusals, follows, ...others] }), OPTIONS)
  expect(text).toMatch(
    /\n\n {2}✗ Pageloads \(loads\): follows from: POST \/tunnel: answered 404\n {2}✗ Spans \(b\): span 0: expected one, got none\n {2}✗ Spans \(c\)/,
  )
  expect(text.split('\n').length).toBeLessThan(40)
})

it.each([
  [3, true],
  [2, false],
])(
  'terminalReport shows a second check with %i subjects in one line if both exceed 24 lines: %s',
  (subjects, isBrief) => {
    const saying = (id: string, count: number) => {
      const findings = Array.from({ length: count }, (_, index) =>
        finding({ about: `span ${index}`, at: null, path: '', expected: 'one', actual: `none, ${id} ${index}` }),
      )
      return judged({ id, title: 'Spans', verdict: failing(findings) })
    }
    const long = { ...refusals, fix: 'Compare paths. '.repeat(15) }
    const text = terminalReport(report({ verdict: 'fail', judged: [long, saying('b', subjects)] }), OPTIONS)
    expect(text.includes('✗ Spans (b): span 0: expected one, got none, b 0')).toBe(isBrief)
    expect(text.includes('actual    none, b 0')).toBe(!isBrief)
  },
)

it('terminalReport shows a gap in at most two lines', () => {
  const gap = `page ${'and so on '.repeat(30)}`
  const lines = terminalReport(report({ gaps: [gap] }), OPTIONS)
    .trimEnd()
    .split('\n')
  expect(lines.slice(lines.findIndex((line) => line.startsWith('  ? page')))).toEqual([
    expect.stringMatching(/^ {2}\? page and/),
    expect.stringMatching(/^ {4}and so on .*…$/),
  ])
})

it('terminalReport prints only failures and reasons with quiet', () => {
  const text = terminalReport(everything, { ...OPTIONS, quiet: true })
  expect(text).toContain('✗ Nothing secret is sent')
  expect(text).not.toMatch(/ [!?] |Checked|known failures/)
})

it('lastLine has the verdict and the first cause with its tests', () => {
  expect(lastLine(report())).toBe('✓ Telemetry check passed: 1 of 1 check')
  expect(lastLine(report({ verdict: 'incomplete', reasons: ['nothing was recorded', 'a gap'] }))).toBe(
    '? Telemetry check is incomplete: nothing was recorded',
  )
  const failed = report({ verdict: 'fail', judged: [judged(), { ...refusals, group: 'arrival' }] })
  const cause =
    'Telemetry check failed: POST http://localhost:3000/tunnel: an envelope was answered 404 (4 tests; adds)'
  expect(lastLine(failed)).toBe(`✗ ${cause}`)
  expect(lastLine(failed, 'The program ended with code 1')).toBe(`✗ The program ended with code 1. ${cause}`)
  const one = judged({ verdict: failing([finding({ test: 'pays (b.spec.ts:2)' })]) })
  expect(lastLine(report({ verdict: 'fail', judged: [one] }))).toBe(
    '✗ Telemetry check failed: TypeError: x is not a function: expected a name, got nothing (pays)',
  )
})
