import { expect, it } from 'vitest'
import { parseSizeLimits } from '../../../lib/config/fields'
import { limitOf, SIZE_LIMITS } from '../../../lib/protocol/size-limits'

it.each([
  ['', {}],
  ['event=2MiB', { event: 2 * 1024 ** 2 }],
  [' event = 2MiB , items = 500 ,', { event: 2 * 1024 ** 2, items: 500 }],
  ['in_flight=1GiB,depth=64,tags=1', { in_flight: 1024 ** 3, depth: 64, tags: 1 }],
  ['event=1,event=2', { event: 2 }],
  ['items=40000', { items: 40_000 }],
])('parseLimits keeps the default of every limit that %j does not name', (text, changed) => {
  expect(parseSizeLimits(text)).toEqual({ ok: true, value: { ...SIZE_LIMITS, ...changed } })
})

it.each([
  ['events=1', 'unknown limit "events"; the nearest is event'],
  ['constructor=1', 'unknown limit "constructor"'],
  ['event', 'event must be a size such as 2MiB, got ""'],
  ['event=0', 'event must be a size such as 2MiB, got "0"'],
  ['event=-1', 'event must be a size such as 2MiB, got "-1"'],
  ['items=0', 'items must be a whole number from 1, got "0"'],
  ['items=1.5', 'items must be a whole number from 1, got "1.5"'],
  ['items=40001', 'items must be at most 40000, got 40001'],
  ['depth=201', 'depth must be at most 200, got 201'],
  ['depth=9999999999', 'depth must be a whole number from 1'],
])('parseLimits rejects %j with what is valid', (text, why) => {
  const parsed = parseSizeLimits(text)
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
])('parseLimits limits an item of type %s by %s', (type, limit) => {
  expect(limitOf(type)).toBe(limit)
})
