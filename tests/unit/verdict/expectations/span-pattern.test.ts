import { expect, it } from 'vitest'
import { wildcard } from '../../../../lib/verdict/expectations/pattern-text'
import { parseSpanPattern } from '../../../../lib/verdict/expectations/span-pattern'

it.each<[string, unknown, string]>([
  [
    'a number',
    7,
    "the span tree must be a text, got number; write it as in 'pageload > http.client GET /api/cart > db*'",
  ],
  [
    'an empty text',
    '  ',
    `the span tree must not be empty; write it as in 'pageload > http.client GET /api/cart > db*'
    
  ^`,
  ],
  [
    'two arrows without a step in between',
    'pageload > > db',
    `a step is missing here; write an op such as http.client
  pageload > > db
             ^`,
  ],
  [
    'an arrow at the end',
    'pageload >',
    `a step is missing at the end; write an op such as http.client, or remove the arrow
  pageload >
            ^`,
  ],
  [
    'a quote without an end',
    'pageload "/checkout > db',
    `the quoted name has no end
  pageload "/checkout > db
           ^`,
  ],
  [
    'text after a quoted name',
    'pageload "/checkout" again > db',
    `expected [, {, >, >> or the end after the name
  pageload "/checkout" again > db
                       ^`,
  ],
  [
    'a name without an op',
    'pageload > "GET /"',
    `a step must start with an op; write * before it to match any op
  pageload > "GET /"
             ^`,
  ],
])('parseSpanPattern rejects %s and marks its position', (_what, pattern, message) => {
  expect(() => parseSpanPattern(pattern)).toThrow(new TypeError(message))
})

it('parseSpanPattern shows only the text around the position in a long pattern', () => {
  const long = `${'pageload > '.repeat(20)}> db`
  expect(() => parseSpanPattern(long)).toThrow(`\n  ${long.slice(164)}\n  ${' '.repeat(56)}^`)
})

it.each([
  ['db*', 'db', true],
  ['db*', 'db.query', true],
  ['db*', 'adb', false],
  ['*', '', true],
  ['GET */cart', 'GET /api/cart', true],
  ['a*b*a', 'aba', true],
  ['a*b*a', 'aa', false],
  ['aa*aa', 'aaa', false],
  ['a\\*b', 'a*b', true],
  ['a\\*b', 'axb', false],
  ['a.c', 'abc', false],
])('the wildcard %s matches %s: %s', (pattern, text, expected) => {
  expect(wildcard(pattern)(text)).toBe(expected)
})

it('a wildcard agrees with a regular expression', () => {
  let seed = 11
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * below)
  }
  const word = (letters: string, most: number): string =>
    Array.from({ length: random(most) }, () => letters[random(letters.length)]).join('')
  for (let round = 0; round < 5000; round += 1) {
    const pattern = word('ab*', 7)
    const text = word('ab', 9)
    expect([pattern, text, wildcard(pattern)(text)]).toEqual([
      pattern,
      text,
      new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(text),
    ])
  }
})

it('a quoted name may contain escaped quotes', () => {
  const [step] = parseSpanPattern('ui.click "say \\"yes\\" > go" > fetch')
  expect(step?.name?.('say "yes" > go')).toBe(true)
  expect(parseSpanPattern('db "a\\b"')[0]?.name?.('a\\b')).toBe(true)
})

it('parseSpanPattern accepts at most 50 steps', () => {
  const steps = (count: number): string => Array.from({ length: count }, () => 'db').join(' > ')
  expect(parseSpanPattern(steps(50))).toHaveLength(50)
  expect(() => parseSpanPattern(steps(51))).toThrow(/^a span tree must have at most 50 steps\n/)
})

it('parseSpanPattern rejects -> as a child arrow', () => {
  expect(() => parseSpanPattern('pageload -> http.client')).toThrow(/^write > without a - for a child\n/)
  expect(parseSpanPattern('pageload "/a -> b" > db')).toHaveLength(2)
})
