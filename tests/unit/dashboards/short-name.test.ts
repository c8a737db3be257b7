import { expect, it } from 'vitest'
import { pageOrigins, shortName } from '../../../dashboards/traces/span-facts'

const span = (segmentId: string, op: string | null, name: string) => ({ segmentId, op, name })

it('the origin of a page is found in the phases of its page load, per segment', () => {
  const origins = pageOrigins([
    span('a', 'pageload', '/lab'),
    span('a', 'resource.script', 'https://cdn.example/x.js'),
    span('a', 'browser.dns', 'http://localhost:3000/lab?x=1'),
    span('b', 'http.client', 'GET http://localhost:3000/api'),
  ])
  expect([...origins]).toEqual([['a', 'http://localhost:3000']])
})

it('the origin of a page is unknown when such a span has another name', () => {
  expect([...pageOrigins([span('a', 'browser.paint', 'first-paint'), span('a', null, 'http://a/b')])]).toEqual([])
})

it.each([
  ['http://a:3000/lab', '/lab'],
  ['GET http://a:3000/api?b=c', 'GET /api?b=c'],
  ['http://a:3000', '/'],
  ['http://a:30001/lab', 'http://a:30001/lab'],
  ['https://other/lab', 'https://other/lab'],
  ['render', 'render'],
])('a short name of %s on its own page is %s', (name, short) => {
  expect(shortName(name, 'http://a:3000')).toBe(short)
})

it('a short name is the whole name when the page is unknown', () => {
  expect(shortName('http://a:3000/lab', undefined)).toBe('http://a:3000/lab')
})
