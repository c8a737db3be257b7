import { describe, expect, it } from 'vitest'
import { parseRateLimits } from '../../../lib/protocol/rate-limits'
import { describeScript, limitingAnswer } from '../../../lib/wire/scripted-answers'
import { answerSchema, type GivenScript, type PlayedAnswer } from '../../../lib/wire/stand-in'

const NOW = 1_795_000_000_000
type Given = GivenScript['answers'][number]

const played = (given: Given): PlayedAnswer => ({
  ...answerSchema.parse(given),
  endsAt: given.forMs === undefined ? null : NOW + given.forMs,
})
const described = (...given: Given[]) => describeScript(given.map(played), NOW)

describe('the description of a script', () => {
  it.each<[string, Given[]]>([
    [
      '429 with transaction limited for 60 s, 3 more times; then 200',
      [{ status: 429, headers: { 'X-Sentry-Rate-Limits': '60:transaction:key' }, times: 3 }],
    ],
    ['413 to posts with attachment, 1 more time; then 200', [{ status: 413, categories: ['attachment'], times: 1 }]],
    ['503, for 30 s more; then 200', [{ status: 503, forMs: 29_500 }]],
    ['503', [{ status: 503 }]],
    ['503 to posts with error; else 200', [{ status: 503, categories: ['error'] }]],
    ['no answer, 2 more times; 400', [{ does: 'hang', times: 2 }, { status: 400 }, { status: 503 }]],
    ['a reset connection, for 5 min more; then 200', [{ does: 'reset', forMs: 300_000 }]],
    ['200 after 2 s', [{ delayMs: 2000 }]],
    ['429 with Retry-After 7', [{ status: 429, headers: { 'retry-after': '7' } }]],
    ['429 with everything limited for 3 h', [{ status: 429, headers: { 'x-sentry-rate-limits': '10800::key' } }]],
    [
      '200 to posts with error, span, log_item and 2 more; else 200',
      [{ categories: ['error', 'span', 'log_item', 'session', 'replay'] }],
    ],
    [
      '400, 1 more time; 401, 1 more time; 402, 1 more time; 403, 1 more time; then 200',
      [400, 401, 402, 403].map((status) => ({ status, times: 1 })),
    ],
    [
      '400, 1 more time; 400, 1 more time; 400, 1 more time; … and 97 more rules; then 200',
      Array.from({ length: 100 }, () => ({ status: 400, times: 1 })),
    ],
    [
      '400, 1 more time; 400, 1 more time; 400, 1 more time; … and 2 more rules',
      [...Array.from({ length: 4 }, () => ({ status: 400, times: 1 })), { status: 503 }, { status: 500 }],
    ],
  ])('%s', (expected, given) => {
    expect(described(...given)).toBe(expected)
  })

  it('is shortened to fit a line', () => {
    const categories = Array.from({ length: 4 }, (_, at) => `${at}`.repeat(64))
    expect(described({ status: 400, categories })).toMatch(/^400 to posts with 0{64}, 1.{60,90}…; else 200$/)
  })

  it('is null for an empty script, and when every rule is over', () => {
    expect(describeScript([], NOW)).toBeNull()
    expect(describeScript([played({ status: 503, forMs: 1000 })], NOW + 1000)).toBeNull()
  })

  it('names the stamp of a rule, after which rules for all posts follow', () => {
    const stamped = { ...played({ status: 429 }), stamp: 'mine' }
    expect(describeScript([stamped, played({ status: 503 })], NOW)).toBe('429 to posts of the stamp mine; 503')
    expect(describeScript([{ ...stamped, categories: ['error'], times: 1 }], NOW)).toBe(
      '429 to posts with error of the stamp mine, 1 more time; then 200',
    )
  })
})

describe('the rule that limits categories', () => {
  it('answers one post with these categories 429, with the limit in the header', () => {
    const rule = limitingAnswer(['transaction', 'span'], 5)
    expect(answerSchema.parse(rule)).toEqual(rule)
    expect(rule).toMatchObject({ categories: ['transaction', 'span'], status: 429, times: 1, does: 'answer' })
    expect(parseRateLimits(rule.headers['X-Sentry-Rate-Limits'] ?? '')).toMatchObject([
      { seconds: 5, categories: ['transaction', 'span'], scope: 'organization', reason: null },
    ])
  })

  it('can accept the post, set scope and reason, repeat, and limit everything', () => {
    const rule = limitingAnswer([], 60, { status: 200, scope: 'key', reason: 'quota_exceeded', times: 9 })
    expect(rule).toMatchObject({ status: 200, times: 9, headers: { 'X-Sentry-Rate-Limits': '60::key:quota_exceeded' } })
    expect(rule.categories).toBeUndefined()
  })
})
