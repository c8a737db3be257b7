import { describe, expect, it } from 'vitest'
import { groupBy } from '../../../../lib/group-by'
import { criticalPaths } from '../../../../lib/protocol/trace/critical-path'
import { type FlameGraph, flameOf, pathFlame } from '../../../../lib/protocol/trace/flame'
import { selfTimes } from '../../../../lib/protocol/trace/self-time'
import { randomSpans, spanOf, timeTreeOf } from './analysed-spans'

const drawn = ({ frames }: FlameGraph): readonly string[] =>
  frames.map(({ name, depth, x, share, spanIds }) => `${depth} ${name} ${x}+${share} of ${spanIds.join()}`)

const TREE = timeTreeOf(
  spanOf('root', null, 0, 100),
  spanOf('a', 'root', 0, 25, { name: 'item 1' }),
  spanOf('b', 'root', 25, 50, { name: 'item 2' }),
  spanOf('beside', 'root', 10, 60, { name: 'wait' }),
  spanOf('c', 'b', 25, 50, { name: 'read' }),
)

describe('a flame graph', () => {
  it('of the critical path has widths that add up to the duration of the root', () => {
    const [path] = criticalPaths(TREE)
    if (path === undefined) throw new TypeError('no path')
    expect(drawn(pathFlame(TREE, path))).toEqual(['0 root 0+1 of root', '1 wait 0+0.5 of beside'])
    expect(pathFlame(TREE, path).totalUs).toBe(100)
  })

  it('by name merges spans of one operation below the same operations', () => {
    // Self times: root 40, a 25, b 0, beside 50, c 25.
    const graph = flameOf(TREE, selfTimes(TREE))
    const part = (us: number): number => us / 140
    expect(graph.totalUs).toBe(140)
    expect(drawn(graph)).toEqual([
      '0 root 0+1 of root',
      `1 item ? 0+${part(50)} of a,b`,
      `1 wait ${part(50)}+${part(50)} of beside`,
      `2 read 0+${part(25)} of c`,
    ])
    expect(graph.frames[1]).toMatchObject({ totalUs: 50, ownUs: 25 })
  })

  it('leaves out narrow rectangles with those above them, without moving others', () => {
    expect(drawn(flameOf(TREE, selfTimes(TREE), 0.3))).toEqual([
      '0 root 0+1 of root',
      `1 item ? 0+${50 / 140} of a,b`,
      `1 wait ${50 / 140}+${50 / 140} of beside`,
    ])
  })

  it('without time is empty', () => {
    expect(flameOf(timeTreeOf(spanOf('r', null, 5, 5)), new Map([['r', 0]]))).toEqual({ frames: [], totalUs: 0 })
  })

  it('of any tree keeps rectangles inside those below them, and apart from each other', () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const tree = timeTreeOf(...randomSpans(seed, 60))
      const times = selfTimes(tree)
      const { frames, totalUs } = flameOf(tree, times)
      expect(totalUs).toBe([...times.values()].reduce((sum, us) => sum + us, 0))
      const lanes = groupBy(frames, ({ depth }) => depth)
      for (const [depth, lane] of lanes) {
        const below = lanes.get(depth - 1)
        const sorted = lane.toSorted((one, other) => one.x - other.x)
        for (const [index, { x, share }] of sorted.entries()) {
          expect(x + share).toBeLessThanOrEqual((sorted[index + 1]?.x ?? 1) + 1e-9)
          const isInside =
            below?.some((one) => one.x <= x + 1e-9 && x + share <= one.x + one.share + 1e-9) ?? depth === 0
          expect([seed, depth, isInside]).toEqual([seed, depth, true])
        }
      }
    }
  })
})
