import { describe, expect, it } from 'vitest'
import { type AllowedError, isDay, unexpectedErrors } from '../../../../lib/verdict/expectations/unexpected-errors'
import { NO_BOARDS } from '../../../../lib/verdict/verdict'
import { type Came, clientReportOf, eventOf, evidenceOf } from '../rules/sample-evidence'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const BOARDS = { appUrl: 'http://localhost:3000' }

const errorOf = (digit: string, value: string, payload: Readonly<Record<string, unknown>> = {}) =>
  eventOf({
    event_id: digit.repeat(32),
    exception: { values: [{ type: 'TypeError', value, mechanism: { type: 'onerror', handled: false } }] },
    transaction: '/checkout',
    ...payload,
  })
const TWO = evidenceOf(errorOf('1', 'x is undefined'), errorOf('2', 'ResizeObserver loop'))

const ONLY_COPIES = 'Only copies and client reports were recorded, so errors cannot be ruled out.'

const judge = (allow: readonly AllowedError[], evidence = TWO) =>
  unexpectedErrors(evidence, { allow, now: NOW }, BOARDS)

describe('an unexpected error', () => {
  it('fails the check and is reported with its position and link', () => {
    const { verdict, message } = judge([])
    expect(verdict).toMatchObject({ verdict: 'fail', judged: 2, found: 2 })
    expect(message).toBe(
      `2 unexpected errors

TypeError: x is undefined (envelope 1, item 0)
  expected no unexpected errors, got error, browser, in /checkout, unhandled
  http://localhost:3000/events/${'1'.repeat(32)}
TypeError: ResizeObserver loop (envelope 2, item 0)
  expected no unexpected errors, got error, browser, in /checkout, unhandled
  http://localhost:3000/events/${'2'.repeat(32)}`,
    )
  })

  it('is reported with the innermost line of application code', () => {
    const frames = [
      { filename: '/app/server.mjs', lineno: 3, in_app: true },
      { filename: '/app/server.mjs', lineno: 8, in_app: true },
      { filename: 'node:internal/timers', lineno: 594, in_app: false },
    ]
    const thrown = eventOf({ exception: { values: [{ type: 'Error', value: 'boom', stacktrace: { frames } }] } })
    expect(judge([], evidenceOf(thrown)).verdict).toMatchObject({
      findings: [{ actual: 'error, browser, at /app/server.mjs:8', frame: { file: '/app/server.mjs', line: 8 } }],
    })
  })

  it.each<[string, AllowedError['error']]>([
    ['a part of its title', 'ResizeObserver'],
    ['a regular expression', /^TypeError: Resize/],
    ['a part of the event', { mechanism: 'onerror', title: /loop/ }],
  ])('is allowed by %s', (_what, error) => {
    const { verdict, allowed, message } = judge([{ error }])
    expect(allowed.map(({ title }) => title)).toEqual(['TypeError: ResizeObserver loop'])
    expect(verdict).toMatchObject({ verdict: 'fail', found: 1 })
    expect(message).toContain('1 unexpected error\n')
    expect(message).toContain('not counted: 1 allowed error')
  })

  it('is allowed until the end of its last day', () => {
    const allowed = (until: string) => judge([{ error: /./, until }]).allowed.length
    expect([allowed('2026-11-20'), allowed('2026-11-21'), allowed('2026-11-22')]).toEqual([0, 2, 2])
  })

  it('is listed with the reason and date of its entry', () => {
    const by = (entry: AllowedError) => judge([entry]).knownFailures.map((one) => one.by)
    expect(by({ error: /./ })).toEqual(['the allowlist', 'the allowlist'])
    expect(by({ error: 'x is', why: 'known', until: '2026-12-31' })).toEqual(['the allowlist: known, until 2026-12-31'])
    expect(by({ error: 'x is', why: 'known' })).toEqual(['the allowlist: known'])
    expect(by({ error: 'x is', until: '2026-12-31' })).toEqual(['the allowlist: until 2026-12-31'])
  })

  it('is reported with its expired allowlist entry', () => {
    const { verdict } = judge([{ error: 'x is', until: '2026-11-01', why: 'mended in the next release' }])
    expect(verdict).toMatchObject({
      findings: [
        { expected: 'none: "x is" was allowed until 2026-11-01 (mended in the next release)' },
        { expected: 'no unexpected errors' },
      ],
    })
  })

  it('is counted once per event id', () => {
    const again = evidenceOf(errorOf('1', 'x'), { body: errorOf('1', 'x'), endpoint: 'stream' })
    expect(judge([], again).verdict).toMatchObject({ found: 1 })
  })

  it('stays an error if the id arrives again as a message', () => {
    const evidence = evidenceOf(errorOf('1', 'a', { level: 'fatal' }), errorOf('1', 'a', { level: 'info' }))
    expect(judge([], evidence).verdict).toMatchObject({ found: 1 })
  })

  it('is reported with a scrubbed title', () => {
    const evidence = evidenceOf(errorOf('1', `password=hunter2 for bob@example.com ${'x'.repeat(80)}`))
    const { verdict, message } = judge([], evidence)
    expect(`${JSON.stringify(verdict)} ${message}`).not.toMatch(/hunter2|bob@/)
    expect(message).toContain('TypeError: password=[Filtered]')
  })

  it('is an event of level error or fatal, not warning', () => {
    const evidence = evidenceOf(errorOf('1', 'a', { level: 'warning' }), errorOf('2', 'b', { level: 'fatal' }))
    expect(judge([], evidence).verdict).toMatchObject({ found: 1 })
  })
})

it('unexpectedErrors passes without errors, and is incomplete without telemetry', () => {
  const passed = judge([], evidenceOf(eventOf({ level: 'info' })))
  expect(passed.verdict).toEqual({ verdict: 'pass', judged: 1 })
  expect(passed.negatedMessage).toBe('no unexpected error arrived; expected one')
  expect(judge([], evidenceOf()).verdict).toEqual({
    verdict: 'incomplete',
    why: 'Nothing was recorded, so errors cannot be ruled out.',
  })
})

it.each<[string, string, ...Came[]]>([
  ['an envelope without items', 'Nothing was recorded, so errors cannot be ruled out.', '{}'],
  ['a copy', ONLY_COPIES, { body: eventOf({ level: 'info' }), endpoint: 'stream' }],
  ['a client report', ONLY_COPIES, clientReportOf(['queue_overflow', 'error', 3])],
  [
    'an event that cannot be parsed',
    'The event in envelope 2 could not be parsed: the payload is not JSON.',
    eventOf({ level: 'info' }),
    '{}\n{"type":"event"}\n{"exception":',
  ],
])('unexpectedErrors is incomplete with only %s', (_what, why, ...came) => {
  expect(judge([], evidenceOf(...came)).verdict).toEqual({ verdict: 'incomplete', why })
})

it.each<[string, AllowedError, string]>([
  [
    'an empty text',
    { error: '' },
    'an allowed error must not be an empty text, which matches every title; write a part of its title',
  ],
  ['an invalid day', { error: 'x', until: '2026-02-30' }, 'until must be a day such as 2026-12-31, got "2026-02-30"'],
  [
    'a pattern with the flag g',
    { error: /x/g },
    'criteria.title must not have the flag g, which makes repeated matches differ, got /x/g',
  ],
])('an invalid allowlist entry throws a TypeError: %s', (_what, entry, message) => {
  expect(() => unexpectedErrors(TWO, { allow: [entry], now: NOW }, NO_BOARDS)).toThrow(new TypeError(message))
})

it('isDay accepts valid dates only', () => {
  expect(['2026-12-31', '2024-02-29', '2025-02-29', '2026-1-1', '2026-13-01', 'tomorrow', 7].map(isDay)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ])
})
