import { describe, expect, it } from 'vitest'
import { noLoss } from '../../../../lib/verdict/expectations/no-loss'
import { failingWith } from '../rules/sample-evidence'
import { ledgerRowOf, lossesOf } from './sample-losses'

describe('noLoss', () => {
  it('passes if everything was accepted or kept', () => {
    const { verdict, negatedMessage } = noLoss(lossesOf({ made: 5, accepted: 5 }))
    expect(verdict).toEqual({ verdict: 'pass', judged: 1 })
    expect(negatedMessage).toBe('nothing was lost (made: 5 error); expected a loss')
  })

  it('passes when items arrived whose answer was not seen, and says so', () => {
    const { verdict, negatedMessage } = noLoss(lossesOf({ made: 5, accepted: 5, received: 5, unseen: 2 }))
    expect(verdict.verdict).toBe('pass')
    expect(negatedMessage).toContain('arrived, answer unseen: 2 error')
  })

  it('passes if the reason of each loss is allowed', () => {
    const losses = lossesOf({
      made: 5,
      lost: 2,
      losses: [{ by: 'sdk', reason: 'network_error', category: 'transaction', quantity: 2 }],
    })
    const { verdict, negatedMessage } = noLoss(losses, { allow: ['network_error'] })
    expect(verdict).toEqual({ verdict: 'pass', judged: 1 })
    expect(negatedMessage).toBe(
      'nothing was lost (made: 5 error); expected a loss\n\nallowed: 2 network_error of transaction',
    )
    expect(noLoss(losses).verdict.verdict).toBe('fail')
  })

  it('is incomplete for what pages posted while they were closed, and fails for what is more', () => {
    const lostOf = (quantity: number) => [{ by: 'sdk', reason: 'network_error', category: 'span', quantity } as const]
    const abandoned = new Map([['span', 4]])
    const unproven = noLoss(lossesOf({ made: 9, lost: 4, losses: lostOf(4) }), { abandoned })
    expect(unproven.verdict).toEqual({
      verdict: 'incomplete',
      why: '4 span of pages that were closed while they posted may be lost',
    })
    const { verdict } = noLoss(lossesOf({ made: 9, lost: 5, losses: lostOf(5) }), { abandoned })
    expect(verdict).toMatchObject({ verdict: 'fail', findings: [{ actual: '1 discarded by the SDK' }] })
  })

  it('names the likely cause of an overflow of the SDK', () => {
    const losses = [{ by: 'sdk', reason: 'queue_overflow', category: 'error', quantity: 3 } as const]
    expect(noLoss(lossesOf({ made: 9, accepted: 6, lost: 3, losses })).message).toContain(
      'error, queue_overflow: 3 discarded by the SDK: more sends were open at once than the transport allows: is its bufferSize small',
    )
  })

  it('passes with items that were not sent by choice, without any option', () => {
    const losses = lossesOf({
      made: 5,
      accepted: 3,
      notSent: [{ reason: 'sample_rate', category: 'error', quantity: 2 }],
    })
    expect(noLoss(losses).verdict).toEqual({ verdict: 'pass', judged: 1 })
    expect(noLoss(losses, { allow: ['sample_rate'] }).verdict.verdict).toBe('pass')
  })

  it('judges each data category by itself, and never adds two', () => {
    const rows = [
      ledgerRowOf({ category: 'error', made: 2, accepted: 2 }),
      ledgerRowOf({ category: 'span', made: 9, pending: 1, accepted: 8 }),
    ]
    expect(noLoss(lossesOf({ categories: rows })).message).toContain('still pending: 1 span')
    const all = rows.map((row) => ({ ...row, pending: 0 }))
    expect(noLoss(lossesOf({ categories: all })).negatedMessage).toContain('made: 2 error, 9 span')
  })

  it('passes if only a client report was lost', () => {
    const losses = lossesOf({
      made: 1,
      losses: [{ by: 'upstream', reason: 'upstream_413', category: 'internal', quantity: 1 }],
    })
    expect(noLoss(losses).verdict.verdict).toBe('pass')
  })
})

it('noLoss reports who lost telemetry, why and how much', () => {
  const losses = lossesOf({
    made: 14,
    lost: 10,
    losses: [
      { by: 'sdk', reason: 'ratelimit_backoff', category: 'span', quantity: 9 },
      { by: 'upstream', reason: 'upstream_413', category: 'attachment', quantity: 1 },
      { by: 'endpoint', reason: 'bad_key', category: null, quantity: 2 },
      { by: 'sdk', reason: 'network_error', category: 'transaction', quantity: 3 },
    ],
    sentence: 'made 14, lost 10',
  })
  const { verdict, message } = noLoss(losses, { allow: ['network_error'] })
  expect(verdict).toMatchObject({ verdict: 'fail', judged: 1, found: 3 })
  expect(message).toBe(
    `telemetry was lost (made: 14 error)

span, ratelimit_backoff: 9 discarded by the SDK
attachment, upstream_413: 1 refused by upstream
envelope, bad_key: 2 refused at the endpoint

allowed: 3 network_error of transaction
made 14, lost 10`,
  )
})

it('noLoss does not count what pages of others sent', () => {
  const losses = (['origin', 'host'] as const).map((reason) => ({
    ...{ by: 'endpoint' as const, category: null, quantity: 2 },
    reason,
  }))
  expect(noLoss(lossesOf({ losses })).verdict.verdict).not.toBe('fail')
})

it('noLoss counts allowed refusals at the endpoint in envelopes', () => {
  const losses = [{ by: 'endpoint', reason: 'bad_key', category: null, quantity: 2 }] as const
  expect(
    noLoss(lossesOf({ made: 5, accepted: 5, losses: [...losses] }), { allow: ['bad_key'] }).negatedMessage,
  ).toContain('allowed: 2 bad_key of envelope')
})

it('noLoss accepts any reason in allow, except one that looks mistyped', () => {
  expect(() => noLoss(lossesOf({ made: 1 }), { allow: ['rate_limit_backof'] })).toThrow(
    'allow: "rate_limit_backof" is not a known reason; did you mean ratelimit_backoff?',
  )
  expect(noLoss(lossesOf({ made: 1, accepted: 1 }), { allow: ['of_our_own', 'upstream_429'] }).verdict.verdict).toBe(
    'pass',
  )
  const lost = [{ by: 'sdk', reason: 'ratelimit_backof', category: 'span', quantity: 1 }] as const
  expect(noLoss(lossesOf({ made: 1, losses: [...lost] }), { allow: ['ratelimit_backof'] }).verdict.verdict).toBe('pass')
  const other = [{ ...lost[0], reason: 'sample_rate' }]
  expect(() => noLoss(lossesOf({ made: 1, losses: other }), { allow: ['ratelimit_backof'] })).toThrow(TypeError)
})

describe('a dead letter', () => {
  const deadLetters = [
    { category: 'error', status: 400, quantity: 3 },
    { category: 'internal', status: 400, quantity: 1 },
  ]

  it('is a loss, because upstream refused it for good', () => {
    const { verdict } = noLoss(lossesOf({ made: 5, accepted: 1, pending: 4, deadLetters }))
    expect(verdict).toMatchObject(
      failingWith({ about: 'error, upstream_400', actual: '3 refused by upstream with 400: dead letters' }),
    )
  })

  it('is neither lost nor pending if its status is allowed', () => {
    const losses = lossesOf({ made: 5, accepted: 2, pending: 3, deadLetters })
    expect(noLoss(losses, { allow: ['upstream_400'] }).negatedMessage).toContain('\n\nallowed: 3 upstream_400 of error')
    expect(noLoss(lossesOf({ made: 5, deadLetters })).message).not.toContain('allowed')
    expect(noLoss(losses, { allow: ['upstream_400'] }).verdict).toEqual({ verdict: 'pass', judged: 1 })
    expect(
      noLoss(lossesOf({ made: 5, accepted: 1, pending: 4, deadLetters }), { allow: ['upstream_400'] }).verdict,
    ).toMatchObject({
      verdict: 'incomplete',
      why: expect.stringContaining('still pending: 1 error'),
    })
  })
})

it('noLoss fails for unexplained quantities, even if all losses are allowed', () => {
  const losses = lossesOf({ made: 3, unexplained: 1 })
  const { verdict } = noLoss(losses, { allow: ['unexplained'] })
  expect(verdict).toMatchObject({
    verdict: 'fail',
    findings: [{ about: 'error, unexplained', actual: '1 without a known outcome' }],
  })
})

it('noLoss fails if unexplained quantities of two categories cancel out', () => {
  const rows = [ledgerRowOf({ category: 'error', unexplained: 2 }), ledgerRowOf({ category: 'span', unexplained: -2 })]
  expect(noLoss(lossesOf({ categories: rows })).verdict).toMatchObject({
    verdict: 'fail',
    found: 2,
  })
})

describe('noLoss without a final outcome', () => {
  it('is incomplete while items are pending', () => {
    const why = 'still pending: 2 error'
    expect(noLoss(lossesOf({ made: 5, accepted: 3, pending: 2 })).verdict).toEqual({ verdict: 'incomplete', why })
  })

  it('gives the reason why items are pending', () => {
    const { verdict } = noLoss(lossesOf({ made: 5, accepted: 4, pending: 1 }), { because: 'for it answers 403' })
    const why = 'still pending: 1 error; for it answers 403'
    expect(verdict).toEqual({ verdict: 'incomplete', why })
  })

  it('is incomplete if nothing was created', () => {
    const why = 'no telemetry was created, so nothing could be lost'
    expect(noLoss(lossesOf({}))).toMatchObject({ verdict: { verdict: 'incomplete', why }, message: why })
  })

  it('fails if something is already lost', () => {
    const loss = { by: 'person', reason: 'dropped', category: 'error', quantity: 1 } as const
    expect(noLoss(lossesOf({ made: 5, pending: 2, losses: [loss] })).verdict.verdict).toBe('fail')
  })
})

it.each([
  ['a text', 'sample_rate', '"sample_rate"'],
  ['an empty reason', [''], '[""]'],
])('noLoss rejects %s in allow', (_what, allow, text) => {
  expect(() => Reflect.apply(noLoss, null, [lossesOf({}), { allow }])).toThrow(
    new TypeError(`allow must be a list of reasons, such as ['network_error'], got ${text}`),
  )
})
