import { describe, expect, it } from 'vitest'
import { handledLabel, unusualEnvironment } from '../../../dashboards/events/events-board'

describe('an event’s row', () => {
  it('says whether somebody caught it, where the SDK says', () => {
    expect([true, false, null].map((handled) => handledLabel({ handled }))).toEqual(['handled', 'unhandled', null])
  })

  it('names the environment unless it is production', () => {
    const named = ['production', 'staging', null].map((environment) => unusualEnvironment({ environment }))
    expect(named).toEqual([null, 'staging', null])
  })
})
