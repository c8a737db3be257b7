import { describe, expect, it } from 'vitest'
import { selfIntervals, selfTimes } from '../../../../lib/protocol/trace/self-time'
import { randomSpans, spanOf, timeTreeOf } from './analysed-spans'

const intervals = (joinUs: number, ...children: readonly (readonly [number, number])[]): readonly string[] => {
  const { roots } = timeTreeOf(
    spanOf('p', null, 0, 100),
    ...children.map(([from, to], at) => spanOf(`c${at}`, 'p', from, to)),
  )
  return roots.flatMap(({ span, children: below }) =>
    selfIntervals(span, below, joinUs).map(({ startUs, endUs }) => `${startUs}-${endUs}`),
  )
}

describe('the intervals of a span without a child', () => {
  it.each<[string, readonly (readonly [number, number])[], readonly string[]]>([
    ['no child', [], ['0-100']],
    [
      'children one after the other',
      [
        [10, 20],
        [40, 50],
      ],
      ['0-10', '20-40', '50-100'],
    ],
    [
      'overlapping children',
      [
        [10, 60],
        [20, 30],
        [50, 70],
      ],
      ['0-10', '70-100'],
    ],
    [
      'a child that sticks out',
      [
        [-5, 5],
        [90, 120],
      ],
      ['5-90'],
    ],
    ['a child that covers it', [[-5, 120]], []],
    [
      'children elsewhere',
      [
        [-9, -5],
        [200, 300],
      ],
      ['0-100'],
    ],
    [
      'a child without duration, and one that ends before its start',
      [
        [50, 50],
        [70, 60],
      ],
      ['0-100'],
    ],
  ])('with %s', (_title, children, expected) => {
    expect(intervals(0, ...children)).toEqual(expected)
  })

  it('are joined when they are closer than the given width', () => {
    expect(intervals(10, [10, 19], [30, 40], [60, 75])).toEqual(['0-30', '40-60', '75-100'])
    const many = Array.from({ length: 49 }, (_, at): [number, number] => [2 * at + 1, 2 * at + 2])
    expect(intervals(0, ...many)).toHaveLength(50)
    expect(intervals(1.5, ...many)).toEqual(['0-100'])
  })
})

it('self times add up to the time in which spans run, each instant once per childless span', () => {
  expect([
    ...selfTimes(
      timeTreeOf(
        spanOf('p', null, 0, 100),
        spanOf('a', 'p', 10, 60),
        spanOf('b', 'p', 20, 150),
        spanOf('c', 'a', 10, 60),
      ),
    ),
  ]).toEqual([
    ['p', 10],
    ['a', 0],
    ['b', 130],
    ['c', 50],
  ])
})

it('a self time is never negative and never longer than its span, nor than what its children leave', () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const tree = timeTreeOf(...randomSpans(seed, 80))
    const times = selfTimes(tree)
    for (const node of tree.nodes) {
      const { spanId, startUs, endUs } = node.span
      const instants = Array.from({ length: endUs - startUs }, (_, at) => startUs + at)
      const own = instants.filter(
        (us) => !tree.childrenOf(node).some(({ span }) => span.startUs <= us && us < span.endUs),
      )
      expect([seed, spanId, times.get(spanId)]).toEqual([seed, spanId, own.length])
    }
  }
})
