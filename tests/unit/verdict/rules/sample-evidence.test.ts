import { expect, it } from 'vitest'
import { containerOf, drawn, evidenceOf, transactionOf } from './sample-evidence'

const PICTURE = `
  pageload /checkout       ============
    http.client GET /cart     ===
      db SELECT 1              =
    - paint                          |
`

it('a drawn trace is parsed by its columns', () => {
  expect(drawn(PICTURE)).toEqual([
    { spanId: '0000000000000001', parentId: null, op: 'pageload', name: '/checkout', startMs: 0, endMs: 1200 },
    {
      spanId: '0000000000000002',
      parentId: '0000000000000001',
      op: 'http.client',
      name: 'GET /cart',
      startMs: 300,
      endMs: 600,
    },
    {
      spanId: '0000000000000003',
      parentId: '0000000000000002',
      op: 'db',
      name: 'SELECT 1',
      startMs: 400,
      endMs: 500,
    },
    { spanId: '0000000000000004', parentId: '0000000000000001', op: null, name: 'paint', startMs: 1000, endMs: 1000 },
  ])
})

it.each([
  ['static', transactionOf(drawn(PICTURE))],
  ['stream', containerOf(drawn(PICTURE))],
])('a drawn trace gives the same spans in the %s lifecycle', (lifecycle, body) => {
  const { segments, spans } = evidenceOf(body)
  expect(segments).toMatchObject([{ lifecycle, service: 'browser', name: '/checkout', op: 'pageload' }])
  expect(spans.map(({ name, startUs, endUs }) => `${name} ${(endUs - startUs) / 1000}`).sort()).toEqual([
    '/checkout 1200',
    'GET /cart 300',
    'SELECT 1 100',
    'paint 0',
  ])
})
