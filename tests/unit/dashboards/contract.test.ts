import { expect, it } from 'vitest'
import { lineOfRule, lineOfSetting, sumOf } from '../../../dashboards/contract/verdict-lines'
import type { JudgedRule, JudgedSetting } from '../../../lib/wire/contract'

const PASS: JudgedRule['verdict'] = { verdict: 'pass', judged: 3 }
const ONE_PASSED: JudgedRule['verdict'] = { verdict: 'pass', judged: 1 }
const FAIL: JudgedRule['verdict'] = { verdict: 'fail', judged: 41, found: 2, findings: [] }
const INCOMPLETE: JudgedRule['verdict'] = { verdict: 'incomplete', why: 'No event was recorded.' }

const rule = (id: string, verdict: JudgedRule['verdict'], severity: JudgedRule['severity'] = 'error'): JudgedRule => ({
  id,
  title: `Title of ${id}`,
  why: '',
  fix: '',
  severity,
  verdict,
})
const setting = (id: string, rules: readonly JudgedRule[], seen: string | null = null): JudgedSetting => ({
  id,
  title: `Title of ${id}`,
  value: '',
  setBy: '',
  judgedFrom: [],
  holds: '',
  rules: [...rules],
  observed: seen,
})

it.each([
  [PASS, 'error', { word: 'pass', isWarning: false, text: '3 checked' }],
  [ONE_PASSED, 'error', { word: 'pass', isWarning: false, text: '1 checked' }],
  [FAIL, 'error', { word: 'fail', isWarning: false, text: '2 findings, 41 checked' }],
  [FAIL, 'warning', { word: 'fail', isWarning: true, text: '2 findings, 41 checked' }],
  [
    FAIL,
    'off',
    {
      word: 'fail',
      isWarning: true,
      text: "2 findings, 41 checked; a check reports it only with preset: 'contract'",
    },
  ],
  [PASS, 'warning', { word: 'pass', isWarning: false, text: '3 checked' }],
  [INCOMPLETE, 'error', { word: 'incomplete', isWarning: false, text: 'No event was recorded.' }],
] as const)('the verdict of a rule of %o as %s names its basis', (verdict, severity, line) => {
  expect(lineOfRule(rule('a', verdict, severity))).toEqual(line)
})

it('the verdict of a setting is the worst of its rules, and a pass only when all pass', () => {
  const wordOf = (...verdicts: readonly JudgedRule['verdict'][]) =>
    lineOfSetting(
      setting(
        's',
        verdicts.map((verdict) => rule('a', verdict)),
      ),
    ).word
  expect([wordOf(PASS, PASS), wordOf(PASS, INCOMPLETE), wordOf(INCOMPLETE, FAIL, PASS)]).toEqual([
    'pass',
    'incomplete',
    'fail',
  ])
})

it('the verdict of a setting is a warning when only warnings fail', () => {
  const lineOf = (...severities: readonly JudgedRule['severity'][]) =>
    lineOfSetting(
      setting(
        's',
        severities.map((severity) => rule('a', FAIL, severity)),
      ),
    )
  expect([lineOf('warning').isWarning, lineOf('warning', 'error').isWarning]).toEqual([true, false])
})

it('the verdict of a setting is stated when no rule checks it, with what was observed', () => {
  expect(lineOfSetting(setting('s', [], '2 navigations'))).toEqual({
    word: 'stated',
    isWarning: false,
    text: '2 navigations',
  })
  expect(lineOfSetting(setting('s', [])).text).toBe('No rule checks it.')
})

it('the summary of the contract counts settings and further rules, and lists failures with warnings last', () => {
  const sum = sumOf({
    settings: [
      setting('a', [rule('a', FAIL, 'warning')]),
      setting('b', [rule('b', PASS)]),
      setting('c', [], 'seen'),
      setting('d', [rule('d', INCOMPLETE)]),
    ],
    beyond: [rule('e', FAIL), rule('f', PASS)],
  })
  expect(sum).toEqual({
    failing: [
      { id: 'e', title: 'Title of e', isWarning: false },
      { id: 'a', title: 'Title of a', isWarning: true },
    ],
    passed: 2,
    incomplete: 1,
    stated: 1,
  })
})
