import { describe, expect, it } from 'vitest'
import { type Attributes, isMissingPage, NOT_FOUND_ATTRIBUTE } from '../../../lib/contract/missing-page'
import { isProxy } from '../../../lib/sdk/outgoing-filter'

const segment = (name: string, attributes: Attributes = {}, children: readonly Attributes[] = []) => ({
  name,
  attributes,
  children,
})
const pageRender: Attributes = { 'next.span_type': 'AppRender.getBodyResult' }
const routeHandler: Attributes = { 'next.span_type': 'AppRouteRouteHandlers.runHandler' }

describe('isMissingPage returns true for', () => {
  it('a page that not-found.tsx marked', () => {
    expect(isMissingPage(segment('/nope', { [NOT_FOUND_ATTRIBUTE]: true }))).toBe(true)
  })

  it.each(['/404', '/_not-found', 'GET /404', 'GET /_not-found'])('a segment named %s', (name) => {
    expect(isMissingPage(segment(name))).toBe(true)
  })

  it.each(['http.route', 'next.route'])('a segment whose %s is /_not-found', (attribute) => {
    expect(isMissingPage(segment('GET', { [attribute]: '/_not-found' }))).toBe(true)
  })

  it('a page request that answered 404', () => {
    expect(isMissingPage(segment('GET /items/[id]', { 'http.response.status_code': 404 }, [pageRender]))).toBe(true)
  })

  // navigation /nope                                  then a new document is loaded, and nothing marks this navigation
  //   └─ http.client GET http://host/nope?_rsc=1  404
  it('a navigation whose page request answered 404', () => {
    const navigation = { 'sentry.op': 'navigation', 'url.full': 'http://host/nope' }
    const request = { 'url.full': 'http://host/nope?_rsc=1', 'http.response.status_code': 404 }
    expect(isMissingPage(segment('Navigation', navigation, [request]))).toBe(true)
  })
})

describe('isMissingPage returns false for', () => {
  it('a route handler that answers 404', () => {
    expect(isMissingPage(segment('GET /api/items', { 'http.response.status_code': 404 }, [routeHandler]))).toBe(false)
  })

  it('a page that answered 200', () => {
    expect(isMissingPage(segment('GET /lab', { 'http.response.status_code': 200 }, [pageRender]))).toBe(false)
  })

  it('a page whose path only begins with /404', () => {
    expect(isMissingPage(segment('/404-explained'))).toBe(false)
  })

  // navigation /shop
  //   └─ http.client GET http://host/api/stock  404   not the address of the page
  it('a navigation during which another request answered 404', () => {
    const navigation = { 'sentry.op': 'navigation', 'url.full': 'http://host/shop' }
    const call = { 'url.full': 'http://host/api/stock', 'http.response.status_code': 404 }
    expect(isMissingPage(segment('/shop', navigation, [call]))).toBe(false)
  })

  it('a page load that fetches its own address and gets 404: only navigations request pages that way', () => {
    const pageload = { 'sentry.op': 'pageload', 'url.full': 'http://host/shop' }
    const call = { 'url.full': 'http://host/shop', 'http.response.status_code': 404 }
    expect(isMissingPage(segment('/shop', pageload, [call]))).toBe(false)
  })
})

it('isProxy recognises a segment of proxy.ts by its route', () => {
  expect(isProxy(segment('GET', { 'http.route': 'middleware GET' }))).toBe(true)
  expect(isProxy(segment('GET /middleware', { 'http.route': '/middleware' }))).toBe(false)
})
