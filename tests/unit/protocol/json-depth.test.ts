import { describe, expect, it } from 'vitest'
import { isDeeperThan } from '../../../lib/protocol/json-depth'

const bytes = (text: string): Uint8Array => Buffer.from(text)

describe('the depth of JSON', () => {
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
