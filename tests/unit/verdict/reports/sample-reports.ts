import type { Judged, Report } from '../../../../lib/verdict/expectations/report'
import type { Boards, Finding, Verdict } from '../../../../lib/verdict/verdict'

export const OPTIONS: Boards = { appUrl: 'http://localhost:3000' }

export const finding = (given: Partial<Finding> = {}): Finding => ({
  about: 'TypeError: x is not a function',
  at: { seq: 7, item: 0 },
  path: 'environment',
  actual: 'nothing',
  expected: 'a name',
  ...given,
})

export const failing = (findings: readonly Finding[], found = findings.length): Verdict => ({
  verdict: 'fail',
  judged: found,
  found,
  findings,
})

export const judged = (given: Partial<Judged> = {}): Judged => ({
  id: 'default-environment',
  title: 'Every event names its environment',
  group: 'contract',
  severity: 'error',
  why: 'Without it production and a laptop are counted together.',
  fix: 'Set environment in Sentry.init.',
  verdict: { verdict: 'pass', judged: 3 },
  ...given,
})

export const report = (given: Partial<Report> = {}): Report => ({
  verdict: 'pass',
  reasons: [],
  judged: [judged()],
  from: { submissions: 31, items: 412, stamp: null, first: 0, last: 1 },
  gaps: [],
  known: 0,
  acknowledged: 0,
  unacknowledged: [],
  knownFailures: [],
  fixed: [],
  flaky: [],
  ...given,
})

/** A report with a failure, a warning, incomplete checks, gaps and known failures. */
export const everything = report({
  verdict: 'fail',
  judged: [
    judged(),
    judged({
      id: 'no-secrets',
      title: 'Nothing secret is sent',
      verdict: failing(
        [
          finding(),
          finding({
            about: 'pageload /checkout',
            at: null,
            path: '',
            actual: 'a | pipe & <b>\u001b[31m',
            expected: '100 %',
          }),
        ],
        14,
      ),
    }),
    judged({
      id: 'errors',
      title: 'No error is unexpected',
      group: 'errors',
      severity: 'warning',
      fix: 'Mend it, or allow it until a date.',
      verdict: failing([finding({ actual: 'unhandled', expected: 'none' })]),
    }),
    judged({ id: 'prefetch', verdict: { verdict: 'incomplete', why: 'nobody watched the browser' } }),
    judged({ id: 'cache', verdict: { verdict: 'incomplete', why: 'nobody watched the browser' } }),
  ],
  gaps: ['3 records were evicted while it ran'],
  known: 2,
  knownFailures: [{ id: 'errors', about: 'Error: old', count: 2, by: 'the allowlist: #12, until 2999-01-01' }],
  fixed: ['order #', 'customer #'].map((about) => ({ id: 'no-secrets', about, path: '' })),
})
