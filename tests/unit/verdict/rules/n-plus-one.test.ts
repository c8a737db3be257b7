import { describe, expect, it } from 'vitest'
import { nPlusOneRule } from '../../../../lib/verdict/rules/n-plus-one'
import { caseFrom, containerOf, drawn, eventOf, failing, failingWith, TRACE, transactionOf } from './sample-evidence'

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

const judge = (picture: string, msPerColumn = 100, bodyOf = transactionOf) =>
  nPlusOneRule.judge(caseFrom(bodyOf(drawn(picture, msPerColumn))))

describe('the n-plus-one rule', () => {
  it.each([
    ['a transaction', transactionOf],
    ['a container', containerOf],
  ])('fails for a loop in %s', (_, bodyOf) => {
    expect(judge(LOOP, 100, bodyOf)).toEqual(
      failing(6, {
        about: 'db SELECT * FROM items WHERE id = ?',
        at: { seq: 1, item: 0, traceId: TRACE, spanId: '0000000000000002' },
        path: '',
        actual: '5 calls in a row below span 0000000000000001, 500 ms in total',
        expected: 'fewer than 5 in a row, or at most 100 ms in total',
      }),
    )
  })

  it('passes up to 100 ms in total', () => {
    expect(judge(LOOP, 20)).toEqual({ verdict: 'pass', judged: 6 })
    expect(judge(LOOP, 21)).toMatchObject({ verdict: 'fail' })
  })

  it('passes for fewer than 5 calls', () => {
    expect(judge(LOOP.trimEnd().split('\n').slice(0, -1).join('\n'))).toEqual({ verdict: 'pass', judged: 5 })
  })

  it('fails for any order of arrival, and without the segment', () => {
    const [segment, ...calls] = drawn(LOOP)
    if (segment === undefined) throw new TypeError('the drawing has no segment')
    const backwards = [segment, ...calls.reverse()]
    expect(nPlusOneRule.judge(caseFrom(transactionOf(backwards)))).toMatchObject({ verdict: 'fail', found: 1 })
    const late = caseFrom(containerOf(backwards, { late: true }))
    expect(nPlusOneRule.judge(late)).toMatchObject({ verdict: 'fail', judged: 5 })
  })

  it('passes for overlapping calls', () => {
    expect(judge(OVERLAPPING)).toEqual({ verdict: 'pass', judged: 6 })
  })

  it('fails for calls that overlap by less than 1 ms, passes for more', () => {
    const [segment] = drawn(LOOP)
    if (segment === undefined) throw new TypeError('the drawing has no segment')
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

  it('passes for calls of two parents', () => {
    expect(judge(BELOW_TWO)).toEqual({ verdict: 'pass', judged: 7 })
  })

  it('compares paths if the SDK names calls by host', () => {
    const to = (addressOf: (call: number) => string): string => {
      const [header = '', itemHeader = '', payload = ''] = containerOf(drawn(TO_ONE_HOST)).split('\n')
      const container: { readonly items: readonly { readonly attributes: object }[] } = JSON.parse(payload)
      const items = container.items.map((span, call) => {
        const address = { value: `https://shop.test${addressOf(call)}`, type: 'string' }
        const method = { value: 'GET', type: 'string' }
        return { ...span, attributes: { ...span.attributes, 'url.full': address, 'http.request.method': method } }
      })
      return [header, itemHeader, JSON.stringify({ ...container, items })].join('\n')
    }
    expect(nPlusOneRule.judge(caseFrom(to((call) => `/items/${call}`)))).toMatchObject(
      failingWith({ about: 'http.client GET /items/?' }),
    )
    expect(nPlusOneRule.judge(caseFrom(to((call) => `/${'abcdef'[call]}`)))).toEqual({ verdict: 'pass', judged: 6 })
  })

  it('ignores spans from performance entries', () => {
    expect(judge(LONG_TASKS)).toEqual({ verdict: 'pass', judged: 6 })
  })

  it('counts a repeated submission once', () => {
    const three = transactionOf(drawn(LOOP.trimEnd().split('\n').slice(0, -2).join('\n')))
    expect(nPlusOneRule.judge(caseFrom(three, three))).toMatchObject({ verdict: 'pass' })
  })

  it('is incomplete without spans', () => {
    expect(nPlusOneRule.judge(caseFrom(eventOf()))).toEqual({ verdict: 'incomplete', why: 'No span was recorded.' })
  })
})
