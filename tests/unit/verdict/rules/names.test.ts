import { describe, expect, it } from 'vitest'
import { namesRule } from '../../../../lib/verdict/rules/names'
import { caseFrom, containerOf, drawn, failing, transactionOf } from './sample-evidence'

const judge = (...bodies: string[]) => namesRule.judge(caseFrom(...bodies))
const page = (op: string, name: string) => drawn(`${op} ${name}  =====`)
/** A streamed segment with this name and this path attribute. */
const streamed = (op: string, name: string, path: string) =>
  containerOf(page(op, name), { attributes: { [name]: { 'url.path': path } } })
const request = (name: string, route?: string) =>
  transactionOf(drawn(`http.server ${name}  =====`), {
    service: 'server',
    ...(route && { attributes: { [name]: { 'http.route': route } } }),
  })

describe('the names rule', () => {
  it('passes if a pageload or navigation is named by its path', () => {
    const bodies = [streamed('pageload', '/docs/9', '/docs/9'), transactionOf(page('navigation', '/docs/9'))]
    expect(judge(...bodies)).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('compares paths after decoding', () => {
    expect(judge(streamed('pageload', '/a%20b/', '/a b'))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('passes for a streamed navigation named Navigation with its path in an attribute', () => {
    expect(judge(streamed('navigation', 'Navigation', '/docs/9'))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it.each([
    ['Pageload', streamed('pageload', 'Pageload', '/docs/9'), 'name', '/docs/9'],
    ['Checkout', transactionOf(page('pageload', 'Checkout')), 'transaction', 'the path of the page'],
    ['/docs/:id', streamed('navigation', '/docs/:id', '/docs/9/edit'), 'name', '/docs/9/edit'],
    ['/shop/:id', streamed('pageload', '/shop/:id', '/docs/9'), 'name', '/docs/9'],
    ['/docs/:id', streamed('pageload', '/docs/:id', '/docs/'), 'name', '/docs/'],
    ['Navigation', streamed('pageload', 'Navigation', '/docs/9'), 'name', '/docs/9'],
  ])('fails for the page name %s', (name, body, path, expected) => {
    expect(judge(body)).toMatchObject({ verdict: 'fail', found: 1, findings: [{ path, actual: name, expected }] })
  })

  it.each([
    ['/product/:id', '/product/42'],
    ['/product/[id]', '/product/42'],
    ['/product/{id}/edit', '/product/42/edit'],
    ['/product/$id', '/product/42/'],
    ['/product/<int:id>', '/product/42'],
    ['/product/*', '/product/42'],
    ['/docs/[...path]', '/docs/a/b/c'],
    ['/docs/[[...path]]', '/docs'],
    ['/docs/:path*', '/docs/a/b'],
  ])('passes for a page named by its parameterised route: %s', (name, path) => {
    expect(judge(streamed('pageload', name, path), streamed('navigation', name, path))).toEqual({
      verdict: 'pass',
      judged: 2,
    })
  })

  it.each([
    ['GET /product/*', '/product/[id]'],
    ['GET /product/:id', '/product/[id]'],
    ['GET /docs/[id]', '/docs/[id]'],
    ['RSC GET /docs/[id]', '/docs/[id]'],
    ['GET', undefined],
    ['POST /api/chat', '/api/chat/route'],
    ['GET /route', '/route'],
  ])('passes for the server segment name %s', (name, route) => {
    expect(judge(request(name, route))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('passes for a server segment named by its route if no method is known, as in SDK 7', () => {
    expect(judge(request('/docs/[id]'))).toEqual({ verdict: 'pass', judged: 1 })
    const withMethod = { service: 'server', attributes: { '/docs/[id]': { 'http.method': 'GET' } } } as const
    expect(judge(transactionOf(drawn('http.server /docs/[id]  ====='), withMethod)).verdict).toBe('fail')
    expect(judge(request('docs')).verdict).toBe('fail')
  })

  it('fails for a server segment named by its path instead of its route', () => {
    expect(judge(request('GET /docs/9', '/docs/[id]'))).toEqual(
      failing(1, {
        about: 'http.server GET /docs/9',
        at: { seq: 1, item: 0, traceId: 'a'.repeat(32), spanId: '0000000000000001' },
        path: 'transaction',
        actual: 'GET /docs/9',
        expected: 'method and route, such as GET /docs/[id]',
      }),
    )
  })

  it('is incomplete for middleware segments and other spans', () => {
    const why = 'No pageload, navigation or server request was recorded.'
    const proxy = request('middleware GET', 'middleware GET')
    expect(judge(proxy, transactionOf(drawn('task big  =====')))).toEqual({ verdict: 'incomplete', why })
  })
})
