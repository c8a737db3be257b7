import { expect, it } from 'vitest'
import { storedLimits } from '../../../collector/relay/limit-headers'
import { RateLimits } from '../../../collector/relay/running-limits'
import { limitsOfAnswer } from '../../../lib/protocol/rate-limits'

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0)
const DAY = 24 * 60 * 60

interface Form {
  readonly status?: number
  readonly limits?: string
  readonly retry?: string
}

/** The limits after such an answer: seconds by category. */
function limitsAfter({ status = 429, limits = '', retry = '' }: Form): Readonly<Record<string, number>> {
  const reported = limitsOfAnswer({ status, rateLimits: limits || null, retryAfter: retry || null }, NOW)
  const active = new RateLimits(storedLimits(reported, { publicKey: 'key', projectId: '1' }, 1, NOW), {
    now: () => NOW,
    monotonic: () => 0,
  })
  return Object.fromEntries(active.active().map(({ category, until }) => [category, (until - NOW) / 1000]))
}

const many = (count: number): string => Array.from({ length: count }, (_, n) => `60:c${n}:key`).join(',')

/** Sentry's "Rate Limiting": one form of an answer per row, and its limits. */
const FORMS: readonly (readonly [name: string, form: Form, limits: Readonly<Record<string, number>>])[] = [
  // Times
  ['whole seconds', { limits: '60:error:key' }, { error: 60 }],
  ['broken seconds', { limits: '2.5:error:key' }, { error: 2.5 }],
  ['seconds with a unit behind them', { limits: '60s:error:key' }, { error: 60 }],
  ['seconds in exponents', { limits: '6e1:error:key' }, { error: 60 }],
  ['no seconds last the default', { limits: ':error:key' }, { error: 60 }],
  ['a word for seconds lasts the default', { limits: 'soon:error:key' }, { error: 60 }],
  ['NaN lasts the default', { limits: 'NaN:error:key' }, { error: 60 }],
  ['0 is over', { limits: '0:error:key' }, {}],
  ['less than 0 is over', { limits: '-1:error:key' }, {}],
  ['1e309 ends after a day', { limits: '1e309:error:key' }, { error: DAY }],
  ['Infinity ends after a day', { limits: 'Infinity:error:key' }, { error: DAY }],
  ['a year ends after a day', { limits: '31536000:error:key' }, { error: DAY }],
  // Categories
  ['several categories', { limits: '60:error;span:key' }, { error: 60, span: 60 }],
  ['no category is all', { limits: '60::organization' }, { all: 60 }],
  ['seconds alone are all', { limits: '60' }, { all: 60 }],
  ['`all` by name is all', { limits: '60:all:key' }, { all: 60 }],
  ['empty categories between others are none', { limits: '60:;error;;:key' }, { error: 60 }],
  ['only empty categories are all', { limits: '60:;;:key' }, { all: 60 }],
  ['a category that nobody knows is kept', { limits: '60:of_tomorrow:key' }, { of_tomorrow: 60 }],
  ['a name that every object inherits is a name', { limits: '60:constructor:key' }, { constructor: 60 }],
  ['a long category is kept by its first 64 signs', { limits: `60:${'x'.repeat(99)}:key` }, { ['x'.repeat(64)]: 60 }],
  ['both names of a category are two', { limits: '60:trace_metric;metric:key' }, { trace_metric: 60, metric: 60 }],
  ['white space round anything is none', { limits: ' 60 : error ; span : key ' }, { error: 60, span: 60 }],
  // Scope, reason, namespaces
  ['no scope', { limits: '60:error' }, { error: 60 }],
  ['a scope that nobody knows', { limits: '60:error:planet' }, { error: 60 }],
  ['a reason', { limits: '60:error:key:quota_exceeded' }, { error: 60 }],
  ['fields behind the namespaces', { limits: '60:error:key:why:custom:more:and:more' }, { error: 60 }],
  ['the namespace that SDKs send', { limits: '60:metric_bucket:key::custom' }, { metric_bucket: 60 }],
  ['several namespaces with it', { limits: '60:metric_bucket:key::spans;custom' }, { metric_bucket: 60 }],
  ['no namespace is every one', { limits: '60:metric_bucket:key::' }, { metric_bucket: 60 }],
  ['another namespace limits nothing that is sent', { limits: '60:metric_bucket:key::spans' }, {}],
  ['a namespace narrows metric_bucket alone', { limits: '60:metric_bucket;error:key::spans' }, { error: 60 }],
  // Several limits
  ['several limits', { limits: '60:error:key, 5:span:project' }, { error: 60, span: 5 }],
  ['the longest of a category wins', { limits: '5:error:key, 60:error:project, 7:error:key' }, { error: 60 }],
  ['one category and all', { limits: '60:error:key, 5::key' }, { error: 60, all: 5 }],
  ['empty limits between commas are none', { limits: ', ,60:error:key,,' }, { error: 60 }],
  ['a header that came twice, joined by a comma', { limits: '60:error:key,2700:span:key' }, { error: 60, span: 2700 }],
  ['one that is broken spoils no other', { limits: ':::::, 60:error:key' }, { all: 60, error: 60 }],
  // Precedence
  ['the header counts on a 200', { status: 200, limits: '60:error:key' }, { error: 60 }],
  ['the header counts on a 503', { status: 503, limits: '60:error:key' }, { error: 60 }],
  ['the header counts before Retry-After', { limits: '60:error:key', retry: '7' }, { error: 60 }],
  ['a header of blanks counts for nothing', { limits: ' , ', retry: '7' }, { all: 7 }],
  ['a header of blanks on a 429', { limits: ' ,, ' }, { all: 60 }],
  ['nothing on a 429', {}, { all: 60 }],
  ['nothing on a 200', { status: 200 }, {}],
  ['nothing on a 500', { status: 500 }, {}],
  // Retry-After
  ['Retry-After in seconds', { retry: '120' }, { all: 120 }],
  ['Retry-After on a 200', { status: 200, retry: '7' }, { all: 7 }],
  ['Retry-After on a 503', { status: 503, retry: '0.5' }, { all: 0.5 }],
  ['Retry-After of a date', { retry: 'Fri, 20 Nov 2026 12:02:00 GMT' }, { all: 120 }],
  ['Retry-After of a date of the old form', { retry: 'Friday, 20-Nov-26 12:02:00 GMT' }, { all: 120 }],
  ['Retry-After of a date that is over', { retry: 'Fri, 20 Nov 2020 12:00:00 GMT' }, {}],
  ['Retry-After of a date of next year', { retry: 'Sat, 20 Nov 2027 12:00:00 GMT' }, { all: DAY }],
  ['Retry-After of a word', { retry: 'later' }, { all: 60 }],
  ['Retry-After below 0', { retry: '-5' }, {}],
]

it.each(FORMS)('an answer with %s has its limits', (_name, form, limits) => {
  expect(limitsAfter(form)).toEqual(limits)
})

it('an answer with 1000 limits counts for the first 100, the most per project', () => {
  const limits = limitsAfter({ limits: many(1000) })
  expect(Object.keys(limits)).toHaveLength(100)
  expect(limits).toMatchObject({ c0: 60, c99: 60 })
})

it('an answer with 1000 limits counts for known categories first', () => {
  const limits = limitsAfter({ limits: `${many(1000)},60:error:key,60:metric:key,5::key` })
  expect(limits).toMatchObject({ error: 60, metric: 60, all: 5, c96: 60 })
  expect(Object.keys(limits)).toHaveLength(100)
})

it('an answer with a header of 64 KiB is parsed quickly', () => {
  const before = performance.now()
  expect(Object.keys(limitsAfter({ limits: many(10_000).slice(0, 65_536) }))).toHaveLength(100)
  expect(limitsAfter({ limits: ':'.repeat(65_536) })).toEqual({ all: 60 })
  expect(limitsAfter({ limits: `60:${';'.repeat(65_500)}:key` })).toEqual({ all: 60 })
  expect(performance.now() - before).toBeLessThan(1000)
})
