import type { Boards } from '../../../../lib/verdict/expectations/answer'
import type { Judged, Report } from '../../../../lib/verdict/expectations/report'
import type { Finding, Verdict } from '../../../../lib/verdict/verdict'

export const OPTIONS: Boards = { appUrl: 'http://localhost:3000' }

export const finding = (given: Partial<Finding> = {}): Finding => ({
  about: 'TypeError: x is not a function',
  at: { seq: 7, item: 0 },
  path: 'environment',
  seen: 'nothing',
  wanted: 'a name',
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
  mend: 'Set environment in Sentry.init.',
  verdict: { verdict: 'pass', judged: 3 },
  ...given,
})

export const report = (given: Partial<Report> = {}): Report => ({
  verdict: 'pass',
  because: [],
  judged: [judged()],
  from: { submissions: 31, items: 412, stamp: null, first: 0, last: 1 },
  gaps: [],
  known: 0,
  forgiven: [],
  mended: [],
  ...given,
})

/** One of each: what fails, is warned of, cannot be judged, is not whole, is known. */
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
            seen: 'a | pipe & <b>\u001b[31m',
            wanted: '100 %',
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
      mend: 'Mend it, or allow it until a date.',
      verdict: failing([finding({ seen: 'unhandled', wanted: 'none' })]),
    }),
    judged({ id: 'prefetch', verdict: { verdict: 'incomplete', why: 'nobody watched the browser' } }),
    judged({ id: 'cache', verdict: { verdict: 'incomplete', why: 'nobody watched the browser' } }),
  ],
  gaps: ['3 records were evicted while it ran'],
  known: 2,
  forgiven: [{ id: 'errors', about: 'Error: old', count: 2, by: 'the allowlist: #12, until 2999-01-01' }],
  mended: ['order #', 'customer #'].map((about) => ({ id: 'no-secrets', about, path: '' })),
})
