import { describe, expect, it } from 'vitest'
import { handledWord, unusualEnvironment } from '../../../dashboards/events/arrange/event-words'
import { filterEvents } from '../../../dashboards/events/arrange/filter-events'
import type { EventSummary } from '../../../lib/wire/event'

const event = (title: string, more: Partial<EventSummary> = {}): EventSummary => ({
  eventId: 'eeeeffff00001111eeeeffff00001111',
  seq: 1,
  item: 0,
  journal: 1,
  traceId: 'aaaabbbbccccddddaaaabbbbccccdddd',
  spanId: null,
  timestampUs: 0,
  receivedAt: 0,
  level: 'error',
  platform: 'javascript',
  service: 'browser',
  title,
  handled: true,
  mechanism: null,
  transaction: '/lab',
  environment: 'production',
  release: null,
  digest: null,
  fate: { name: 'rate_limited', reason: null },
  copy: 'no',
  ...more,
})

describe('filtered events', () => {
  const events = [
    event('TypeError: x is not a function'),
    event('Error: boom', { handled: false, service: 'server', transaction: 'GET /api/[id]' }),
    event('Error: alone', { traceId: null, handled: null, environment: 'staging' }),
  ]
  const titles = (filter: string) => filterEvents(events, filter).map((one) => one.title)

  it('are those in which every word occurs, in whatever place', () => {
    expect(titles('')).toHaveLength(3)
    expect(titles('BOOM server')).toEqual(['Error: boom'])
    expect(titles('get /api')).toEqual(['Error: boom'])
    expect(titles('eeeeffff rate limited')).toHaveLength(3)
    expect(titles('aaaabbbb')).toHaveLength(2)
  })

  it('are found by what they lack: a trace, somebody who caught them', () => {
    expect(titles('no trace')).toEqual(['Error: alone'])
    expect(titles('unhandled')).toEqual(['Error: boom'])
  })
})

describe('an event’s row', () => {
  it('says whether somebody caught it, where the SDK says', () => {
    expect([true, false, null].map((handled) => handledWord({ handled }))).toEqual(['handled', 'unhandled', null])
  })

  it('names the environment unless it is production', () => {
    const named = ['production', 'staging', null].map((environment) => unusualEnvironment({ environment }))
    expect(named).toEqual([null, 'staging', null])
  })
})
