import { describe, expect, it } from 'vitest'
import { countDifferences, diffRuns } from '../../../../lib/verdict/compare/diff'
import { diffHeadline, diffMarkdown, diffText } from '../../../../lib/verdict/compare/diff-text'
import type { RunCheck } from '../../../../lib/verdict/compare/run-data'
import { stableName } from '../../../../lib/verdict/compare/stable-names'
import { runOf, tracesOf } from './sample-runs'

const checkOf = (id: string, verdict: RunCheck['verdict'], severity: RunCheck['severity'] = 'error'): RunCheck => ({
  id,
  verdict,
  severity,
})

const BASE = [...tracesOf('GET /orders', 4, { items: 1, render: 1 }), ...tracesOf('GET /cart', 3, { cache: 1 })]

describe('a diff of two runs', () => {
  it('names a span that came, one that went and a changed count, and nothing else', () => {
    const head = [...tracesOf('GET /orders', 5, { items: 6, render: 1, audit: 2 }), ...tracesOf('GET /cart', 3, {})]
    const diff = diffRuns([runOf({ traces: BASE })], runOf({ traces: head }))
    expect(diff.spans).toEqual({
      changes: [
        { kind: 'went', trace: 'GET /cart', span: 'cache', before: 1, after: 0 },
        { kind: 'came', trace: 'GET /orders', span: 'audit', before: 0, after: 2 },
        { kind: 'count', trace: 'GET /orders', span: 'items', before: 1, after: 6 },
      ],
      unjudged: [],
    })
    expect(countDifferences(diff)).toEqual({ spans: 3, errors: 0, rules: 0, durations: 0 })
    expect(diffHeadline(diff)).toBe('Differences: 3 spans')
  })

  it('does not judge fewer than three traces on a side, and says so', () => {
    const few = diffRuns(
      [runOf({ traces: tracesOf('GET /', 2, { a: 1 }) })],
      runOf({ traces: tracesOf('GET /', 9, { a: 2 }) }),
    )
    expect(few.spans).toEqual({ changes: [], unjudged: ['GET /: 2 traces before, 9 now, at least 3 needed'] })
    expect(diffText(few)).toContain('No differences between run and run')
  })

  it('reports no count that varies within a run, or between the base runs', () => {
    const varies = [...tracesOf('GET /', 3, { retry: 1 }), ...tracesOf('GET /', 3, { retry: 2 })]
    const steady = tracesOf('GET /', 6, { retry: 4 })
    expect(diffRuns([runOf({ traces: varies })], runOf({ traces: steady })).spans.changes).toEqual([])
    expect(diffRuns([runOf({ traces: steady })], runOf({ traces: varies })).spans.changes).toEqual([])
    const [one, two] = [tracesOf('GET /', 3, { a: 1 }), tracesOf('GET /', 3, { a: 2 })]
    const bases = [runOf({ traces: one }), runOf({ traces: two })]
    expect(diffRuns(bases, runOf({ traces: tracesOf('GET /', 3, { a: 5 }) })).spans.changes).toEqual([])
  })

  it('calls an error new that no base run had, and gone that all had', () => {
    const bases = [
      runOf({ errors: new Map([['a', 1]]) }),
      runOf({
        errors: new Map([
          ['a', 2],
          ['b', 1],
        ]),
      }),
    ]
    expect(
      diffRuns(
        bases,
        runOf({
          errors: new Map([
            ['b', 1],
            ['c', 3],
          ]),
        }),
      ).errors,
    ).toEqual([
      { kind: 'new', error: 'c', count: 3 },
      { kind: 'gone', error: 'a', count: 1 },
    ])
  })

  it('names rules whose verdict changed, except those that follow from another difference', () => {
    const checks = (verdict: 'pass' | 'fail') => ['errors', 'n-plus-one', 'privacy'].map((id) => checkOf(id, verdict))
    const change = (given: object) =>
      diffRuns([runOf({ checks: checks('pass') })], runOf({ checks: checks('fail'), ...given })).rules.map(
        ({ id }) => id,
      )
    expect(change({})).toEqual(['errors', 'n-plus-one', 'privacy'])
    expect(change({ errors: new Map([['new', 1]]) })).toEqual(['n-plus-one', 'privacy'])
    const incomplete = [checkOf('privacy', 'incomplete')]
    expect(diffRuns([runOf({ checks: checks('pass') })], runOf({ checks: incomplete })).rules).toEqual([])
  })

  it('calls a failed warning a warning, and no difference in severity a change', () => {
    const diffOf = (before: RunCheck, after: RunCheck) =>
      diffText(diffRuns([runOf({ checks: [before] })], runOf({ checks: [after] })))
    const warning = checkOf('conventions', 'fail', 'warning')
    expect(diffOf(checkOf('conventions', 'pass', 'warning'), warning)).toContain('~ conventions: pass, now warning')
    expect(diffOf(warning, checkOf('conventions', 'fail'))).toContain('No differences')
  })

  it('lists rules that only some runs judged, and compares no comparison with another run', () => {
    const base = runOf({ checks: [checkOf('errors', 'pass'), checkOf('last-green-run', 'pass')] })
    const checks = [checkOf('errors', 'pass'), checkOf('last-green-run', 'fail', 'warning'), checkOf('orphans', 'fail')]
    const diff = diffRuns([base], runOf({ checks }))
    expect(countDifferences(diff).rules).toBe(0)
    expect(diffText(diff)).toContain('rules that only some of the runs judged: orphans\n')
    const without = runOf({ checks: [checkOf('errors', 'pass')] })
    expect(diffRuns([base], without)).toMatchObject({ rules: [], unjudgedRules: [] })
    expect(diffRuns([base], runOf()).unjudgedRules).toEqual([])
  })

  it('lists amounts as information', () => {
    const diff = diffRuns(
      [runOf({ amounts: [{ category: 'span', items: 5, bytes: 500 }] })],
      runOf({ amounts: [{ category: 'span', items: 6, bytes: 600 }] }),
    )
    expect(countDifferences(diff)).toEqual({ spans: 0, errors: 0, rules: 0, durations: 0 })
    expect(diffText(diff)).toContain('span: 5 items (500 B), now 6 (600 B)')
  })

  it('is refused without a base run', () => {
    expect(() => diffRuns([], runOf())).toThrow(RangeError)
  })
})

it('the Markdown of a diff contains received text as code, also if it contains Markdown', () => {
  const hostile = 'x `` </summary>\n# @everyone [a](b) \u001b[31m'
  const markdown = diffMarkdown(diffRuns([runOf()], runOf({ errors: new Map([[hostile, 1]]) })))
  const line = markdown.split('\n').find((one) => one.startsWith('- '))
  expect(line).toMatch(/^- ``` \+ new: x `` <\/summary>\\u000a# @everyone \[a\]\(b\) .* ```$/)
  expect(markdown).not.toContain('\u001b')
  expect(markdown.startsWith('### Telemetry: Differences: 1 error\n')).toBe(true)
})

it.each([
  ['GET /orders/1234?page=2&q=x', 'server http.server GET /orders/*'],
  [
    'SELECT * FROM items WHERE id = ? AND x IN (1, 22)',
    'server http.server SELECT * FROM items WHERE id = ? AND x IN (*, *)',
  ],
  ['job 3f2504e0-4f89-41d3-9a0c-0305e82c3301 of deadbeef01', 'server http.server job * of *'],
])('the stable name of a span of %j has no ids and no query', (name, key) => {
  expect(stableName('server', 'http.server', name)).toBe(key)
})
