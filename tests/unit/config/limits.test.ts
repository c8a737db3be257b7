import { describe, expect, it } from 'vitest'
import { parseLimits } from '../../../lib/config/limits'
import { LIMITS, limitOf } from '../../../lib/protocol/limits'

describe('limits', () => {
  it.each([
    ['', {}],
    ['event=2MiB', { event: 2 * 1024 ** 2 }],
    [' event = 2MiB , items = 500 ,', { event: 2 * 1024 ** 2, items: 500 }],
    ['in_flight=1GiB,depth=64,tags=1', { in_flight: 1024 ** 3, depth: 64, tags: 1 }],
    ['event=1,event=2', { event: 2 }],
    ['items=40000', { items: 40_000 }],
  ])('%j keep every other number', (text, changed) => {
    expect(parseLimits(text)).toEqual({ ok: true, value: { ...LIMITS, ...changed } })
  })

  it.each([
    ['events=1', '"events" is no limit; the nearest is event'],
    ['constructor=1', '"constructor" is no limit'],
    ['event', 'event= is no size such as 2MiB'],
    ['event=0', 'event=0 is no size'],
    ['event=-1', 'event=-1 is no size'],
    ['items=0', 'items=0 is no whole number from 1'],
    ['items=1.5', 'items=1.5 is no whole number from 1'],
    ['items=40001', 'items=40001 is more than 40000'],
    ['depth=201', 'depth=201 is deeper than 200'],
    ['depth=9999999999', 'is no whole number from 1'],
  ])('%j are refused with what was meant', (text, why) => {
    const parsed = parseLimits(text)
    expect(parsed.ok ? '' : parsed.error).toContain(why)
  })

  it.each([
    ['event', 'event'],
    ['raw_security', 'event'],
    ['span', 'container'],
    ['sessions', 'session'],
    ['replay_recording', 'replay'],
    ['profile_chunk', 'profile'],
    ['check_in', 'check_in'],
    ['client_report', 'client_report'],
    ['attachment', 'attachment'],
    ['of_tomorrow', 'attachment'],
    ['constructor', 'attachment'],
  ])('of an item of the type %s are called %s', (type, limit) => {
    expect(limitOf(type)).toBe(limit)
  })
})
