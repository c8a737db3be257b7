import { expect, it } from 'vitest'
import { normaliseName } from '../../../../lib/protocol/trace/span-name'

it.each([
  ['numbers', 'GET /items/12/rows/3.5', 'GET /items/?/rows/?'],
  ['ids', 'GET /items/65f1a2b3c4d5e6f708192a3b', 'GET /items/?'],
  ['UUIDs', 'GET /items/0e4cbf4e-21a2-4f5a-a1f1-8d8a2d1b6a54', 'GET /items/?'],
  ['hashes of letters only', 'GET /static/feffcedf.js', 'GET /static/?.js'],
  ['quoted texts', `SELECT 1 FROM t WHERE n = 'O''Hara' AND "k" = 1`, 'SELECT ? FROM t WHERE n = ? AND ? = ?'],
  ['placeholders', 'SELECT n FROM t WHERE a = $1 AND b = :2', 'SELECT n FROM t WHERE a = ? AND b = ?'],
  ['lists of values', 'SELECT n FROM t WHERE id IN (1, 2, 3)', 'SELECT n FROM t WHERE id IN (?)'],
  ['lists of placeholders', 'SELECT n FROM t WHERE id in (?,?,?)', 'SELECT n FROM t WHERE id IN (?)'],
])('normaliseName replaces %s', (_, name, bare) => {
  expect(normaliseName(name)).toBe(bare)
})

it.each(["don't panic", 'GET /v2/facade', 'SELECT md5 FROM t2', 'GET /cart'])(
  'normaliseName replaces nothing in %s',
  (name) => {
    expect(normaliseName(name)).toBe(name)
  },
)

it.each(["'\\\\", '"\\\\', "'", "'a", 'in (?,', '1.', '@1'])('normaliseName runs in linear time: %s', (part) => {
  const begin = performance.now()
  for (let time = 0; time < 200; time += 1) normaliseName(part.repeat(2000 / part.length) + time)
  expect(performance.now() - begin).toBeLessThan(500)
})

it('normaliseName truncates a name to 2000 characters', () => {
  expect(normaliseName('x'.repeat(5000))).toHaveLength(2000)
})
