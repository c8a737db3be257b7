import { describe, expect, it } from 'vitest'
import { heartbeatRule } from '../../../../lib/verdict/rules/heartbeat'
import { caseFrom, containerOf, drawn, failing, transactionOf } from './sample-evidence'

/** A column is a second. */
const SECOND = 1000
const judge = (picture: string, bodyOf: typeof containerOf = containerOf) =>
  heartbeatRule.judge(caseFrom(bodyOf(drawn(picture, SECOND))))

describe('the heartbeat rule', () => {
  it('passes if an endless child is closed after three beats', () => {
    const closed = `
      navigation /feed             ===============
        http.client GET /stream    ===============
    `
    expect(judge(closed)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('passes for an older child while others begin and end', () => {
    const busy = `
      navigation /feed             =========================
        http.client GET /stream    =========================
        http.client GET /a               ==
        http.client GET /b                        =====
    `
    expect(judge(busy, transactionOf)).toEqual({ verdict: 'pass', judged: 3 })
  })

  it('fails for a child that stays open while nothing else happens', () => {
    const open = `
      navigation /feed             =========================
        http.client GET /a         =
        http.client GET /stream      =======================
    `
    expect(judge(open)).toEqual(
      failing(2, {
        about: 'http.client GET /stream of navigation /feed',
        at: { seq: 1, item: 0, traceId: 'a'.repeat(32), spanId: '0000000000000003' },
        path: 'end_timestamp',
        actual: 'open for 23 s while no other span began or ended',
        expected: 'at most 15 s, three beats of 5 s',
      }),
    )
  })

  it.each([
    ['passes at 15.9 s', 'pass', 159],
    ['fails at 16.1 s', 'fail', 161],
  ])('allows one second more than three beats, because timers of a busy page are late: %s', (_, verdict, tenths) => {
    const bar = '='.repeat(tenths)
    const late = `
      navigation /feed             ${bar}
        http.client GET /stream    ${bar}
    `
    expect(heartbeatRule.judge(caseFrom(containerOf(drawn(late, 100))))).toMatchObject({ verdict })
  })

  it('ignores spans from performance entries as activity', () => {
    const loading = `
      navigation /feed             =========================
        http.client GET /stream    =========================
        resource.img /a.png                     ==
    `
    expect(judge(loading)).toMatchObject({ verdict: 'fail', found: 1 })
    expect(judge(loading.replace('resource.img /a.png  ', 'ui.long-task blocked '))).toMatchObject({ verdict: 'pass' })
  })

  it('starts to count when the document is loaded', () => {
    const slowDocument = `
      pageload /feed               ==============================
        browser.request /          ==
        browser.response /                         ======
        browser.cache /              =
        http.client GET /stream    ==============================
    `
    expect(judge(slowDocument)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('ignores children that ended before the document was loaded', () => {
    const early = `
      pageload /feed               =========================
        http.client GET /stream    ====================
        browser.response /                           =====
        http.client GET /late                             =
    `
    expect(judge(early)).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('measures the longest time without other activity, at any position', () => {
    const first = `
      navigation /feed             =========================
        http.client GET /stream    ====================
        http.client GET /a                           =====
        http.client GET /b                             =
    `
    expect(judge(first)).toMatchObject({ found: 1, findings: [{ actual: expect.stringContaining('open for 18 s') }] })
  })

  it('is incomplete for a page load without document timing', () => {
    const untimed = `
      pageload /feed               =========================
        http.client GET /stream    =========================
    `
    expect(judge(untimed).verdict).toBe('incomplete')
  })

  it('is incomplete with spans from performance entries only', () => {
    const listed = `
      pageload /feed               ====================
        browser.request /          =
        resource.img a.png          ===================
    `
    const why = 'No pageload or navigation that waited for a child span was recorded.'
    expect(judge(listed)).toEqual({ verdict: 'incomplete', why })
  })
})

describe('a span that never ends', () => {
  const REASON = 'sentry.idle_span_finish_reason'
  const WIDGET = ['ui.widget cart', '===='] as const
  const FETCH = ['http.client GET /api/cart', ' ==='] as const
  const ANSWERED = { 'GET /api/cart': { 'http.response.status_code': 200 } }
  type Child = readonly [name: string, bar: string]
  const page = (ids: string, reason: string, children: readonly Child[] = [WIDGET, FETCH], attributes = {}) => {
    const lines = [[`pageload /cart${ids}`, '===='], ...children.map(([name, bar]) => [`  ${name}`, bar])]
    const spans = drawn(lines.map(([name = '', bar]) => `${name.padEnd(40)}${bar}`).join('\n'), SECOND)
    const of = { ...ANSWERED, [`/cart${ids}`]: { [REASON]: reason }, ...attributes }
    return containerOf(spans, { ids, traceId: ids.repeat(32), attributes: of })
  }
  const verdictOn = (bodies: readonly string[]) => heartbeatRule.judge(caseFrom(...bodies)).verdict
  const pages = (...given: [reason: string, children?: readonly Child[], attributes?: object]) =>
    ['1', '2'].map((ids) => page(ids, ...given))

  it('is named when it is open in each page that is closed', () => {
    expect(heartbeatRule.judge(caseFrom(page('1', 'documentHidden'), page('2', 'cancelled')))).toEqual(
      failing(1, {
        about: 'ui.widget cart of pageload /cart1',
        at: { seq: 1, item: 0, traceId: '1'.repeat(32), spanId: expect.stringMatching(/2$/) },
        path: 'end_timestamp',
        actual: 'it never ended, so its page waited for it, 2 times: is span.end() called?',
        expected: 'every started span is ended',
      }),
    )
  })

  it.each(['heartbeatFailed', 'finalTimeout'])('is named when its page ended by %s', (reason) => {
    expect(verdictOn([page('1', reason)])).toBe('fail')
    expect(verdictOn([page('1', reason, [WIDGET])])).toBe('fail')
  })

  it('is named when the SDK marked it as cancelled', () => {
    const cancelled = pages('documentHidden', [WIDGET]).map((body) =>
      body.replaceAll('"status":"ok"', '"status":"cancelled"'),
    )
    expect(verdictOn(cancelled)).toBe('fail')
  })

  it.each<[string, readonly string[]]>([
    ['only one page was closed', [page('1', 'documentHidden')]],
    ['it ended in another page', [page('1', 'heartbeatFailed'), page('2', 'idleTimeout', [['ui.widget cart', '==']])]],
    ['its page waited for its end', pages('idleTimeout')],
    ['it is the last that ended', pages('documentHidden', [WIDGET])],
    [
      'it is the last that ended, while a request was open',
      pages('documentHidden', undefined, { 'GET /api/cart': {} }),
    ],
    ['it ended with its child', pages('documentHidden', [WIDGET, ['  resource.script a.js', ' ===']])],
    ['it is a request', pages('documentHidden', [['http.client GET /stream', '===='], FETCH])],
  ])('is not named if %s', (_why, bodies) => {
    expect(verdictOn(bodies)).not.toBe('fail')
  })
})
