import { describe, expect, it } from 'vitest'
import { renderAnswer } from '../../../lib/ask/answer'
import { doctorAnswer } from '../../../lib/ask/explain'
import type { DoctorCheck } from '../../../lib/ask/sources'
import type { Losses } from '../../../lib/wire/losses'

const check = (id: string, state: DoctorCheck['state']): DoctorCheck => ({
  id,
  title: id,
  state,
  found: `found by ${id}`,
  fix: state === 'broken' ? `fix of ${id}` : null,
})

const text = (checks: readonly DoctorCheck[], losses: Losses | null = null): string =>
  renderAnswer(doctorAnswer(checks, losses), { asker: 'mcp', raw: false, call: { verb: 'explain', args: {} } })

const lossesOf = (count: number): Losses => ({
  ...{ now: 1, journal: 1, stamp: null, categories: [], deadLetters: [], innerSpans: 0, sentence: '' },
  losses: Array.from({ length: count }, (_, index) => ({
    ...{ by: 'sdk' as const, reason: 'queue_overflow', category: `category-${index}`, quantity: count - index },
  })),
  notSent: [{ reason: 'before_send', category: 'error', quantity: 2 }],
})

describe('the answer about the path', () => {
  it('has broken checks first with their fixes, then those without a result, then the others', () => {
    const answer = text([check('disk', 'ok'), check('page', 'skipped'), check('dsn', 'broken')])
    expect(answer).toMatch(/^# 1 check failed\n/)
    expect(answer).toMatch(
      /- dsn: `found by dsn` · fix: `fix of dsn`[\s\S]*## Could not be checked[\s\S]*page[\s\S]*## In order[\s\S]*disk/,
    )
  })

  it('fails for a broken check, and could not be judged without a collector', () => {
    expect(doctorAnswer([check('disk', 'ok')], null).verdict).toBe('pass')
    expect(doctorAnswer([check('disk', 'broken')], null).verdict).toBe('fail')
    expect(doctorAnswer([check('collector', 'broken')], null).verdict).toBe('incomplete')
  })

  it('has 20 losses with advice and counts the others, apart from what was not sent by choice', () => {
    const answer = text([], lossesOf(23))
    expect(answer.match(/lost by the SDK/g)).toHaveLength(20)
    expect(answer).toContain('\n- 3 reasons left out\n')
    expect(answer).toContain('Send fewer requests at once, or raise transportOptions.bufferSize.')
    expect(answer).toMatch(/## Not sent by choice[\s\S]*2 `error`: `before_send`/)
  })
})
