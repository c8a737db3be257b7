import { describe, expect, it } from 'vitest'
import { isDeeperThan, shapeOf } from '../../../lib/protocol/json-scanner'

const bytes = (text: string): Uint8Array => Buffer.from(text)

describe('isDeeperThan', () => {
  it.each([
    ['exactly the limit', '[[[]]]', false],
    ['one more', '[[[[]]]]', true],
    ['objects and lists alike', '{"a":[{"b":{}}]}', true],
    ['siblings, which add nothing', '[[[]],[[]],{"a":[]}]', false],
    ['brackets in text', '["[[[[{{{{"]', false],
    ['a quote that is escaped', '["\\"[[[["]', false],
    ['a backslash that is escaped before the quote', '["\\\\",[[[]]]]', true],
    ['text that never ends', '["[[[[', false],
  ])('of 3: %s', (_case, json, deeper) => {
    expect(isDeeperThan(3, bytes(json))).toBe(deeper)
  })
})

describe('the number of values in JSON', () => {
  it.each([
    ['a word', '"a,b"', 1],
    ['an empty list', '[]', 1],
    ['an empty object', '{}', 1],
    ['a list', '[1,2,3]', 4],
    ['an object', '{"a":1,"b":"{[,"}', 3],
    ['a container of empty entries', '{"items":[{},{},{}]}', 5],
  ])('of %s', (_case, json, values) => {
    const shape = (most: number) => shapeOf(bytes(json), { depth: 3, values: most })
    expect(shape(values)).toEqual({ excess: null, values })
    if (values > 1) expect(shape(values - 1)).toEqual({ excess: 'values', values })
  })
})
