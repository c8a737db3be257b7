import { expect, it } from 'vitest'
import { handledLabel, unusualEnvironment } from '../../../dashboards/events/events-board'

it('the row of an event shows whether it was handled, if the SDK says so', () => {
  expect([true, false, null].map((handled) => handledLabel({ handled }))).toEqual(['handled', 'unhandled', null])
})

it('the row of an event shows the environment unless it is production', () => {
  const named = ['production', 'staging', null].map((environment) => unusualEnvironment({ environment }))
  expect(named).toEqual([null, 'staging', null])
})
