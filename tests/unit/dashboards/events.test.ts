import { describe, expect, it } from 'vitest'
import { handledWord, unusualEnvironment } from '../../../dashboards/events/event-words'

describe('an event’s row', () => {
  it('says whether somebody caught it, where the SDK says', () => {
    expect([true, false, null].map((handled) => handledWord({ handled }))).toEqual(['handled', 'unhandled', null])
  })

  it('names the environment unless it is production', () => {
    const named = ['production', 'staging', null].map((environment) => unusualEnvironment({ environment }))
    expect(named).toEqual([null, 'staging', null])
  })
})
