import { describe, expect, it } from 'vitest'
import { type Checkout, githubAnnotations, githubRefusal, githubSummary } from '../../../../lib/verdict/reports/github'
import { everything, failing, finding, judged, OPTIONS, report } from './sample-reports'

describe('GitHub annotations', () => {
  it('are empty for a passing report', () => {
    expect(githubAnnotations(report(), OPTIONS)).toBe('')
  })

  it('are one line per failed check, with escaped values', () => {
    expect(githubAnnotations(everything, OPTIONS)).toBe(
      [
        '::error title=Nothing secret is sent (no-secrets)::TypeError: x is not a function, environment: expected a name, got nothing, http://localhost:3000/envelopes/7%0Apageload /checkout: expected 100 %25, got a | pipe & <b>\\u001b[31m%0Aand 12 more%0ASet environment in Sentry.init.',
        '::warning title=The record is incomplete::3 records were evicted while it ran',
        '::warning title=No error is unexpected (errors)::TypeError: x is not a function, environment: expected none, got unhandled, http://localhost:3000/envelopes/7%0AMend it, or allow it until a date.',
        '',
      ].join('\n'),
    )
  })

  it('cannot contain another command', () => {
    const evil = 'x\r\n::set-output name=a::b%0A::error::'
    const text = githubAnnotations(
      report({ judged: [judged({ title: 'a: b, 100 %', verdict: failing([finding({ about: evil })]) })] }),
      OPTIONS,
    )
    expect(text).toContain(
      '::error title=a%3A b%2C 100 %25 (default-environment)::x ::set-output name=a::b%250A::error::',
    )
    expect(text.split('\n')).toHaveLength(2)
  })

  it('have an error for an incomplete report', () => {
    const nothing = report({
      verdict: 'incomplete',
      judged: [],
      from: { submissions: 0, items: 0, stamp: null, first: null, last: null },
      reasons: ['nothing was recorded', 'the collector was restarted'],
      gaps: ['the collector was restarted'],
    })
    expect(githubAnnotations(nothing, OPTIONS)).toBe(
      '::error title=Telemetry check is incomplete%3A 0 of 0 checks passed::nothing was recorded%0Athe collector was restarted%0ANo telemetry was recorded\n',
    )
  })

  it('are one if the check could not run', () => {
    expect(githubRefusal(['100 % is no file.', '::stop: a\nb'])).toBe(
      '::error title=Waystation::100 %25 is no file.%0A\\u003a:stop: a b\n',
    )
  })

  it('are at most ten; the last counts the others', () => {
    const many = Array.from({ length: 12 }, (_, index) =>
      judged({ id: `rule-${index}`, verdict: failing([finding()]) }),
    )
    const lines = githubAnnotations(report({ verdict: 'fail', judged: many }), OPTIONS)
      .trimEnd()
      .split('\n')
    expect(lines).toHaveLength(10)
    expect(lines.at(-1)).toBe('::error title=and 3 checks more::rule-9, rule-10, rule-11')
  })
})

it('the GitHub summary has the verdict, a table per failed check, incomplete checks and gaps', () => {
  expect(githubSummary(everything, OPTIONS)).toBe(`## Telemetry check failed: 1 of 5 checks, 1 warning, 2 incomplete

Checked 31 envelopes with 412 items

2 known failures not counted (baseline or allowlist)

- Error: old, 2 times (errors): the allowlist: &#35;12, until 2999-01-01

2 entries of the baseline no longer fail; update it with --write-baseline FILE

### Failure: Nothing secret is sent (no-secrets)

| About | Path | Expected | Actual | In |
| --- | --- | --- | --- | --- |
| \`TypeError: x is not a function\` | \`environment\` | \`a name\` | \`nothing\` | [open](<http://localhost:3000/envelopes/7>) |
| \`pageload /checkout\` |  | \`100 %\` | \`a \\| pipe & <b>\\u001b[31m\` |  |

And 12 more.

Without it production and a laptop are counted together. Set environment in Sentry.init.

### Warning: No error is unexpected (errors)

| About | Path | Expected | Actual | In |
| --- | --- | --- | --- | --- |
| \`TypeError: x is not a function\` | \`environment\` | \`none\` | \`unhandled\` | [open](<http://localhost:3000/envelopes/7>) |

Without it production and a laptop are counted together. Mend it, or allow it until a date.

### Incomplete checks

- Every event names its environment (prefetch): nobody watched the browser
- Every event names its environment (cache): nobody watched the browser

### The record is incomplete

- 3 records were evicted while it ran
`)
})

it('the GitHub summary fences received text with more backticks than it contains', () => {
  const evil = finding({ about: '``` <img src=x> @everyone ``` ', actual: '`' })
  const text = githubSummary(report({ judged: [judged({ verdict: failing([evil]) })] }), OPTIONS)
  expect(text).toContain('| ```` ``` <img src=x> @everyone ``` ```` |')
  expect(text).toContain('| `` ` `` |')
})

it('the GitHub summary escapes markup in its sentences', () => {
  const text = githubSummary(report({ gaps: ['<b>*[x](y)* @all'] }), OPTIONS)
  expect(text).toContain('- &#60;b&#62;&#42;&#91;x&#93;(y)&#42; &#64;all')
})

it('the GitHub summary does not link addresses in sentences', () => {
  const why = 'https://evil.example/?a=b|c and www.evil.example, or git+ssh://x answered'
  const text = githubSummary(report({ judged: [judged({ verdict: { verdict: 'incomplete', why } })] }), OPTIONS)
  expect(text).toContain(': `https://evil.example/?a=b\\|c` and `www.evil.example`, or `git+ssh://x` answered\n')
})

it('the summary counts checks whose sender sent nothing in one line', () => {
  const verdict = { verdict: 'incomplete', why: 'nobody watched the browser' } as const
  const quiet = ['tunnel', 'cache'].map((id) => judged({ id, verdict, silent: 'pages' }))
  expect(githubSummary(report({ judged: [judged(), ...quiet] }), OPTIONS)).toMatch(
    /\n### Incomplete checks\n\n- 2 checks skipped: no telemetry from pages\n$/,
  )
})

it('the summary shows a failed program first', () => {
  const program = 'The program ended with code 7'
  expect(githubSummary(report(), { ...OPTIONS, program })).toMatch(
    /^## The program ended with code 7\n\nIts telemetry: Telemetry check passed: 1 of 1 check\n/,
  )
})

it('the summary lists next steps if nothing arrived', () => {
  expect(githubSummary(report(), OPTIONS, ['Does it start an SDK?'])).toContain(
    '\n### Next steps\n\n- Does it start an SDK?\n',
  )
})

it('the summary shows the reasons for an incomplete report first', () => {
  const because = ['the required check losses is incomplete: upstream answers 403']
  expect(githubSummary(report({ verdict: 'incomplete', reasons: because }), OPTIONS)).toMatch(
    /^## [^\n]*\n\n\*\*Reason:\*\* the required check losses is incomplete: upstream answers 403\n\nChecked/,
  )
})

describe('the source line of an annotation', () => {
  const annotated = (files: readonly string[], checkout: Checkout) => {
    const findings = files.map((file, index) => finding({ about: `error ${index}`, frame: { file, line: 8 } }))
    return githubAnnotations(report({ verdict: 'fail', judged: [judged({ verdict: failing(findings) })] }), {
      ...OPTIONS,
      checkout,
    }).split('\n')
  }
  const all: Checkout = { root: '/w/repo', folder: '', isFile: () => true }

  it.each([
    ['server.mjs', 'server.mjs'],
    ['./src/server.mjs', 'src/server.mjs'],
    ['/w/repo/src/a,b.mjs', 'src/a%2Cb.mjs'],
    ['file:///w/repo/src/a.mjs?1', 'src/a.mjs'],
    ['app:///src/a.mjs', 'src/a.mjs'],
    ['/w/repository/a.mjs', null],
    ['../a.mjs', null],
    ['https://shop.example/a.js', null],
    ['webpack-internal:///a.js', null],
    ['app:///_next/static/chunks/a.js', null],
    ['/w/repo/.next/server/a.js', null],
    ['node_modules/react-dom/a.js', null],
    ['<anonymous>', null],
  ])('for the frame %s is in %s', (file, within) => {
    const [annotation] = annotated([file], all)
    expect(annotation).toMatch(within === null ? /^::error title=/ : `::error file=${within},line=8,title=`)
  })

  it('is searched below the working directory and the root', () => {
    const files = new Set(['packages/shop/app/pay.ts', 'lib/total.ts'])
    const shop: Checkout = { root: '/w/repo', folder: 'packages/shop', isFile: (path) => files.has(path) }
    expect(annotated(['app/pay.ts'], shop)[0]).toContain('file=packages/shop/app/pay.ts,')
    expect(annotated(['lib/total.ts'], shop)[0]).toContain('file=lib/total.ts,')
    expect(annotated(['app/gone.ts'], shop)[0]).not.toContain('file=')
  })

  it('is the first one; further lines get annotations of their own', () => {
    const lines = annotated(['https://shop.example/a.js', 'app/pay.ts', 'app/pay.ts', 'app/cart.ts'], all)
    expect(lines).toEqual([
      expect.stringMatching(/^::error file=app\/pay\.ts,line=8,title=[^:]+::error 0, .*%0Aerror 3, /),
      expect.stringMatching(
        /^::error file=app\/cart\.ts,line=8,title=[^:]+::error 3, environment: expected a name, got nothing, /,
      ),
      '',
    ])
  })

  it('is annotated for at most ten lines in total', () => {
    const files = Array.from({ length: 12 }, (_, index) => `app/${index}.ts`)
    expect(annotated(files, all)).toHaveLength(10 + 1)
  })
})
