import { describe, expect, it } from 'vitest'
import { idleTimeoutRule } from '../../../../lib/verdict/rules/idle-timeout'
import { caseFrom, containerOf, drawn, failing, failingWith, transactionOf } from './sample-evidence'

const ENDS_WITH_ITS_LAST = `
  pageload /checkout         ==========
    browser.request /        ==
    resource.script app.js      ====
    http.client GET /cart        ======
`
const ENDS_LATER = `
  pageload /checkout         ====================
    browser.request /        ==
    http.client GET /cart        ======
`
const OUTLIVED = `
  navigation /checkout       ==========
    http.client GET /cart    ==========
    http.client GET /slow        ==============
`
const WAITED = `
  navigation /checkout       =============================================
    http.client GET /cart    =====
    http.client GET /later                                    ============
`
const EXPECTED = 'it ends with its last child, after 1 s without an open span'
const judge = (...bodies: string[]) => idleTimeoutRule.judge(caseFrom(...bodies))

describe('the idle-timeout rule', () => {
  it.each([
    ['static', transactionOf],
    ['streamed', containerOf],
  ])('passes if a pageload ends with its last child, %s', (_, bodyOf) => {
    expect(judge(bodyOf(drawn(ENDS_WITH_ITS_LAST)))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('fails if a pageload ends later than all its children', () => {
    expect(judge(transactionOf(drawn(ENDS_LATER)))).toEqual(
      failing(1, {
        about: 'pageload /checkout',
        at: { seq: 1, item: 0, traceId: 'a'.repeat(32), spanId: '0000000000000001' },
        path: 'timestamp',
        actual: 'it ended 1 s after its last child, http.client GET /cart',
        expected: EXPECTED,
      }),
    )
  })

  it('fails if a child that kept it open ends after its navigation', () => {
    expect(judge(containerOf(drawn(OUTLIVED)))).toMatchObject(
      failingWith({
        about: 'http.client GET /slow of navigation /checkout',
        path: 'end_timestamp',
        actual: 'it ended 800 ms after its navigation',
      }),
    )
  })

  it('fails if a navigation stayed open while idle', () => {
    expect(judge(containerOf(drawn(WAITED)))).toMatchObject(
      failingWith({ path: 'start_timestamp', actual: '2.8 s without an open span before http.client GET /later' }),
    )
  })

  it('ignores the time before the document is loaded', () => {
    const slowDocument = `
      pageload /checkout         ======================================
        http.client GET /cart    ==
        browser.response /                                     =====
        resource.img a.png                                          ===
    `
    expect(judge(transactionOf(drawn(slowDocument)))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('ignores the time before a page loads its SDK', () => {
    const lateSdk = `
      pageload /checkout         =====================================================
        browser.response /       ==
        http.client GET /cart                                                    =====
    `
    const attributes = (ms: number) => ({ attributes: { '/checkout': { 'waystation.traced_from_ms': ms } } })
    expect(judge(transactionOf(drawn(lateSdk))).verdict).toBe('fail')
    expect(judge(transactionOf(drawn(lateSdk), attributes(4000)))).toEqual({ verdict: 'pass', judged: 1 })
    expect(judge(transactionOf(drawn(lateSdk), attributes(300))).verdict).toBe('fail')
  })

  it('ignores web vitals after the end', () => {
    const late = `
      pageload /checkout          ==========
        http.client GET /cart         ======
        ui.interaction.click Buy           ======
        ui.webvital.lcp img       ============
    `
    expect(judge(containerOf(drawn(late)))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it.each([
    ['reportPageLoaded ended it', { 'sentry.idle_span_finish_reason': 'reportPageLoaded' }],
    ['the SDK discarded some of its children', { 'sentry.idle_span_discarded_spans': 1 }],
  ])('passes for a page load if %s', (_, attributes) => {
    const body = transactionOf(drawn(ENDS_LATER), { attributes: { '/checkout': attributes } })
    expect(judge(body).verdict).not.toBe('fail')
  })

  it('passes for a transaction whose last children may be dropped', () => {
    const [segment] = drawn(ENDS_LATER)
    if (segment === undefined) throw new TypeError('the drawing has no segment')
    const of = (count: number, bodyOf: typeof containerOf) =>
      judge(
        bodyOf([
          segment,
          ...Array.from({ length: count }, (_, index) => ({
            spanId: `${index + 2}`.padStart(16, '0'),
            parentId: segment.spanId,
            op: 'db',
            name: 'put',
            startMs: index / 10,
            endMs: index / 10 + 0.1,
          })),
        ]),
      ).verdict
    expect([of(999, transactionOf), of(1000, transactionOf), of(1000, containerOf)]).toEqual(['fail', 'pass', 'fail'])
  })

  it('reports the last child that ended in time, next to one that ended later', () => {
    const both = `
      navigation /checkout       ==========
        http.client GET /slow       ===============
        http.client GET /cart    =
    `
    expect(judge(containerOf(drawn(both)))).toMatchObject(
      failingWith(
        { actual: 'it ended 900 ms after its last child, http.client GET /cart' },
        { about: 'http.client GET /slow of navigation /checkout' },
      ),
    )
  })

  it('measures idle time in the order of the children’s start', () => {
    const later = `
      navigation /checkout       ==================================================
        http.client GET /last                                                  ====
        http.client GET /cart    ====================
        http.client GET /next                        ==============================
    `
    expect(judge(containerOf(drawn(later)))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('ignores children that began after the end', () => {
    const after = `
      navigation /checkout       =====
        http.client GET /cart    =====
        resource.img /late.png                                           ==
    `
    expect(judge(containerOf(drawn(after)))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('passes for a navigation without children that lasts as long as the time-out', () => {
    expect(judge(containerOf(drawn('navigation /checkout  ==========')))).toEqual({ verdict: 'pass', judged: 1 })
    expect(judge(containerOf(drawn('navigation /checkout  ==============================')))).toMatchObject({
      verdict: 'fail',
      findings: [{ path: 'end_timestamp', actual: 'it lasted 3 s without an open span' }],
    })
  })

  it('is incomplete without navigations and pageloads with children', () => {
    const why = 'No navigation and no pageload with a child span was recorded.'
    expect(judge()).toEqual({ verdict: 'incomplete', why })
    expect(judge(transactionOf(drawn('pageload /checkout  =====')))).toEqual({ verdict: 'incomplete', why })
  })

  it('is incomplete with copies, servers and other SDK families only', () => {
    const copy = { body: transactionOf(drawn(ENDS_LATER)), endpoint: 'stream' as const }
    const server = transactionOf(drawn(ENDS_LATER), { service: 'server' })
    const other = transactionOf(drawn(ENDS_LATER), { header: { sdk: { name: 'sentry.cocoa', version: '9.0.0' } } })
    expect(idleTimeoutRule.judge(caseFrom(copy, server, other)).verdict).toBe('incomplete')
  })
})
