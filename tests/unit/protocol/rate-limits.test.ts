import { describe, expect, it } from 'vitest'
import { DATA_CATEGORIES } from '../../../lib/protocol/data-category'
import {
  ALL,
  DEFAULT_BACK_OFF_SECONDS,
  formatRateLimits,
  limitAppliesTo,
  limitsOfAnswer,
  MAX_LIMIT_SECONDS,
  namesForSdks,
  parseRateLimits,
  parseRetryAfter,
} from '../../../lib/protocol/rate-limits'
import { isDsnRejected, isTemporaryFailure } from '../../../lib/protocol/upstream-answer'

const now = Date.UTC(2026, 10, 20, 12, 0, 0)

describe('X-Sentry-Rate-Limits', () => {
  it("parses Sentry's example", () => {
    expect(
      parseRateLimits(
        '60:transaction;span:key:quota_exceeded, 2700:default;error;security:organization, 60::organization',
      ),
    ).toEqual([
      { seconds: 60, categories: ['transaction', 'span'], scope: 'key', reason: 'quota_exceeded' },
      { seconds: 2700, categories: ['default', 'error', 'security'], scope: 'organization', reason: null },
      { seconds: 60, categories: [], scope: 'organization', reason: null },
    ])
  })

  it.each([
    ['a category nobody knows is kept', '60:of_tomorrow:key', [{ seconds: 60, categories: ['of_tomorrow'] }]],
    ['fields after the reason are ignored', '60:metric_bucket:key:why:custom;x:more', [{ seconds: 60, reason: 'why' }]],
    ['an empty reason before namespaces is none', '60:metric_bucket:key::custom', [{ reason: null }]],
    [
      'white space round anything is none',
      ' 60 : error ; span : key : why ',
      [{ categories: ['error', 'span'], scope: 'key', reason: 'why' }],
    ],
    ['seconds may be broken', '2.5:error:key', [{ seconds: 2.5 }]],
    ['a limit of seconds alone is of everything', '60', [{ seconds: 60, categories: [], scope: null, reason: null }]],
    ['a limit without seconds lasts the default', ':error:key', [{ seconds: 60, categories: ['error'] }]],
    ['a limit of a word lasts the default', 'soon:error:key', [{ seconds: 60, categories: ['error'] }]],
    ['a limit of no seconds is over', '0:error:key', [{ seconds: 0 }]],
    ['a limit that was over before is over', '-1:error:key', [{ seconds: 0 }]],
    ['a limit of endless seconds ends after a day', '1e309:error:key', [{ seconds: MAX_LIMIT_SECONDS }]],
    ['a limit of years ends after a day', '9999999999:error:key', [{ seconds: MAX_LIMIT_SECONDS }]],
    ['empty categories between semicolons are none', '60:;error;;:key', [{ categories: ['error'] }]],
    ['empty limits between commas are none', ', ,60:error:key,,', [{ categories: ['error'] }]],
    ['nothing at all limits nothing', '', []],
  ])('%s', (_name, header, expected) => {
    const rateLimits = parseRateLimits(header)
    expect(rateLimits).toHaveLength(expected.length)
    expect(rateLimits).toMatchObject(expected)
  })

  it('parses 1000 limits', () => {
    const header = Array.from({ length: 1000 }, (_, index) => `60:category${index}:key`).join(',')
    expect(parseRateLimits(header).map((limit) => limit.categories[0])).toEqual(
      Array.from({ length: 1000 }, (_, index) => `category${index}`),
    )
  })

  it.each([
    ['colons', ':'],
    ['commas', ','],
    ['semicolons', ';'],
    ['spaces', ' '],
    ['digits', '9'],
    ['limits', '60:error:key,'],
  ])('parses 64 KiB of %s quickly', (_name, sign) => {
    const header = sign.repeat(Math.ceil(65536 / sign.length))
    const before = performance.now()
    for (const limit of parseRateLimits(header)) expect(limit.seconds).toBeLessThanOrEqual(MAX_LIMIT_SECONDS)
    expect(performance.now() - before).toBeLessThan(1000)
  })

  it('is written as it was parsed, with seconds rounded up', () => {
    const header = '60:transaction;span:key:quota_exceeded, 3:error:organization, 60::organization'
    expect(formatRateLimits(parseRateLimits(header))).toBe(header)
    expect(formatRateLimits([{ seconds: 0.1, categories: ['error'], scope: null, reason: null }])).toBe(
      '1:error:organization',
    )
  })
})

it.each([
  ['seconds', '120', 120],
  ['broken seconds', '0.5', 0.5],
  ['white space round it', ' 120 ', 120],
  ['no time', '0', 0],
  ['a time that is over', '-1', 0],
  ['endless seconds', '1e309', MAX_LIMIT_SECONDS],
  ['more than a day', '9999999999', MAX_LIMIT_SECONDS],
  ['a date to come', 'Fri, 20 Nov 2026 12:02:00 GMT', 120],
  ['a date of the old form', 'Friday, 20-Nov-26 12:02:00 GMT', 120],
  ['a date that is over', 'Fri, 20 Nov 2020 12:00:00 GMT', 0],
  ['a date of next year', 'Sat, 20 Nov 2027 12:00:00 GMT', MAX_LIMIT_SECONDS],
  ['a word', 'abc', DEFAULT_BACK_OFF_SECONDS],
  ['nothing', '', DEFAULT_BACK_OFF_SECONDS],
])('Retry-After of %s', (_name, header, seconds) => {
  expect(parseRetryAfter(header, now)).toBe(seconds)
})

describe('limitsOfAnswer', () => {
  const answer = (status: number, rateLimits: string | null, retryAfter: string | null) =>
    limitsOfAnswer({ status, rateLimits, retryAfter }, now)
  const everything = (seconds: number) => [{ seconds, categories: [], scope: null, reason: null }]
  const errors = [{ seconds: 5, categories: ['error'], scope: 'key', reason: null }]

  it.each([
    ['a bare 200 limits nothing', answer(200, null, null), []],
    ['a bare 429 limits everything for 60 s', answer(429, null, null), everything(60)],
    ['a 429 with a blank header limits everything for 60 s', answer(429, ' ', ''), everything(60)],
    ['Retry-After limits everything, whatever the status', answer(503, null, '7'), everything(7)],
    ['Retry-After counts where the rate-limit header is blank', answer(429, '', '7'), everything(7)],
    ['the rate-limit header counts before Retry-After, on a 200 too', answer(200, '5:error:key', '7'), errors],
    ['the rate-limit header counts before the bare 429', answer(429, '5:error:key', null), errors],
  ])('%s', (_name, limits, expected) => {
    expect(limits).toEqual(expected)
  })
})

const taken = (limit: string): readonly string[] =>
  [...DATA_CATEGORIES].filter((category) => limitAppliesTo(limit, category))

it.each([
  ['error', ['error']],
  ['metric', ['trace_metric']],
  ['trace_metric', ['trace_metric']],
  ['profile', ['profile']],
  ['profile_chunk', ['profile_chunk']],
  ['profile_chunk_ui', ['profile_chunk_ui']],
  ['log_byte', ['log_item']],
  ['attachment_item', ['attachment']],
  ['default', []],
  ['of_tomorrow', []],
  ['__proto__', []],
  ['', []],
])('a limit applies to the categories of %s: %j', (limit, categories) => {
  expect(taken(limit)).toEqual(categories)
})

it('a limit of all applies to every category, also unknown ones', () => {
  expect(taken(ALL)).toEqual([...DATA_CATEGORIES])
  expect(limitAppliesTo(ALL, 'of_tomorrow')).toBe(true)
})

it('namesForSdks returns the name of upstream first, and names that cover everything the limit applies to', () => {
  for (const limit of [...DATA_CATEGORIES, 'metric', 'profile_chunk_ui', 'log_byte', 'of_tomorrow']) {
    const names = namesForSdks(limit)
    expect(names[0]).toBe(limit)
    for (const category of taken(limit)) expect(names.some((name) => limitAppliesTo(name, category))).toBe(true)
    expect(new Set(names).size).toBe(names.length)
  }
})

const ALL_STATUSES = Array.from({ length: 500 }, (_, n) => 100 + n)

describe('a status of upstream', () => {
  it('is temporary, or about the DSN, or neither, but never both', () => {
    for (const status of ALL_STATUSES)
      expect([status, isTemporaryFailure(status) && isDsnRejected(status)]).toEqual([status, false])
  })

  it('is temporary for 408, and for the 5xx statuses of unavailable or overloaded servers', () => {
    expect(ALL_STATUSES.filter(isTemporaryFailure)).toEqual([
      408, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530, 598, 599,
    ])
  })

  it('is about the DSN for 401, 403, 404 and redirects', () => {
    expect(ALL_STATUSES.filter((status) => status >= 400 && isDsnRejected(status))).toEqual([401, 403, 404])
    expect([300, 301, 304, 307, 308, 399].every(isDsnRejected)).toBe(true)
  })
})
