import { describe, expect, it } from 'vitest'
import { DEFAULT_PLAN, readBudgets, readConfig, readOnly } from '../../../../lib/verdict/expectations/check-plan'
import { defineConfig } from '../../../../lib/verdict/expectations/define-config'

describe('readConfig', () => {
  it('reports a mistyped reason, a misplaced id and a mistyped rule together', () => {
    const read = readConfig({ rules: { errors: 'off', orphan: 'off' }, losses: { allow: ['sample_rte', 'ours'] } })
    expect(read).toEqual({
      ok: false,
      error: [
        `rules: "errors" is not a rule; write errors: 'ignore' next to rules`,
        'rules: "orphan" is not a rule; did you mean orphans?',
        'losses.allow: "sample_rte" is not a known reason; did you mean sample_rate?',
      ],
    })
  })

  it('returns the default plan for an empty configuration', () => {
    expect(readConfig({})).toEqual({ ok: true, value: DEFAULT_PLAN })
    expect(readConfig(undefined)).toEqual({ ok: true, value: DEFAULT_PLAN })
  })

  it('returns every field of a valid configuration', () => {
    const config = defineConfig({
      rules: { orphans: 'off', 'n-plus-one': 'error' },
      errors: 'warn',
      allow: [
        { error: 'ResizeObserver', until: '2026-12-31', why: 'a browser says so' },
        { error: /^Abort/ },
        { error: { mechanism: 'onerror', title: /x/ } },
      ],
      losses: { allow: ['sample_rate'] },
      budgets: {
        items: 40,
        bytes: 200_000,
        spans: 500,
        errors: 0,
        durations: { '/checkout': 2000, 'pageload *': { p95: 1500, max: 3000 } },
      },
      privacy: { allow: [{ path: 'breadcrumbs.*.message', pattern: /^test_/, why: 'keys of the test server' }] },
      severity: 'warning',
      preset: 'contract',
      expect: {
        environment: ['ci', 'test'],
        release: '/^shop@/',
        services: ['browser', 'server'],
        pageloads: { min: 1 },
        errors: { min: 0 },
        transactions: ['/checkout', 'GET /api/*'],
        pages: { without: ['/legacy/*'] },
      },
      sampling: { browser: 1, server: 0.5 },
      acknowledge: [{ check: 'setup', about: 'personal data', why: 'support needs the address' }],
    })
    expect(readConfig(config)).toEqual({ ok: true, value: { ...config, only: null } })
  })

  it.each<[string, unknown, string]>([
    [
      'an allowed value without path and pattern',
      { privacy: { allow: [{ why: 'no secret' }] } },
      'privacy.allow.0: an allowed value needs a path such as breadcrumbs.*.message, a pattern such as /^test_/, or both',
    ],
    [
      'a text as the pattern of an allowed value',
      { privacy: { allow: [{ pattern: '^test_' }] } },
      'privacy.allow.0: pattern must be a regular expression such as /^test_/, got "^test_"',
    ],
    [
      'a pattern that matches everything',
      { privacy: { allow: [{ path: 'extra.*' }, { pattern: /.*/ }] } },
      'privacy.allow.1: pattern /.*/ matches every value, because it matches an empty text',
    ],
    [
      'a path that matches everything',
      { privacy: { allow: [{ path: '**' }] } },
      'privacy.allow.0: path "**" allows every value; name a field, or add a pattern',
    ],
    [
      'a mistyped field of an allowed value',
      { privacy: { allow: [{ pat: 'extra.*' }] } },
      'privacy.allow.0: an allowed value has no field pat; did you mean path?',
    ],
    [
      'a mistyped field of privacy',
      { privacy: { alow: [] } },
      'privacy.alow is not a configuration field; did you mean allow?',
    ],
    [
      'an allowlist of values that is no list',
      { privacy: { allow: 'extra.*' } },
      'privacy.allow must be a list such as [{ path: \'breadcrumbs.*.message\', pattern: /^test_/ }], got "extra.*"',
    ],
    ['a number', 7, 'the configuration must be an object for defineConfig, got 7'],
    ['a mistyped field', { budget: {} }, 'budget is not a configuration field; did you mean budgets?'],
    ['a mistyped budget', { budgets: { item: 40 } }, 'budgets.item is not a configuration field; did you mean items?'],
    [
      'a mistyped field of an allowlist entry',
      { allow: [{ eror: 'x', error: 'x' }] },
      'allow.0.eror is not a configuration field; did you mean error?',
    ],
    [
      'a text as a duration budget',
      { budgets: { durations: { '/a': 'fast' } } },
      'budgets.durations./a must be ms from 0 on, or an object such as { p95: 1500, max: 3000 }, got "fast"',
    ],
    [
      'a duration budget without a limit',
      { budgets: { durations: { '/a': {} } } },
      'budgets.durations./a must be ms from 0 on, or an object such as { p95: 1500, max: 3000 }, got {}',
    ],
    ['a mistyped rule', { rules: { orphan: 'off' } }, 'rules: "orphan" is not a rule; did you mean orphans?'],
    [
      'an invalid severity of a rule',
      { rules: { orphans: 'warn' } },
      `rules.orphans must be 'off', 'warning' or 'error', got "warn"`,
    ],
    [
      'a mistyped expectation',
      { expect: { enviroment: 'test' } },
      'expect.enviroment is not a configuration field; did you mean environment?',
    ],
    [
      'a mistyped minimum',
      { expect: { pageloads: { mim: 1 } } },
      'expect.pageloads.mim is not a configuration field; did you mean min?',
    ],
    [
      'a negative minimum',
      { expect: { errors: { min: -1 } } },
      'expect.errors.min must be a whole number from 0 on, got -1',
    ],
    [
      'a number as environment',
      { expect: { environment: 7 } },
      "expect.environment must be a name such as 'test', or a list of names, got 7",
    ],
    [
      'a release that is no regular expression',
      { expect: { release: '/(/' } },
      'expect.release must be a text such as \'shop@*\', or a regular expression such as /^shop@\\d+/, got "/(/"',
    ],
    [
      'a service as text',
      { expect: { services: 'browser' } },
      `expect.services must be a list such as ['browser', 'server'], got "browser"`,
    ],
    [
      'an empty transaction name',
      { expect: { transactions: ['/a', ''] } },
      'expect.transactions.1 must be a text that is not empty, got ""',
    ],
    [
      'a page without a slash',
      { expect: { pages: { without: ['legacy'] } } },
      `expect.pages.without.0 must be a path such as '/legacy/*', got "legacy"`,
    ],
    [
      'pages as another word',
      { expect: { pages: 'no' } },
      `expect.pages must be 'none', or an object such as { without: ['/legacy/*'] }, got "no"`,
    ],
    [
      'a mistyped field of pages',
      { expect: { pages: { witout: ['/a'] } } },
      'expect.pages.witout is not a configuration field; did you mean without?',
    ],
    ['a rate above 1', { sampling: { server: 50 } }, 'sampling.server must be a rate from 0 to 1, got 50'],
    [
      'a rate alone',
      { sampling: 1 },
      'sampling must be an object of rates by service, such as { browser: 1, server: 0.5 }, got 1',
    ],
    ['a mistyped preset', { preset: 'contracts' }, `preset must be 'contract', or left out, got "contracts"`],
    ['an invalid severity', { severity: 'errors' }, `severity must be 'warning' or 'error', got "errors"`],
    ['an invalid value for errors', { errors: 'warning' }, `errors must be 'fail', 'warn' or 'ignore', got "warning"`],
    [
      'losses as a list',
      { losses: ['sample_rate'] },
      `losses must be 'ignore', or reasons such as { allow: ['network_error'] }, got ["sample_rate"]`,
    ],
    ['a negative budget', { budgets: { items: -1 } }, 'budgets.items must be a whole number from 0 on, got -1'],
    ['a fractional budget', { budgets: { spans: 0.5 } }, 'budgets.spans must be a whole number from 0 on, got 0.5'],
    [
      'an invalid day',
      { allow: [{ error: 'x', until: '31.12.2026' }] },
      'allow.0: until must be a day such as 2026-12-31, got "31.12.2026"',
    ],
    [
      'an allowlist entry without an error',
      { allow: [{ why: 'x' }] },
      'allow.0.error must be a text, a regular expression or a part of the event, got nothing',
    ],
    [
      'a pattern with the flag g',
      { allow: [{ error: /x/g }] },
      'allow.0: criteria.title must not have the flag g, which makes repeated matches differ, got /x/g',
    ],
  ])('rejects %s with the value read and the valid values', (_what, config, message) => {
    expect(readConfig(config)).toEqual({ ok: false, error: [message] })
  })

  it('reports every mistake', () => {
    const read = readConfig({ errors: 7, severity: 8 })
    expect(read.ok ? [] : read.error).toHaveLength(2)
  })
})

it('readBudgets applies the rules of a configuration to a budget file', () => {
  expect(readBudgets({ items: 40 })).toEqual({ ok: true, value: { items: 40 } })
  expect(readBudgets({ itmes: 40 })).toEqual({
    ok: false,
    error: ['budgets.itmes is not a configuration field; did you mean items?'],
  })
  expect(readBudgets([])).toEqual({
    ok: false,
    error: ['budgets must be an object such as { items: 40, spans: 500 }, got []'],
  })
})

it('readOnly rejects an unknown id with a suggestion', () => {
  expect(readOnly(['privacy', 'errors', 'losses', 'budgets'])).toMatchObject({ ok: true })
  expect(readOnly(['privcy'])).toEqual({ ok: false, error: ['"privcy" is not a rule; did you mean privacy?'] })
})
