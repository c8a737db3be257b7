import { describe, expect, it } from 'vitest'
import { DEFAULT_PLAN, readBudgets, readConfig, readOnly } from '../../../../lib/verdict/expectations/check-plan'
import { defineConfig } from '../../../../lib/verdict/expectations/define-config'

describe('a configuration', () => {
  it('names a reason that is mistyped, and where errors are left out, all at once', () => {
    const read = readConfig({ rules: { errors: 'off', orphan: 'off' }, losses: { allow: ['sample_rte', 'ours'] } })
    expect(read).toEqual({
      ok: false,
      error: [
        `rules."errors" is no rule: errors: 'ignore' beside rules leaves it out`,
        'rules."orphan" is no rule: did you mean orphans?',
        'losses.allow names "sample_rte", which is no reason that is known: did you mean sample_rate?',
      ],
    })
  })

  it('that says nothing is the default plan', () => {
    expect(readConfig({})).toEqual({ ok: true, value: DEFAULT_PLAN })
    expect(readConfig(undefined)).toEqual({ ok: true, value: DEFAULT_PLAN })
  })

  it('says what is judged, and how strictly', () => {
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
      severity: 'warning',
    })
    expect(readConfig(config)).toEqual({ ok: true, value: { ...config, only: null } })
  })

  it.each<[string, unknown, string]>([
    ['no object', 7, 'the configuration is 7: an object, as defineConfig takes it was meant'],
    ['a mistyped name', { budget: {} }, 'budget is no name of a configuration: did you mean budgets?'],
    ['a mistyped budget', { budgets: { item: 40 } }, 'budgets.item is no name of a configuration: did you mean items?'],
    [
      'a mistyped entry',
      { allow: [{ eror: 'x', error: 'x' }] },
      'allow.0.eror is no name of a configuration: did you mean error?',
    ],
    [
      'a mistyped quantile',
      { budgets: { durations: { '/a': 'fast' } } },
      'budgets.durations./a is "fast": ms from 0 on, or an object such as { p95: 1500, max: 3000 } was meant',
    ],
    [
      'a duration that limits nothing',
      { budgets: { durations: { '/a': {} } } },
      'budgets.durations./a is {}: ms from 0 on, or an object such as { p95: 1500, max: 3000 } was meant',
    ],
    ['a mistyped rule', { rules: { orphan: 'off' } }, 'rules."orphan" is no rule: did you mean orphans?'],
    [
      'a wrong severity of a rule',
      { rules: { orphans: 'warn' } },
      `rules.orphans is "warn": 'off', 'warning' or 'error' was meant`,
    ],
    ['a wrong severity', { severity: 'errors' }, `severity is "errors": 'warning' or 'error' was meant`],
    ['a wrong word for errors', { errors: 'warning' }, `errors is "warning": 'fail', 'warn' or 'ignore' was meant`],
    [
      'losses as a list',
      { losses: ['sample_rate'] },
      `losses is ["sample_rate"]: 'ignore', or reasons such as { allow: ['sample_rate'] } was meant`,
    ],
    ['a budget below nothing', { budgets: { items: -1 } }, 'budgets.items is -1: a whole number from 0 on was meant'],
    ['half a span', { budgets: { spans: 0.5 } }, 'budgets.spans is 0.5: a whole number from 0 on was meant'],
    [
      'a day that is none',
      { allow: [{ error: 'x', until: '31.12.2026' }] },
      'allow.0: until is a day such as 2026-12-31: "31.12.2026" was given',
    ],
    [
      'an entry without an error',
      { allow: [{ why: 'x' }] },
      'allow.0.error is nothing: a text, a regular expression or a part of the event was meant',
    ],
    [
      'a pattern that remembers',
      { allow: [{ error: /x/g }] },
      'allow.0: criteria have /x/g at title: leave out its g, which makes a second look differ from the first',
    ],
  ])('with %s is told with what was read and what was meant', (_what, config, sentence) => {
    expect(readConfig(config)).toEqual({ ok: false, error: [sentence] })
  })

  it('is told with each thing that is wrong', () => {
    const read = readConfig({ errors: 7, severity: 8 })
    expect(read.ok ? [] : read.error).toHaveLength(2)
  })
})

it('budgets of a file are those of a configuration', () => {
  expect(readBudgets({ items: 40 })).toEqual({ ok: true, value: { items: 40 } })
  expect(readBudgets({ itmes: 40 })).toEqual({
    ok: false,
    error: ['budgets.itmes is no name of a configuration: did you mean items?'],
  })
  expect(readBudgets([])).toEqual({
    ok: false,
    error: ['budgets is []: an object such as { items: 40, spans: 500 } was meant'],
  })
})

it('what is judged alone is named by its id', () => {
  expect(readOnly(['privacy', 'errors', 'losses', 'budgets'])).toMatchObject({ ok: true })
  expect(readOnly(['privcy'])).toEqual({ ok: false, error: ['"privcy" is no rule: did you mean privacy?'] })
})
