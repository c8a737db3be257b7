import { describe, expect, it } from 'vitest'
import type { SeenSpan } from '../../../../lib/verdict/evidence/evidence'
import { countText, distanceTo } from '../../../../lib/verdict/expectations/span-conditions'
import { hasMaximum, parseSpanPattern } from '../../../../lib/verdict/expectations/span-pattern'
import { BEGIN_S, drawn, evidenceOf, transactionOf } from '../rules/sample-evidence'

const [sample] = evidenceOf(transactionOf(drawn('http.client GET /  ='))).spans

function spanOf(us: number, attributes: SeenSpan['attributes'] = {}, startUs = BEGIN_S * 1e6): SeenSpan {
  if (sample === undefined) throw new TypeError('the drawing has no span')
  return { ...sample, startUs, endUs: startUs + us, attributes }
}

const step = (text: string) => {
  const [first] = parseSpanPattern(text)
  if (first === undefined) throw new TypeError('the pattern has no step')
  return first
}
const holds = (conditions: string, span: SeenSpan): boolean =>
  step(`*[${conditions}]`).conditions.every((condition) => condition(span) === null)
const counts = (count: string, number: number): boolean => {
  const range = step(`*{${count}}`).count
  return range !== null && distanceTo(number, range) === 0
}

describe('a duration', () => {
  it.each<[string, readonly number[], readonly number[]]>([
    ['<200ms', [0, 199_999], [200_000, 1e9]],
    ['<=200ms', [0, 200_000], [200_001]],
    ['>1s', [1_000_001], [0, 1_000_000]],
    ['>= 1 s', [1_000_000], [999_999]],
    ['10ms..200ms', [10_000, 200_000], [9999, 200_001]],
    ['..200ms', [0, 200_000], [200_001]],
    ['1.5s .. 2min', [1_500_000, 120_000_000], [1_499_999, 120_000_001]],
    ['1.005ms..1.005ms', [1005], [1004, 1006]],
    ['<0.5us', [0], [1]],
    ['>=10µs, <12us', [10, 11], [9, 12]],
    ['10ms..30ms, 20ms..40ms', [20_000, 30_000], [19_999, 30_001]],
  ])('[%s] has its limits', (text, within, outside) => {
    for (const us of within) expect([us, holds(text, spanOf(us))]).toEqual([us, true])
    for (const us of outside) expect([us, holds(text, spanOf(us))]).toEqual([us, false])
  })

  it('agrees with a comparison of numbers for random limits', () => {
    for (let least = 0; least < 12; least += 1)
      for (let most = least; most < 12; most += 1)
        for (let us = 0; us < 14; us += 1) {
          expect(holds(`${least}us..${most}us`, spanOf(us))).toBe(us >= least && us <= most)
          if (most > least + 1) expect(holds(`>${least}us, <${most}us`, spanOf(us))).toBe(us > least && us < most)
        }
  })

  it('of a span that starts in 1970 is in no range, and of one that ends before its start is 0', () => {
    expect(holds('>=0ms', spanOf(5, {}, 1_000_000))).toBe(false)
    expect(holds('<1ms', spanOf(-5))).toBe(true)
  })
})

describe('an attribute', () => {
  const attributes = {
    'http.route': '/api/cart',
    'http.response.status_code': 200,
    'db.rows': null,
    flag: true,
    list: ['a', 'b'],
    text: 'a, b] "c" = *',
    'odd,=name': 'x',
    empty: '',
  }
  it.each<[string, boolean]>([
    ['http.route=/api/cart', true],
    ['http.route=/api/*', true],
    ['http.route = /api/cart', true],
    ['http.route=/api', false],
    ['http.route=*', true],
    ['http.response.status_code=200', true],
    ['http.response.status_code=2*', true],
    ['flag=true', true],
    ['db.rows=null', true],
    ['list=*"b"*', true],
    ['text="a, b] \\"c\\" = \\*"', true],
    ['text="a, b] \\"c\\" = x"', false],
    ['"odd,=name"=x', true],
    ['empty=""', true],
    ['http.route=""', false],
    ['http.route=/api/*, flag=true, <200ms', true],
    ['http.route=/api/*, flag=false, <200ms', false],
    ['toString=*', false],
  ])('[%s] holds: %s', (text, expected) => {
    expect(holds(text, spanOf(1, attributes))).toBe(expected)
  })

  it('is shown with the value that was read, or with a similar name', () => {
    const missOf = (text: string, given = {}) => step(`*[${text}]`).conditions[0]?.(spanOf(1, given))
    expect(missOf('http.route=/a', attributes)).toMatchObject({
      path: 'http.route',
      actual: '"/api/cart"',
      expected: '"/a"',
    })
    expect(missOf('http.rout=/a', attributes)?.actual).toBe('nothing (did you mean http.route?)')
    expect(missOf('http.rout=/a')?.actual).toBe('nothing (it has no attributes)')
    expect(missOf('key=/a', { key: 'line\n::error::x' })?.actual).not.toContain('\n')
    expect(missOf('x.y=/a', { [`evil\n${'x'.repeat(500)}`]: 1 })?.actual).toMatch(
      /^nothing \(known are evil\\u000ax{100,}…\)$/,
    )
  })
})

describe('a count', () => {
  it.each<[string, readonly number[], readonly number[], string]>([
    ['3', [3], [0, 2, 4], 'exactly 3'],
    ['0', [0], [1], 'none'],
    ['..0', [0], [1], 'none'],
    ['..5', [0, 5], [6], 'at most 5'],
    ['2..', [2, 1e6], [0, 1], 'at least 2'],
    [' 2 .. 5 ', [2, 5], [1, 6], '2 to 5'],
    ['4..4', [4], [3, 5], 'exactly 4'],
    ['0..1', [0, 1], [2], 'at most 1'],
  ])('{%s} has its limits', (text, within, outside, words) => {
    for (const number of within) expect([number, counts(text, number)]).toEqual([number, true])
    for (const number of outside) expect([number, counts(text, number)]).toEqual([number, false])
    const { count } = step(`*{${text}}`)
    expect(count === null ? null : countText(count)).toBe(words)
  })

  it('has a maximum or none', () => {
    expect(hasMaximum(parseSpanPattern('a > b{..5} > c'))).toBe(true)
    expect(hasMaximum(parseSpanPattern('a > b{2..} > c'))).toBe(false)
  })
})

it('a step has its parts with and without blanks, and brackets in quotes belong to the name', () => {
  const spaced = step('http.client GET /api/cart [ >=1s , a=b>c ] {2} ')
  expect(spaced).toMatchObject({ text: 'http.client GET /api/cart [ >=1s , a=b>c ] {2}', count: { least: 2, most: 2 } })
  expect([spaced.counted, spaced.conditions.length]).toEqual(['http.client GET /api/cart [ >=1s , a=b>c ]', 2])
  expect(spaced.name?.('GET /api/cart')).toBe(true)
  const quoted = step('pageload "/blog/[slug]/{id}"[<1s]')
  expect(quoted.name?.('/blog/[slug]/{id}')).toBe(true)
  expect(parseSpanPattern('a[>=1s]>b{2}>>c')).toMatchObject([
    { below: 'child', counted: 'a[>=1s]' },
    { below: 'child', counted: 'b' },
    { below: 'any', counted: 'c' },
  ])
})

const CONDITIONS = 'write <200ms, >=1s, 10ms..200ms or http.route=/api/cart; a name that contains [ must be in quotes'
const COUNTS = 'write {3}, {..5}, {2..} or {2..5}; a name that contains { must be in quotes'
const LATER = 'expected >, >> or the end; write the name before [ ] and { }, in quotes if it contains such a bracket'
const long = Array.from({ length: 21 }, (_, index) => `a${index}=b`).join()

it.each<[string, number, string]>([
  ['pageload /blog/[slug]', 16, `"slug" is no condition; ${CONDITIONS}`],
  ['db[]', 3, `"" is no condition; ${CONDITIONS}`],
  ['db[200ms]', 3, `"200ms" is no condition; ${CONDITIONS}`],
  ['db[<200]', 3, `"<200" is no condition; ${CONDITIONS}`],
  ['db[<2h]', 3, `"<2h" is no condition; ${CONDITIONS}`],
  ['db[..]', 3, `".." is no condition; ${CONDITIONS}`],
  ['db[1ms..2ms..3ms]', 3, `"1ms..2ms..3ms" is no condition; ${CONDITIONS}`],
  ['db[=200ms]', 3, `"=200ms" is no condition; ${CONDITIONS}`],
  ['db[a=b, ]', 8, `"" is no condition; ${CONDITIONS}`],
  ['db[a=]', 5, 'the value is missing; write * for any value, "" for an empty text'],
  ['db[a="b]', 5, 'the quoted value has no end'],
  ['db["a]', 3, 'the quoted attribute has no end'],
  ['db[a="b" c]', 9, 'expected , or ] after the value'],
  ['db[a=b', 2, `the [ has no ]; ${CONDITIONS}`],
  ['db[<200ms', 2, `the [ has no ]; ${CONDITIONS}`],
  ['db[', 2, `the [ has no ]; ${CONDITIONS}`],
  ['db[<86401s]', 3, 'a duration must be at most 86400 s, got 86401s'],
  ['db[200ms..10ms]', 2, 'no duration is [200ms..10ms]; write the smaller limit first'],
  ['db[<0ms]', 2, 'no duration is [<0ms]; write the smaller limit first'],
  ['db[a=b, >=2s, <2s]', 2, 'no duration is [a=b, >=2s, <2s]; write the smaller limit first'],
  [`db[${long}]`, 2, 'a step must have at most 20 conditions'],
  ['http.server /users/{id}', 19, `"id" is no count; ${COUNTS}`],
  ['db{}', 2, `"" is no count; ${COUNTS}`],
  ['db{-1}', 2, `"-1" is no count; ${COUNTS}`],
  ['db{..}', 2, `".." is no count; ${COUNTS}`],
  ['db{3', 2, `the { has no }; ${COUNTS}`],
  ['db{5..2}', 2, 'no number is 5..2; write the smaller number first'],
  ['db{0..}', 2, 'every number is 0..; remove the count, or write {1..}'],
  ['db{100001}', 2, 'a count must be at most 100000, got 100001'],
  ['db{..100001}', 2, 'a count must be at most 100000, got ..100001'],
  ['db{0} > cache', 6, 'no step may follow {0}, because no span is left'],
  ['db{3}[<1s]', 5, 'write all conditions in one [ ], before the count'],
  ['db[<1s][a=b]', 7, 'write all conditions in one [ ], before the count'],
  ['db[<1s] SELECT', 8, LATER],
  ['db[a=/b/[id]]', 12, LATER],
  ['db{3} -> cache', 6, LATER],
  ['[<1s]', 0, 'a step must start with an op; write * before it to match any op'],
])('parseSpanPattern rejects %s at %i', (pattern, at, words) => {
  let message = ''
  try {
    parseSpanPattern(pattern)
  } catch (error) {
    message = error instanceof TypeError ? error.message : String(error)
  }
  const [first, , mark = ''] = message.split('\n')
  expect([first, mark.length - 3]).toEqual([words, at])
})

it('parseSpanPattern accepts its limits', () => {
  expect(step('db{100000}').count?.most).toBe(100_000)
  expect(step('db[<=86400s]').conditions).toHaveLength(1)
  expect(step(`db[${long.replace(',a20=b', '')}]`).conditions).toHaveLength(20)
})
