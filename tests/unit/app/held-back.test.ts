import { expect, it } from 'vitest'
import { heldBackWords } from '../../../app/lab/held-back'
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

it('what a limit takes is held back by its SDK until the last that takes it ends', () => {
  const words = 'held back: upstream limits error for 31 s more'
  expect(heldBackWords(limits({ error: 30.2, transaction: 60 }), ['error'])).toBe(words)
  expect(heldBackWords(limits({ error: 5, all: 31 }), ['error', 'span'])).toBe(words)
  expect(heldBackWords(limits({ span: 9 }), ['transaction', 'span'])).toBe(
    'held back: upstream limits span for 9 s more',
  )
})

it.each<[string, LimitsNow]>([
  ['nothing is limited', limits({})],
  ['something else is limited', limits({ span: 9 })],
  ['the limit is over', limits({ error: 0 })],
  ['SDKs are not told', limits({ error: 9 }, { passLimits: false })],
  ['errors wait here', limits({ error: 9 }, { holdErrors: true })],
])('an error is not held back where %s', (_where, now) => {
  expect(heldBackWords(now, ['error'])).toBeNull()
})
