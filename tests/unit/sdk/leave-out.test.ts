import { describe, expect, it } from 'vitest'
import { type Attributes, isMissingPage, isProxy, NOT_FOUND_ATTRIBUTE } from '../../../lib/sdk/leave-out'

const segment = (name: string, attributes: Attributes = {}, children: readonly Attributes[] = []) => ({
  name,
  attributes,
  children,
})
const pageRender: Attributes = { 'next.span_type': 'AppRender.getBodyResult' }
const routeHandler: Attributes = { 'next.span_type': 'AppRouteRouteHandlers.runHandler' }

describe('a missing page', () => {
  it('is a page that not-found.tsx marked', () => {
    expect(isMissingPage(segment('/nope', { [NOT_FOUND_ATTRIBUTE]: true }))).toBe(true)
  })

  it.each(['/404', '/_not-found', 'GET /404', 'GET /_not-found'])('is a segment named %s', (name) => {
    expect(isMissingPage(segment(name))).toBe(true)
  })

  it.each(['http.route', 'next.route'])('is a segment whose %s is the missing page', (attribute) => {
    expect(isMissingPage(segment('GET', { [attribute]: '/_not-found' }))).toBe(true)
  })

  it('is a page request that answered 404', () => {
    expect(isMissingPage(segment('GET /items/[id]', { 'http.response.status_code': 404 }, [pageRender]))).toBe(true)
  })

  // navigation /nope                                  then a new document is loaded, and nobody marks this one
  //   └─ http.client GET http://host/nope?_rsc=1  404
  it('is a navigation whose own page was answered 404', () => {
    const navigation = { 'sentry.op': 'navigation', 'url.full': 'http://host/nope' }
    const request = { 'url.full': 'http://host/nope?_rsc=1', 'http.response.status_code': 404 }
    expect(isMissingPage(segment('Navigation', navigation, [request]))).toBe(true)
  })
})

describe('no missing page', () => {
  it('is a route handler that answers 404: that is an answer', () => {
    expect(isMissingPage(segment('GET /api/items', { 'http.response.status_code': 404 }, [routeHandler]))).toBe(false)
  })

  it('is a page that answered 200', () => {
    expect(isMissingPage(segment('GET /lab', { 'http.response.status_code': 200 }, [pageRender]))).toBe(false)
  })

  it('is a page whose path only looks like one', () => {
    expect(isMissingPage(segment('/404-explained'))).toBe(false)
  })

  // navigation /shop
  //   └─ http.client GET http://host/api/stock  404   another address than the page's
  it('is a navigation on which some other call was answered 404', () => {
    const navigation = { 'sentry.op': 'navigation', 'url.full': 'http://host/shop' }
    const call = { 'url.full': 'http://host/api/stock', 'http.response.status_code': 404 }
    expect(isMissingPage(segment('/shop', navigation, [call]))).toBe(false)
  })

  it('is a page load that fetches its own address and is answered 404: only navigations ask that way', () => {
    const pageload = { 'sentry.op': 'pageload', 'url.full': 'http://host/shop' }
    const call = { 'url.full': 'http://host/shop', 'http.response.status_code': 404 }
    expect(isMissingPage(segment('/shop', pageload, [call]))).toBe(false)
  })
})

describe('the proxy', () => {
  it('is known by its route', () => {
    expect(isProxy(segment('GET', { 'http.route': 'middleware GET' }))).toBe(true)
    expect(isProxy(segment('GET /middleware', { 'http.route': '/middleware' }))).toBe(false)
  })
})
