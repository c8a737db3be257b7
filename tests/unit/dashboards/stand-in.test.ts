import { describe, expect, it } from 'vitest'
import {
  activePreset,
  CATEGORIES,
  EVERYTHING,
  PRESETS,
  presetScript,
} from '../../../dashboards/stand-in/preset-scripts'
import { DATA_CATEGORIES } from '../../../lib/protocol/data-category'
import { type GivenScript, type PlayedAnswer, playedAnswerSchema, scriptSchema } from '../../../lib/wire/stand-in'

const played = (...answers: GivenScript['answers']): PlayedAnswer[] =>
  answers.map((answer) => playedAnswerSchema.parse({ endsAt: answer.forMs === undefined ? null : 100_000, ...answer }))

describe('a preset of the stand-in', () => {
  it.each(PRESETS)('is a valid script, and is recognised as active: $name', ({ id }) => {
    const script = presetScript(id, 'transaction', 30)
    expect(scriptSchema.parse(JSON.parse(JSON.stringify(script)))).toEqual(script)
    expect(activePreset(played(...script.answers))).toBe(id)
  })

  it('limits one category with the answer to one post', () => {
    expect(presetScript('limit', 'transaction', 5).answers).toMatchObject([
      {
        categories: ['transaction'],
        times: 1,
        status: 429,
        headers: { 'X-Sentry-Rate-Limits': '5:transaction:organization:stand_in' },
      },
    ])
  })

  it('limits everything with the answer to the next post', () => {
    const [rule] = presetScript('limit', EVERYTHING, 60).answers
    expect(rule?.categories).toBeUndefined()
    expect(rule?.headers).toEqual({ 'X-Sentry-Rate-Limits': '60::organization:stand_in' })
  })

  it('answers every post the same way, or not at all', () => {
    for (const id of ['500', 'hang', '403'] as const) {
      const [rule] = presetScript(id, 'error', 1).answers
      expect([rule?.times, rule?.forMs, rule?.categories]).toEqual([undefined, undefined, undefined])
    }
  })

  it.each<[string, GivenScript['answers']]>([
    ['several rules', [{ status: 500 }, { status: 403 }]],
    ['a status that no preset has', [{ status: 503 }]],
    ['one category', [{ status: 500, categories: ['error'] }]],
    ['a number of posts', [{ does: 'hang', times: 2 }]],
    ['a time', [{ status: 403, forMs: 1000 }]],
    ['a delay', [{ status: 500, delayMs: 10 }]],
    ['a reset connection', [{ does: 'reset' }]],
  ])('a script with %s matches no preset', (_what, answers) => {
    expect(activePreset(played(...answers))).toBeNull()
  })
})

it('the board offers each known data category once, the usual ones first', () => {
  expect(CATEGORIES.slice(0, 4)).toEqual(['transaction', 'error', 'span', EVERYTHING])
  expect(CATEGORIES).toHaveLength(DATA_CATEGORIES.size + 1)
  expect(new Set(CATEGORIES)).toEqual(new Set([...DATA_CATEGORIES, EVERYTHING]))
})
