import type { ObservedTest, SeenDocument, SeenPost } from '../../../../lib/verdict/arrival/observed'
import type { Evidence } from '../../../../lib/verdict/evidence/evidence'
import { BEGIN_S, type Came, clientReportOf, containerOf, drawn, evidenceOf } from '../rules/sample-evidence'

export const SHOP = 'http://localhost:3000'

/** The browser of one test of the shop, which did nothing unless given. */
export const observed = (given: Partial<ObservedTest> = {}): ObservedTest => ({
  kind: 'browser',
  test: 'shop.spec.ts:8',
  stamp: 'shop.spec.ts:8-aa',
  testId: 'shop-8',
  attempt: 0,
  isOk: true,
  errors: [],
  isCut: false,
  documents: [],
  posts: [],
  failures: [],
  traced: [],
  requests: [],
  fallbacks: [],
  ...given,
})

/** Documents of the shop that need a pageload. */
export const opened = (...paths: readonly string[]): SeenDocument[] =>
  paths.map((path) => ({ url: `${SHOP}${path}`, exempt: null, hasSent: true }))

/** A post of the page at `/` to the tunnel that was answered 200. */
export const posted = (given: Partial<SeenPost> = {}): SeenPost => ({
  url: `${SHOP}/tunnel`,
  pageUrl: `${SHOP}/`,
  eventId: 'e'.repeat(32),
  sentAt: '2026-11-18T00:00:00.000Z',
  bytes: 100,
  items: [{ category: 'span', quantity: 4 }],
  status: 200,
  sentence: '',
  failure: null,
  ...given,
})

let traces = 0

/** A pageload or navigation with the stamp of the test, in a trace of its own. */
export function pageSpan(
  op: 'pageload' | 'navigation',
  path: string,
  given: { stamp?: string | null; atMs?: number } = {},
): Came {
  const { stamp = 'shop.spec.ts:8-aa', atMs = 0 } = given
  traces += 1
  const traceId = traces.toString(16).padStart(32, 'a')
  const attributes = { [path]: { 'url.full': `${SHOP}${path}?from=test` } }
  const [span] = drawn(`${op} ${path}  ==`)
  if (span === undefined) throw new Error('nothing was drawn')
  return {
    body: containerOf([span], { traceId, attributes, aheadMs: atMs }),
    stamp,
    receivedAt: BEGIN_S * 1000 + atMs + 500,
  }
}

export const reportOf = (...discarded: readonly (readonly [string, string, number])[]): Came => ({
  body: clientReportOf(...discarded),
  stamp: 'shop.spec.ts:8-aa',
})

export const arrived = (...came: readonly Came[]): Evidence => evidenceOf(...came)
