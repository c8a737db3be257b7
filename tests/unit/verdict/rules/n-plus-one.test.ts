import { describe, expect, it } from 'vitest'
import { nPlusOneRule, sameButForValues } from '../../../../lib/verdict/rules/n-plus-one'
import { caseFrom, containerOf, drawn, eventOf, TRACE, transactionOf } from './sample-evidence'

const LOOP = `
  http.server GET /orders                       ============
    db SELECT * FROM items WHERE id = 1          =
    db SELECT * FROM items WHERE id = 22          =
    db SELECT * FROM items WHERE id = 333          =
    db SELECT * FROM items WHERE id = 4             =
    db SELECT * FROM items WHERE id = 5              =
`
const OVERLAPPING = `
  http.server GET /orders                       ============
    db SELECT * FROM items WHERE id = 1          ==
    db SELECT * FROM items WHERE id = 22          ==
    db SELECT * FROM items WHERE id = 333          ==
    db SELECT * FROM items WHERE id = 4             ==
    db SELECT * FROM items WHERE id = 5              ==
`
const BELOW_TWO = `
  http.server GET /orders                       ============
    db SELECT * FROM items WHERE id = 1          =
    db SELECT * FROM items WHERE id = 22          =
    db SELECT * FROM items WHERE id = 333          =
    function list                                   =====
      db SELECT * FROM items WHERE id = 4           =
      db SELECT * FROM items WHERE id = 5            =
`
const TO_ONE_HOST = `
  pageload /orders                 ============
    http.client GET shop.test       =
    http.client GET shop.test        =
    http.client GET shop.test         =
    http.client GET shop.test          =
    http.client GET shop.test           =
`
const LONG_TASKS = `
  pageload /orders                     ============
    ui.long-task Main UI thread blocked   =
    ui.long-task Main UI thread blocked    =
    ui.long-task Main UI thread blocked     =
    ui.long-task Main UI thread blocked      =
    ui.long-task Main UI thread blocked       =
`

const judge = (picture: string, msPerColumn = 100, told = transactionOf) =>
  nPlusOneRule.judge(caseFrom(told(drawn(picture, msPerColumn))))

describe('a loop of calls', () => {
  it.each([
    ['a transaction', transactionOf],
    ['a container', containerOf],
  ])('fails in %s', (_, told) => {
    expect(judge(LOOP, 100, told)).toEqual({
      verdict: 'fail',
      judged: 6,
      found: 1,
      findings: [
        {
          about: 'db SELECT * FROM items WHERE id = ?',
          at: { seq: 1, item: 0, traceId: TRACE, spanId: '0000000000000002' },
          path: '',
          actual: '5 times, one after another below span 0000000000000001, 500 ms together',
          expected: 'fewer than 5 in a row, or 100 ms together at most',
        },
      ],
    })
  })

  it('passes where it takes 100 ms together', () => {
    expect(judge(LOOP, 20)).toEqual({ verdict: 'pass', judged: 6 })
    expect(judge(LOOP, 21)).toMatchObject({ verdict: 'fail' })
  })

  it('passes where there are four', () => {
    expect(judge(LOOP.trimEnd().split('\n').slice(0, -1).join('\n'))).toEqual({ verdict: 'pass', judged: 5 })
  })

  it('fails whichever of them came first, and before their segment came', () => {
    const [segment, ...calls] = drawn(LOOP)
    if (segment === undefined) throw new TypeError('the drawing has a segment')
    const backwards = [segment, ...calls.reverse()]
    expect(nPlusOneRule.judge(caseFrom(transactionOf(backwards)))).toMatchObject({ verdict: 'fail', found: 1 })
    const late = caseFrom(containerOf(backwards, { late: true }))
    expect(nPlusOneRule.judge(late)).toMatchObject({ verdict: 'fail', judged: 5 })
  })

  it('passes where they overlap', () => {
    expect(judge(OVERLAPPING)).toEqual({ verdict: 'pass', judged: 6 })
  })

  it('fails where they touch by what rounding makes of it, and passes where they overlap by more', () => {
    const [segment] = drawn(LOOP)
    if (segment === undefined) throw new TypeError('the drawing has a segment')
    const overlapping = (byMs: number): string =>
      transactionOf([
        segment,
        ...Array.from({ length: 5 }, (_, index) => ({
          spanId: `${index + 2}`.padStart(16, '0'),
          parentId: segment.spanId,
          op: 'db',
          name: 'SELECT 1',
          startMs: index * 50,
          endMs: index * 50 + 50 + byMs,
        })),
      ])
    expect(nPlusOneRule.judge(caseFrom(overlapping(0.9)))).toMatchObject({ verdict: 'fail', found: 1 })
    expect(nPlusOneRule.judge(caseFrom(overlapping(1.1)))).toMatchObject({ verdict: 'pass' })
  })

  it('passes where they are siblings of two parents', () => {
    expect(judge(BELOW_TWO)).toEqual({ verdict: 'pass', judged: 7 })
  })

  it('is one of paths where the SDK names each call by its host alone', () => {
    const to = (addressOf: (call: number) => string): string => {
      const [header = '', itemHeader = '', payload = ''] = containerOf(drawn(TO_ONE_HOST)).split('\n')
      const told: { readonly items: readonly { readonly attributes: object }[] } = JSON.parse(payload)
      const items = told.items.map((span, call) => {
        const address = { value: `https://shop.test${addressOf(call)}`, type: 'string' }
        const method = { value: 'GET', type: 'string' }
        return { ...span, attributes: { ...span.attributes, 'url.full': address, 'http.request.method': method } }
      })
      return [header, itemHeader, JSON.stringify({ ...told, items })].join('\n')
    }
    expect(nPlusOneRule.judge(caseFrom(to((call) => `/items/${call}`)))).toMatchObject({
      found: 1,
      findings: [{ about: 'http.client GET /items/?' }],
    })
    expect(nPlusOneRule.judge(caseFrom(to((call) => `/${'abcdef'[call]}`)))).toEqual({ verdict: 'pass', judged: 6 })
  })

  it('is none where the browser tells of what happened to it', () => {
    expect(judge(LONG_TASKS)).toEqual({ verdict: 'pass', judged: 6 })
  })

  it('is none where four of a loop came twice', () => {
    const three = transactionOf(drawn(LOOP.trimEnd().split('\n').slice(0, -2).join('\n')))
    expect(nPlusOneRule.judge(caseFrom(three, three))).toMatchObject({ verdict: 'pass' })
  })

  it('is incomplete where no span was recorded', () => {
    expect(nPlusOneRule.judge(caseFrom(eventOf()))).toEqual({ verdict: 'incomplete', why: 'No span was recorded.' })
  })
})

describe('a name is the same but for', () => {
  it.each([
    ['numbers', 'GET /items/12/rows/3.5', 'GET /items/?/rows/?'],
    ['ids', 'GET /items/65f1a2b3c4d5e6f708192a3b', 'GET /items/?'],
    ['UUIDs', 'GET /items/0e4cbf4e-21a2-4f5a-a1f1-8d8a2d1b6a54', 'GET /items/?'],
    ['quoted texts', `SELECT 1 FROM t WHERE n = 'O''Hara' AND "k" = 1`, 'SELECT ? FROM t WHERE n = ? AND ? = ?'],
    ['places of values', 'SELECT n FROM t WHERE a = $1 AND b = :2', 'SELECT n FROM t WHERE a = ? AND b = ?'],
    ['lists of values', 'SELECT n FROM t WHERE id IN (1, 2, 3)', 'SELECT n FROM t WHERE id IN (?)'],
    ['lists of places', 'SELECT n FROM t WHERE id in (?,?,?)', 'SELECT n FROM t WHERE id IN (?)'],
  ])('%s', (_, name, bare) => {
    expect(sameButForValues(name)).toBe(bare)
  })

  it.each(["don't panic", 'GET /v2/facade', 'SELECT md5 FROM t2', 'GET /cart'])('nothing in %s', (name) => {
    expect(sameButForValues(name)).toBe(name)
  })

  it.each(["'\\\\", '"\\\\', "'", "'a", 'in (?,', '1.', '@1'])(
    'values, in time that grows with its length: %s',
    (part) => {
      const begin = performance.now()
      for (let time = 0; time < 200; time += 1) sameButForValues(part.repeat(2000 / part.length) + time)
      expect(performance.now() - begin).toBeLessThan(500)
    },
  )

  it('what stands far behind', () => {
    expect(sameButForValues('x'.repeat(5000))).toHaveLength(2000)
  })
})
