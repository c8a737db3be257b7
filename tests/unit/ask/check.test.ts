import { describe, expect, it } from 'vitest'
import { renderAnswer } from '../../../lib/ask/answer'
import { checkAnswer } from '../../../lib/ask/check'
import { evaluate } from '../../../lib/verdict/expectations/evaluate'
import { causesFirst } from '../../../lib/verdict/reports/causes'
import { caseFrom, caseOf, clientReportOf, eventOf } from '../verdict/rules/sample-evidence'

const report = (given: Parameters<typeof evaluate>[0]) =>
  causesFirst(evaluate(given, { losses: null, gaps: [], now: Date.parse('2026-11-21T12:00:00Z') }))

const text = (given: Parameters<typeof evaluate>[0]): string =>
  renderAnswer(checkAnswer(report(given), { since: 'fix' }), {
    asker: 'command',
    raw: false,
    call: { verb: 'check', args: { since: 'fix' } },
  })

describe('the answer of check', () => {
  it('has the verdict, each failed check with findings and fix, and a call that opens the first', () => {
    const answer = text(caseFrom(eventOf()))
    expect(answer).toMatch(/^# Check: fail\n/)
    expect(answer).toMatch(/- 1 envelope · \d+ failed checks? · .*\d+ passed/)
    expect(answer).toContain('## Failed: No unexpected errors (errors)')
    expect(answer).toMatch(/- `Error: boom`: `.+`\n/)
    expect(answer).toMatch(/\n- fix: \S/)
    expect(answer).toContain(`- \`waystation get ${'e'.repeat(32)}\``)
  })

  it('shows findings that are alike once, with their number', () => {
    const events = Array.from({ length: 3 }, (_, index) => eventOf({ event_id: String(index).repeat(32) }))
    const answer = text(caseFrom(...events))
    expect(answer.match(/- `Error: boom`: /g)).toHaveLength(1)
    expect(answer).toMatch(/- `Error: boom`: `.+` · 3 times, this is the first\n/)
  })

  it('shows five findings of a check, and says how many are left out', () => {
    const events = Array.from({ length: 7 }, (_, index) =>
      eventOf({
        event_id: String(index).repeat(32),
        exception: { values: [{ type: 'Error', value: `boom in ${'abcdefg'[index]}` }] },
      }),
    )
    expect(text(caseFrom(...events))).toContain('\n- 2 findings left out\n')
  })

  it('is incomplete with a reason, and offers the doctor, when nothing arrived', () => {
    const answer = text(caseOf())
    expect(answer).toMatch(/^# Check: incomplete\n/)
    expect(answer).toContain('- incomplete: `nothing was recorded`')
    expect(answer).toContain('- `waystation explain`')
  })

  it('names its verdict, which is the exit code', () => {
    expect(checkAnswer(report(caseOf()), {}).verdict).toBe('incomplete')
    expect(checkAnswer(report(caseFrom(eventOf())), {}).verdict).toBe('fail')
    expect(checkAnswer(report(caseFrom(clientReportOf(['before_send', 'error', 1]))), {}).verdict).not.toBe('pass')
  })
})
