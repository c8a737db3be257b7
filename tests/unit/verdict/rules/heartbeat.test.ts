import { describe, expect, it } from 'vitest'
import { heartbeatRule } from '../../../../lib/verdict/rules/heartbeat'
import { caseFrom, containerOf, drawn, transactionOf } from './sample-evidence'

/** A column is a second. */
const SECOND = 1000
const judge = (picture: string, told: typeof containerOf = containerOf) =>
  heartbeatRule.judge(caseFrom(told(drawn(picture, SECOND))))

describe('the heartbeat', () => {
  it('holds where a child that never ended is closed after three beats', () => {
    const closed = `
      navigation /feed             ===============
        http.client GET /stream    ===============
    `
    expect(judge(closed)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('holds for a child that is older while others come and go', () => {
    const busy = `
      navigation /feed             =========================
        http.client GET /stream    =========================
        http.client GET /a               ==
        http.client GET /b                        =====
    `
    expect(judge(busy, transactionOf)).toEqual({ verdict: 'pass', judged: 3 })
  })

  it('does not hold for a child that stays open while nothing else happens', () => {
    const open = `
      navigation /feed             =========================
        http.client GET /a         =
        http.client GET /stream      =======================
    `
    expect(judge(open)).toEqual({
      verdict: 'fail',
      judged: 2,
      found: 1,
      findings: [
        {
          about: 'http.client GET /stream of navigation /feed',
          at: { seq: 1, item: 0, traceId: 'a'.repeat(32), spanId: '0000000000000003' },
          path: 'end_timestamp',
          actual: 'open for 23 s in which the SDK saw nothing else begin or end',
          expected: 'at most 15 s: three beats of 5 s',
        },
      ],
    })
  })

  it.each([
    ['holds', 'pass', 159],
    ['does not hold', 'fail', 161],
  ])('%s a second later, for timers of a busy page are late', (_, verdict, tenths) => {
    const bar = '='.repeat(tenths)
    const late = `
      navigation /feed             ${bar}
        http.client GET /stream    ${bar}
    `
    expect(heartbeatRule.judge(caseFrom(containerOf(drawn(late, 100))))).toMatchObject({ verdict })
  })

  it('does not hold for one beside which the browser loads what the SDK lists afterwards alone', () => {
    const loading = `
      navigation /feed             =========================
        http.client GET /stream    =========================
        resource.img /a.png                     ==
    `
    expect(judge(loading)).toMatchObject({ verdict: 'fail', found: 1 })
    expect(judge(loading.replace('resource.img /a.png  ', 'ui.long-task blocked '))).toMatchObject({ verdict: 'pass' })
  })

  it('begins to beat when the document of a page load is there', () => {
    const slowDocument = `
      pageload /feed               ==============================
        browser.request /          ==
        browser.response /                         ======
        browser.cache /              =
        http.client GET /stream    ==============================
    `
    expect(judge(slowDocument)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('does not beat for what had ended before the document was there', () => {
    const early = `
      pageload /feed               =========================
        http.client GET /stream    ====================
        browser.response /                           =====
        http.client GET /late                             =
    `
    expect(judge(early)).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('is measured over the longest stretch, wherever it stands', () => {
    const first = `
      navigation /feed             =========================
        http.client GET /stream    ====================
        http.client GET /a                           =====
        http.client GET /b                             =
    `
    expect(judge(first)).toMatchObject({ found: 1, findings: [{ actual: expect.stringContaining('open for 18 s') }] })
  })

  it('cannot be judged of a page load that does not tell when its document was there', () => {
    const untold = `
      pageload /feed               =========================
        http.client GET /stream    =========================
    `
    expect(judge(untold).verdict).toBe('incomplete')
  })

  it('cannot be judged from what the browser lists by itself', () => {
    const listed = `
      pageload /feed               ====================
        browser.request /          =
        resource.img a.png          ===================
    `
    const why = 'No pageload or navigation was recorded that waited for a child span.'
    expect(judge(listed)).toEqual({ verdict: 'incomplete', why })
  })
})
