import { describe, expect, it } from 'vitest'
import { returnPointOf, withoutReturnPoint, withReturnPoint } from '../../../dashboards/ui/page-address'

describe('the return point of a list', () => {
  const point = { href: '/traces/aa', rows: 100 }

  it('is stored next to the router’s state', () => {
    const state = withReturnPoint({ __NA: true }, point)
    expect(state).toMatchObject({ __NA: true })
    expect(returnPointOf(state)).toEqual(point)
    expect(returnPointOf(withReturnPoint(null, point))).toEqual(point)
  })

  it('is not copied to the next history entry', () => {
    const state = withoutReturnPoint(withReturnPoint({ __NA: true }, point))
    expect(state).toEqual({ __NA: true })
    expect(withoutReturnPoint(null)).toBeNull()
  })

  it.each([null, undefined, 'x', {}, { waystationRow: 7 }, { waystationRow: { href: 1, rows: 2 } }])(
    'is absent from the state %j',
    (state) => {
      expect(returnPointOf(state)).toBeNull()
    },
  )
})
