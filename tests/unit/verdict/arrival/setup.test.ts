import { expect, it } from 'vitest'
import type { ObservedTest } from '../../../../lib/verdict/arrival/observed'
import { judgeSetup } from '../../../../lib/verdict/arrival/setup'
import { countEvidence } from '../../../../lib/verdict/compare/count-evidence'
import { type Came, containerOf, drawn, envelopeOf, eventOf } from '../rules/sample-evidence'
import { requestOf } from '../rules/sample-request'
import { arrived, observed, posted, reportOf } from './observed-test'

const inBrowser = { request: { url: 'http://localhost:3000/', headers: { 'User-Agent': 'Mozilla/5.0' } } }
const crumbs = { breadcrumbs: [{ timestamp: 1, category: 'ui.click', message: 'button' }] }
const onServer = (given = {}): Came =>
  containerOf(drawn('http.server GET /  =='), { service: 'server', ids: '1', ...given })
const onPage = (given = {}): Came => containerOf(drawn('pageload /  =='), given)

/** The findings as sentences. */
function found(came: readonly Came[], tests: readonly ObservedTest[] = []): readonly string[] {
  const evidence = arrived(...came)
  const { severity, verdict } = judgeSetup(tests, evidence, countEvidence(evidence))
  expect(severity).toBe('warning')
  return verdict.verdict === 'fail' ? verdict.findings.map(({ about, actual }) => `${about}: ${actual}`) : []
}

it('finds nothing in telemetry of the documented set-up', () => {
  const call = requestOf('/api/cart', { headers: { 'sentry-trace': `${'a'.repeat(32)}-${'b'.repeat(16)}-1` } })
  const came = [onPage(), onServer(), eventOf({ ...inBrowser, ...crumbs })]
  expect(found(came, [observed({ requests: [call, requestOf('/api/other')] })])).toEqual([])
})

it('warns of three errors without any breadcrumb', () => {
  const errors = ['1', '2', '3'].map((id) => eventOf({ ...inBrowser, event_id: id.repeat(32) }))
  expect(found(errors)).toEqual([
    expect.stringMatching(/^3 errors of the browser: without any breadcrumb: is maxBreadcrumbs 0/),
  ])
  expect(found(errors.slice(1))).toEqual([])
  expect(found([...errors, eventOf({ ...inBrowser, ...crumbs, event_id: 'f'.repeat(32) })])).toEqual([])
})

it('warns of pages that post straight to the collector', () => {
  const body = String(onPage())
  expect(
    found([
      { body, endpoint: 'envelope' },
      { body: String(onServer()), endpoint: 'envelope' },
    ]),
  ).toEqual([
    expect.stringMatching(
      /^1 of 1 envelopes of the browser: posted straight to the collector: is the option tunnel set/,
    ),
  ])
})

it('warns of personal data', () => {
  const user = { ...inBrowser, ...crumbs, user: { email: 'a@b.test' } }
  expect(found([eventOf(user)])).toEqual(['personal data: user.email sent: is setUser used?'])
  // SDK 11 sends addresses by default, earlier ones by choice.
  const addressed = (version: string) =>
    envelopeOf({ sdk: { name: 'sentry.javascript.browser', version } }, [
      { type: 'event' },
      { ...JSON.parse(eventOf(inBrowser).split('\n')[2] ?? ''), user: { ip_address: '{{auto}}' } },
    ])
  expect(found([addressed('11.8.0')])).toEqual([])
  expect(found([addressed('10.2.0')])).toEqual([
    'personal data: user.ip_address sent: is sendDefaultPii or setUser used?',
  ])
  // SDK 11 sends cookies by default.
  const cookie = { ...inBrowser, ...crumbs, request: { ...inBrowser.request, cookies: { theme: 'dark' } } }
  expect(found([eventOf(cookie)])).toEqual([])
})

it('warns of a release or an environment that differs between browser and server', () => {
  expect(found([onPage({ release: 'shop@1' }), onServer({ release: 'shop@2' })])).toEqual([
    'release: the browser names shop@1, the server shop@2.',
  ])
  expect(found([onPage({ environment: 'production' }), onServer({ environment: 'test' })])).toEqual([
    'environment: the browser names production, the server test. SDK 11 fills in production when none is set.',
  ])
})

it('warns if the server traces its own tunnel', () => {
  const traced = (path: string): Came =>
    containerOf(drawn(`http.server POST ${path}  ==`), { service: 'server', ids: path.length.toString(16) })
  expect(found([onPage(), traced('/tunnel'), traced('/api/order')])).toEqual([
    expect.stringMatching(/^1 segment POST \/tunnel: the server traces its own tunnel/),
  ])
  const posts = [posted({ url: 'http://localhost:3000/relay' })]
  expect(found([onPage(), traced('/relay')], [observed({ posts })])).toEqual([
    expect.stringMatching(/^1 segment POST \/relay: /),
  ])
})

it('warns if no request of pages to their own server has trace headers', () => {
  const without = [requestOf('/api/cart'), requestOf('/tunnel', { method: 'POST' }), requestOf('https://other.test/x')]
  expect(found([onPage()], [observed({ requests: without })])).toEqual([
    expect.stringMatching(
      /^1 request of pages to their own server: without trace headers: is tracePropagationTargets empty/,
    ),
  ])
  const wrongTunnel = requestOf('/tunel', { method: 'POST' })
  expect(found([onPage()], [observed({ requests: [wrongTunnel], posts: [posted({ url: wrongTunnel.url })] })])).toEqual(
    [],
  )
})

it('warns of categories of which a hook discarded everything', () => {
  const report = reportOf(['before_send', 'log_item', 5], ['ignored', 'error', 2], ['sample_rate', 'span', 9])
  expect(found([report])).toEqual([
    'log_item (before_send): all 5 discarded by the SDK: does a hook such as beforeSend return null?',
    'error (ignored): all 2 discarded by the SDK: does a hook such as beforeSend return null?',
  ])
  const log = envelopeOf({}, [
    { type: 'log', item_count: 1, content_type: 'application/vnd.sentry.items.log+json' },
    { items: [{ timestamp: 1, body: 'x', level: 'info', trace_id: 'a'.repeat(32) }] },
  ])
  expect(found([reportOf(['before_send', 'log_item', 5]), log])).toEqual([])
})
