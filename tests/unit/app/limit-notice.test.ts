import { expect, it } from 'vitest'
import { limitNotice } from '../../../app/lab/limit-notice'
import type { LimitsNow } from '../../../lib/wire/limits'
import { limitOf, limitsNowOf } from '../dashboards/status-samples'

const NOW = 1000

const limits = (seconds: Readonly<Record<string, number>>, over: Partial<LimitsNow> = {}): LimitsNow =>
  limitsNowOf({
    now: NOW,
    limits: Object.entries(seconds).map(([category, each]) =>
      limitOf({ category, receivedAt: NOW, until: NOW + each * 1000 }),
    ),
    ...over,
  })

it('names the first limited category and the time until its last limit ends', () => {
  const notice = 'not sent: upstream limits error for 31 s more'
  expect(limitNotice(limits({ error: 30.2, transaction: 60 }), ['error'])).toBe(notice)
  expect(limitNotice(limits({ error: 5, all: 31 }), ['error', 'span'])).toBe(notice)
  expect(limitNotice(limits({ span: 9 }), ['transaction', 'span'])).toBe('not sent: upstream limits span for 9 s more')
})

it.each<[string, LimitsNow]>([
  ['nothing is limited', limits({})],
  ['another category is limited', limits({ span: 9 })],
  ['the limit is over', limits({ error: 0 })],
  ['SDKs receive no limits', limits({ error: 9 }, { passLimits: false })],
  ['errors wait in the collector', limits({ error: 9 }, { holdErrors: true })],
])('returns null when %s', (_where, now) => {
  expect(limitNotice(now, ['error'])).toBeNull()
})
