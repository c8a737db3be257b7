import { describe, expect, it } from 'vitest'
import {
  CATEGORIES,
  DEEDS,
  EVERYTHING,
  hiddenBy,
  keptOver,
  limitRule,
  NOTHING_PLAYED,
  ruleOf,
  withoutRule,
  withRule,
} from '../../../dashboards/stand-in/rule-form'
import { DATA_CATEGORIES } from '../../../lib/protocol/data-category'
import { type PlayedAnswer, playedAnswerSchema, scriptSchema } from '../../../lib/wire/stand-in'

const NOW = 100_000
const played = (over: Partial<PlayedAnswer>): PlayedAnswer => playedAnswerSchema.parse({ endsAt: null, ...over })

describe('a limit that is asked of the stand-in', () => {
  it('is told with the answer to one post that holds the category', () => {
    expect(limitRule('transaction', 5)).toMatchObject({
      categories: ['transaction'],
      times: 1,
      status: 429,
      headers: { 'X-Sentry-Rate-Limits': '5:transaction:organization:stand_in' },
    })
  })

  it('of everything is told with the next post, whatever it holds', () => {
    const rule = limitRule(EVERYTHING, 60)
    expect(rule.categories).toBeUndefined()
    expect(rule.headers).toEqual({ 'X-Sentry-Rate-Limits': '60::organization:stand_in' })
  })
})

describe('a rule', () => {
  it.each(DEEDS)('may $name', ({ id }) => {
    const rule = ruleOf({ deed: id, category: 'span', lasts: 'times', amount: 3 })
    expect(rule).toMatchObject({ categories: ['span'], times: 3 })
    expect([String(rule.status), rule.does]).toContain(id)
    expect(rule.forMs).toBeUndefined()
  })

  it('holds for a time, or until it is stopped', () => {
    const form = { deed: 'hang', category: EVERYTHING } as const
    expect(ruleOf({ ...form, lasts: 'seconds', amount: 20 })).toMatchObject({ does: 'hang', forMs: 20_000 })
    const forEver = ruleOf({ ...form, lasts: 'ever', amount: 20 })
    expect([forEver.times, forEver.forMs, forEver.categories]).toEqual([undefined, undefined, undefined])
  })

  it('is of any data category that is known, each offered once', () => {
    expect(CATEGORIES.slice(0, 4)).toEqual(['transaction', 'error', 'span', EVERYTHING])
    expect(CATEGORIES).toHaveLength(DATA_CATEGORIES.size + 1)
    expect(new Set(CATEGORIES)).toEqual(new Set([...DATA_CATEGORIES, EVERYTHING]))
  })
})

describe('a rule behind another', () => {
  const error = played({ categories: ['error'] })
  const spans = played({ categories: ['span', 'transaction'] })
  const any = played({})

  it.each<[string, readonly PlayedAnswer[], number | null]>([
    ['is never reached where that takes every post for ever', [any, error], 0],
    ['is never reached where that takes its category for ever', [spans, error, error], 1],
    ['is never reached where that takes its category and more', [spans, played({ categories: ['span'] })], 0],
    ['has its turn where that takes another category', [error, spans], null],
    ['has its turn where that takes one of two', [played({ categories: ['span'] }), spans], null],
    ['has its turn with what that does not take', [error, any], null],
    ['has its turn when that is used up', [played({ times: 3 }), any], null],
    ['has its turn when that has ended', [played({ endsAt: NOW }), any], null],
    ['has none where it ends before that', [played({ endsAt: NOW }), played({ endsAt: NOW })], 0],
  ])('%s', (_, rules, above) => {
    expect(hiddenBy(rules, rules.length - 1)).toBe(above)
  })
})

describe('a script that is changed', () => {
  const state = {
    keep: true,
    answers: [
      played({ status: 413, times: 2 }),
      played({ does: 'reset', forMs: 60_000, endsAt: NOW + 12_345 }),
      played({ status: 503, forMs: 60_000, endsAt: NOW }),
    ],
  }

  it('takes a new rule before the others, which go on for what is left of them', () => {
    const script = withRule(state, ruleOf({ deed: '400', category: 'error', lasts: 'times', amount: 1 }), NOW)
    expect(script.answers.map(({ status, does, times, forMs }) => [status, does, times, forMs])).toEqual([
      [400, 'answer', 1, undefined],
      [413, 'answer', 2, undefined],
      [200, 'reset', undefined, 12_345],
    ])
    expect(script.keep).toBe(true)
  })

  it('is what the collector takes, with nothing in it that it does not know', () => {
    const script = withRule(state, limitRule('error', 3), NOW)
    expect(scriptSchema.parse(JSON.parse(JSON.stringify(script)))).toEqual(script)
  })

  it('lets one rule be taken out, and be kept over a restart or not', () => {
    expect(withoutRule(state, 0, NOW).answers.map(({ does }) => does)).toEqual(['reset'])
    expect(keptOver(state, false, NOW)).toMatchObject({ keep: false, answers: { length: 2 } })
  })

  it('is empty once all is stopped, and none survives', () => {
    expect(NOTHING_PLAYED).toEqual({ answers: [], keep: false })
  })
})
