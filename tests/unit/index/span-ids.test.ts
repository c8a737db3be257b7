import { expect, it } from 'vitest'
import { countDistinct, idsIn, repeatedIds } from '../../../collector/index/traces/span-ids'
import { seededRandom } from '../protocol/seeded-random'

/** Lists with few different ids, many of which share one half. */
function lists(seed: number): readonly (readonly string[])[] {
  const random = seededRandom(seed)
  const below = (n: number): number => Math.floor(random() * n)
  const half = (): string => below(5).toString(16).padStart(8, '0')
  return Array.from({ length: 6 }, () => [...new Set(Array.from({ length: below(12) }, () => half() + half()))])
}

const bytesOf = (ids: readonly string[]): Buffer => Buffer.from(ids.join(''), 'hex')

it.each(Array.from({ length: 20 }, (_, index) => index))(
  'span ids are compared by all their bytes (seed %i)',
  (seed) => {
    const given = lists(seed)
    const all = given.flat()
    const times = new Map(all.map((id) => [id, all.filter((other) => other === id).length]))
    expect(countDistinct(given.map(bytesOf))).toBe(times.size)
    expect(repeatedIds(given.map(bytesOf))).toEqual(new Map([...times].filter(([, count]) => count > 1)))
    expect(given.map((ids) => idsIn(bytesOf(ids)))).toEqual(given)
  },
)

it('span ids are none in an empty list', () => {
  expect([countDistinct([]), repeatedIds([]).size]).toEqual([0, 0])
})
