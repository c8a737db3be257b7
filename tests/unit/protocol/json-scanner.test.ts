import { expect, it } from 'vitest'
import { isDeeperThan, shapeOf } from '../../../lib/protocol/json-scanner'

const bytes = (text: string): Uint8Array => Buffer.from(text)

it.each([
  ['exactly the limit', '[[[]]]', false],
  ['one more', '[[[[]]]]', true],
  ['objects and lists alike', '{"a":[{"b":{}}]}', true],
  ['siblings, which add nothing', '[[[]],[[]],{"a":[]}]', false],
  ['brackets in text', '["[[[[{{{{"]', false],
  ['a quote that is escaped', '["\\"[[[["]', false],
  ['a backslash that is escaped before the quote', '["\\\\",[[[]]]]', true],
  ['text that never ends', '["[[[[', false],
])('isDeeperThan of 3: %s', (_case, json, deeper) => {
  expect(isDeeperThan(3, bytes(json))).toBe(deeper)
})

it.each([
  ['a word', '"a,b"', 1],
  ['an empty list', '[]', 1],
  ['an empty object', '{}', 1],
  ['a list', '[1,2,3]', 4],
  ['an object', '{"a":1,"b":"{[,"}', 3],
  ['a container of empty entries', '{"items":[{},{},{}]}', 5],
])('the number of values in JSON of %s', (_case, json, values) => {
  const shape = (most: number) => shapeOf(bytes(json), { depth: 3, values: most })
  expect(shape(values)).toMatchObject({ excess: null, values })
  if (values > 1) expect(shape(values - 1)).toMatchObject({ excess: 'values', values })
})

it.each([
  ['no number', '{"a":true}', 0],
  ['several numbers', '[1,-9007199254740993,22]', 16],
  ['a fraction and an exponent', '1234.56789e10', 5],
  ['digits in text', '{"9007199254740993":"90071992\\"54740993"}', 0],
  ['a number after text that ends with a backslash', '["\\\\",123]', 3],
])('the most digits in a row of %s', (_case, json, digits) => {
  expect(shapeOf(bytes(json), { depth: 3, values: 10 })).toMatchObject({ excess: null, digits })
})
