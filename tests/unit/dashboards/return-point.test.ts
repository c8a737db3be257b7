import { describe, expect, it } from 'vitest'
import { returnPointOf, withoutReturnPoint, withReturnPoint } from '../../../dashboards/ui/page-address'

describe('the place where a list was left', () => {
  const point = { href: '/traces/aa', rows: 100 }

  it('is kept beside what the router keeps in a history entry', () => {
    const state = withReturnPoint({ __NA: true }, point)
    expect(state).toMatchObject({ __NA: true })
    expect(returnPointOf(state)).toEqual(point)
    expect(returnPointOf(withReturnPoint(null, point))).toEqual(point)
  })

  it('does not go on to the entry that follows', () => {
    const state = withoutReturnPoint(withReturnPoint({ __NA: true }, point))
    expect(state).toEqual({ __NA: true })
    expect(withoutReturnPoint(null)).toBeNull()
  })

  it.each([null, undefined, 'x', {}, { waystationRow: 7 }, { waystationRow: { href: 1, rows: 2 } }])(
    'is unknown to the state %j',
    (state) => {
      expect(returnPointOf(state)).toBeNull()
    },
  )
})
