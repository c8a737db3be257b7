import { describe, expect, it } from 'vitest'
import { SessionOrder, sessionsOf } from '../../../collector/relay/session-order'
import type { SubmissionContent } from '../../../lib/protocol/submission'
import { aRecord, sessionRecord } from './made-record'

const one = (seq: number) => ({ seq, bytes: 10 })
const freed = (order: SessionOrder, seq: number): readonly number[] => order.leave(seq).map((each) => each.seq)

describe('updates of one session', () => {
  it('wait until the earlier ones are settled; other records do not wait', () => {
    const order = new SessionOrder()
    expect(order.enter(one(1), ['a'])).toBe(true)
    expect(order.enter(one(2), ['a'])).toBe(false)
    expect(order.enter(one(3), ['b'])).toBe(true)
    expect(order.enter(one(4), [])).toBe(true)
    expect(order.enter(one(5), ['a'])).toBe(false)
    expect(order.parked).toBe(2)
    expect(freed(order, 3)).toEqual([])
    expect(freed(order, 1)).toEqual([2])
    expect([order.parked, order.isParked(5)]).toEqual([1, true])
    expect(order.enter(one(2), ['a'])).toBe(true)
    expect(freed(order, 2)).toEqual([5])
  })

  it('wait also while the earlier one waits for its retry', () => {
    const order = new SessionOrder()
    order.enter(one(1), ['a'])
    expect(order.enter(one(2), ['a'])).toBe(false)
    expect(order.enter(one(1), ['a'])).toBe(true)
    expect(order.isParked(2)).toBe(true)
  })

  it('updates of several sessions wait for each session, without a deadlock', () => {
    const order = new SessionOrder()
    order.enter(one(1), ['a'])
    order.enter(one(2), ['b'])
    expect(order.enter(one(3), ['b', 'a'])).toBe(false)
    expect(order.enter(one(4), ['a', 'b'])).toBe(false)
    expect(freed(order, 1)).toEqual([])
    expect(freed(order, 2)).toEqual([3])
    expect(freed(order, 3)).toEqual([4])
    expect(freed(order, 4)).toEqual([])
    expect(order.parked).toBe(0)
  })
})

describe('the sessions of a record', () => {
  const updates = (...payloads: readonly string[]): SubmissionContent => ({
    ...sessionRecord([]),
    body: new TextEncoder().encode(['{}', ...payloads.flatMap((one) => ['{"type":"session"}', one])].join('\n')),
  })

  it('are read from its session items, each once', () => {
    expect(sessionsOf(sessionRecord(['a', 'b', 'a']))).toEqual(['a', 'b'])
  })

  it('are at most eight, so that memory is bounded', () => {
    const sids = Array.from({ length: 100 }, (_, n) => `s${n}`)
    expect(sessionsOf(sessionRecord(sids))).toEqual(sids.slice(0, 8))
  })

  it('are not read where its quantities contain no session', () => {
    expect(sessionsOf(aRecord())).toEqual([])
  })

  it.each(['{"init":true}', '{"sid":7}', '[]', 'null', 'no JSON', `{"sid":"${'x'.repeat(101)}"}`])(
    'do not count an update that says none: %s',
    (payload) => {
      expect(sessionsOf(updates(payload, '{"sid":"b"}'))).toEqual(['b'])
    },
  )
})
