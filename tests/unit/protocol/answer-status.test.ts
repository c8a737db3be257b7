import { describe, expect, it } from 'vitest'
import { isOfTheDsn, isPassing } from '../../../lib/protocol/upstream-answer'

const ALL_STATUSES = Array.from({ length: 500 }, (_, n) => 100 + n)

describe('a status of an upstream', () => {
  it('says later, or speaks of the DSN, or neither, and never both', () => {
    for (const status of ALL_STATUSES)
      expect([status, isPassing(status) && isOfTheDsn(status)]).toEqual([status, false])
  })

  it('of 4xx says later where it came too slowly, of 5xx where nobody or too many are behind it', () => {
    expect(ALL_STATUSES.filter(isPassing)).toEqual([
      408, 502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530, 598, 599,
    ])
  })

  it('speaks of the DSN where it refuses the key, knows no such project, or points elsewhere', () => {
    expect(ALL_STATUSES.filter((status) => status >= 400 && isOfTheDsn(status))).toEqual([401, 403, 404])
    expect([300, 301, 304, 307, 308, 399].every(isOfTheDsn)).toBe(true)
  })
})
