import { expect, it } from 'vitest'
import { operationsOf } from '../../../../lib/protocol/trace/operations'
import { selfTimes } from '../../../../lib/protocol/trace/self-time'
import { serviceMap } from '../../../../lib/protocol/trace/service-map'
import { spanOf, timeTreeOf } from './analysed-spans'

const query = { op: 'db', service: 'api', name: 'SELECT 1' }
const tree = timeTreeOf(
  spanOf('page', 'call', 0, 1000, { op: 'pageload', service: 'browser' }),
  spanOf('call', null, 100, 500, { op: 'http.server', service: 'api', name: 'GET /' }),
  ...Array.from({ length: 20 }, (_, at) =>
    spanOf(`q${at}`, 'call', 110 + 15 * at, 111 + 16 * at, {
      ...query,
      name: `SELECT ${at}`,
      status: at < 3 ? 'deadline_exceeded' : 'ok',
    }),
  ),
  spanOf('cache', 'call', 450, 460, { op: 'cache.get', service: 'redis', name: 'get' }),
)

it('the table by operation has count, total, self time, percentiles and errors, the longest self time first', () => {
  const rows = operationsOf(
    tree.nodes.map(({ span }) => span),
    selfTimes(tree),
  )
  expect(rows.map(({ service, op, name }) => [service, op, name].join(' '))).toEqual([
    ...['browser pageload page', 'api db SELECT ?', 'api http.server GET /', 'redis cache.get get'],
  ])
  expect(rows[0]).toMatchObject({ count: 1, totalUs: 1000, selfUs: 600, p50Us: 1000, p95Us: 1000, errors: 0 })
  // Durations from 1 to 20 µs.
  expect(rows[1]).toMatchObject({
    count: 20,
    totalUs: 210,
    selfUs: 210,
    p50Us: 10,
    p95Us: 19,
    errors: 3,
    slowestId: 'q19',
  })
})

it('the service map has services, and calls in the direction of time', () => {
  const { services, edges } = serviceMap(tree, selfTimes(tree))
  expect(services.map(({ service, count, errors, selfUs }) => [service, count, errors, selfUs])).toEqual([
    ['browser', 1, 0, 600],
    ['api', 21, 3, expect.any(Number)],
    ['redis', 1, 0, 10],
  ])
  expect(edges.map(({ from, to, count, errors, p95Us }) => [from, to, count, errors, p95Us])).toEqual([
    ['browser', 'api', 1, 0, 400],
    ['api', 'redis', 1, 0, 10],
  ])
})

it('both are empty for an empty trace', () => {
  expect(operationsOf([], new Map())).toEqual([])
  expect(serviceMap(timeTreeOf(), new Map())).toEqual({ services: [], edges: [] })
})
