import { describe, expect, it } from 'vitest'
import { returnPointOf, withReturnPoint } from '../../../dashboards/live/arrange/return-point'
import { SEARCH_AT_ONCE, searchOlder } from '../../../dashboards/live/arrange/search-older'

const searched = { loaded: 50, shown: 0, older: true, limit: SEARCH_AT_ONCE, failed: false }

describe('a filter over a list that is not loaded whole', () => {
  it('reads older rows by itself while few of the loaded ones match', () => {
    expect(searchOlder(searched)).toBe('search')
    expect(searchOlder({ ...searched, shown: 19 })).toBe('search')
    expect(searchOlder({ ...searched, shown: 20 })).toBe('ask')
  })

  it('asks the reader after 1000 rows, and goes on when told', () => {
    expect(searchOlder({ ...searched, loaded: 950 })).toBe('search')
    expect(searchOlder({ ...searched, loaded: 1000 })).toBe('ask')
    expect(searchOlder({ ...searched, loaded: 1000, limit: 2000 })).toBe('search')
  })

  it('does not try again by itself when older rows could not be read', () => {
    expect(searchOlder({ ...searched, failed: true })).toBe('ask')
  })

  it('has searched all there is only when nothing older is left', () => {
    expect(searchOlder({ ...searched, older: false })).toBe('whole')
  })

  it('searches nothing where every row is shown', () => {
    expect(searchOlder({ ...searched, shown: 50 })).toBe('all')
    expect(searchOlder({ ...searched, loaded: 0, older: false })).toBe('all')
  })
})

describe('the place where a list was left', () => {
  const point = { href: '/traces/aa', rows: 100 }

  it('is kept beside what the router keeps in a history entry', () => {
    const state = withReturnPoint({ __NA: true }, point)
    expect(state).toMatchObject({ __NA: true })
    expect(returnPointOf(state)).toEqual(point)
    expect(returnPointOf(withReturnPoint(null, point))).toEqual(point)
  })

  it.each([null, undefined, 'x', {}, { waystationRow: 7 }, { waystationRow: { href: 1, rows: 2 } }])(
    'is unknown to the state %j',
    (state) => {
      expect(returnPointOf(state)).toBeNull()
    },
  )
})
