import { describe, expect, it } from 'vitest'
import { prefetchFreshnessRule } from '../../../../lib/verdict/rules/prefetch-freshness'
import type { SeenRequest } from '../../../../lib/verdict/rules/rule'
import { caseOf, failing } from './sample-evidence'
import { requestOf } from './sample-request'

/** A request of the router after some seconds. */
const visit = (atS: number, given: Partial<Omit<SeenRequest, 'answer'>> & { readonly path?: string } = {}) => {
  const { path = '/docs?_rsc=abc', headers = {}, ...rest } = given
  return requestOf(path, { atMs: atS * 1000, headers: { rsc: '1', ...headers }, ...rest })
}
const judge = (...requests: readonly SeenRequest[]) => prefetchFreshnessRule.judge(caseOf({ requests }))

describe('the prefetch-freshness rule', () => {
  it('passes if a stale page is requested again', () => {
    expect(judge(visit(0), visit(10, { path: '/other?_rsc=x' }), visit(31))).toEqual({ verdict: 'pass', judged: 3 })
  })

  it('fails if a fresh page is requested again', () => {
    expect(judge(visit(0), visit(12, { path: '/docs?_rsc=other' }))).toEqual(
      failing(2, {
        about: 'GET http://localhost:3000/docs',
        at: null,
        path: '',
        actual: 'requested again after 12 s in one page load',
        expected: 'no request within 30 s',
      }),
    )
  })

  it('fails for a request from the same page, and reports the path without its query', () => {
    const requested = (atS: number) =>
      visit(atS, { path: '/reset?token=secret&_rsc=x', headers: { 'next-url': '/a', 'next-router-state-tree': 'a' } })
    const verdict = judge(requested(0), requested(12))
    expect(verdict).toMatchObject({ findings: [{ about: 'GET http://localhost:3000/reset' }] })
  })

  it.each([
    ['another page load requests it', visit(12, { document: 'load 2' })],
    ['it is requested from another page', visit(12, { headers: { 'next-url': '/feed' } })],
    [
      'it is requested with another router state',
      visit(12, { headers: { 'next-router-state-tree': '%5B%22feed%22%5D' } }),
    ],
    ['the query differs', visit(12, { path: '/docs?page=2&_rsc=abc' })],
    ['the app refreshes it', visit(12, { headers: { 'next-router-state-tree': '%5B%22%22%2C%22refetch%22%5D' } })],
  ])('passes if %s', (_, again) => {
    expect(judge(visit(0), again)).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('passes after a server action', () => {
    const action = requestOf('/docs', { method: 'POST', atMs: 5000, headers: { 'next-action': 'x' } })
    expect(judge(visit(0), action, visit(12))).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('fails if the server action came before the first visit or after the second', () => {
    const action = (atMs: number) => requestOf('/docs', { method: 'POST', atMs, headers: { 'next-action': 'x' } })
    expect(judge(action(0), visit(1), visit(12))).toMatchObject({ found: 1 })
    expect(judge(visit(0), visit(12), action(13_000))).toMatchObject({ found: 1 })
  })

  it('recognises router requests and server actions by method and header', () => {
    const noAction = requestOf('/docs', { atMs: 5000, headers: { 'next-action': 'x' } })
    const noHeader = requestOf('/docs', { method: 'POST', atMs: 5000 })
    expect(judge(visit(0), noAction, noHeader, visit(12))).toMatchObject({ judged: 2, found: 1 })
    expect(judge(visit(0), visit(12, { method: 'POST' }))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('checks only requests of a page that were answered with 200', () => {
    const refused = { ...visit(0), answer: { status: 404, headers: {}, fromCache: false } }
    expect(judge(refused, visit(1), { ...visit(2), answer: null })).toEqual({ verdict: 'pass', judged: 1 })
    expect(judge(visit(0, { document: null }), visit(1, { document: null })).verdict).toBe('incomplete')
  })

  it('is incomplete with prefetches only, and without observed requests', () => {
    const prefetch = { headers: { 'next-router-prefetch': '1' } }
    const why = 'The Next.js router requested no page.'
    expect(judge(visit(0, prefetch), visit(1, prefetch), requestOf('/docs'))).toEqual({ verdict: 'incomplete', why })
    expect(prefetchFreshnessRule.judge(caseOf()).verdict).toBe('incomplete')
  })
})
