import { describe, expect, it } from 'vitest'
import { type LinkedTrace, LONGEST_LINKS_US, MOST_LINKS, VisitRoots } from '../../../collector/index/visits/visit-roots'
import { groupBy } from '../../../lib/group-by'

/** Traces by id: the id of the trace before, a key, and the start in seconds. */
function rootsOf(traces: Readonly<Record<string, readonly [previous: string | null, key: string | null, at: number]>>) {
  return new VisitRoots((id): LinkedTrace | null => {
    const given = traces[id]
    return given === undefined ? null : { previous: given[0], key: given[1], startUs: given[2] * 1e6 }
  })
}

/** Navigations of one page, a second apart: `t0`, `t1`, … */
const chain = (length: number, apart = 1) =>
  Object.fromEntries(
    Array.from({ length }, (_, n) => [`t${n}`, [n === 0 ? null : `t${n - 1}`, null, n * apart] as const]),
  )

describe('the visit of a trace', () => {
  it('is that of its key', () => {
    const roots = rootsOf({ a: [null, 'page:1', 0], b: ['a', 'page:2', 1], c: [null, 'session:s', 2] })
    expect(['a', 'b', 'c'].map((id) => roots.visitOf(id))).toEqual(['page:1', 'page:2', 'session:s'])
  })

  it('is a visit of its own without key and link, and unknown without a trace', () => {
    const roots = rootsOf({ a: [null, null, 0] })
    expect(roots.visitOf('a')).toBe('trace:a')
    expect(roots.visitOf('gone')).toBeNull()
  })

  it('follows links back to the first trace, or to one with a key', () => {
    expect(rootsOf(chain(4)).visitOf('t3')).toBe('trace:t0')
    expect(rootsOf({ ...chain(4), t0: [null, 'replay:r', 0] }).visitOf('t3')).toBe('replay:r')
    expect(rootsOf({ b: ['gone', null, 1], c: ['b', null, 2] }).visitOf('c')).toBe('trace:b')
  })

  it.each(['first to last', 'last to first'])('follows 50 links, then a visit begins, in the order %s', (order) => {
    const roots = rootsOf(chain(2 * MOST_LINKS + 2))
    const ids = Array.from({ length: 2 * MOST_LINKS + 2 }, (_, n) => `t${n}`)
    const sorted = order === 'first to last' ? ids : [...ids].reverse()
    const visits = sorted.map((id) => roots.visitOf(id) ?? '')
    const perVisit = groupBy(visits, (id) => id)
    expect([...perVisit.values()].map((all) => all.length)).toEqual([MOST_LINKS + 1, MOST_LINKS + 1])
  })

  it('follows links for an hour from the first trace', () => {
    const roots = rootsOf(chain(3, LONGEST_LINKS_US / 1e6 / 2 + 1))
    expect(roots.visitOf('t1')).toBe('trace:t0')
    expect(roots.visitOf('t2')).not.toBe('trace:t0')
  })

  it('ends at a trace that links to itself, and at a circle', () => {
    expect(rootsOf({ a: ['a', null, 0] }).visitOf('a')).toBe('trace:a')
    const circle = rootsOf({ a: ['b', null, 0], b: ['a', null, 0] })
    expect(circle.visitOf('a')).toBe(circle.visitOf('b'))
  })
})
