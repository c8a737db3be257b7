import { describe, expect, it } from 'vitest'
import { envelopeChoices } from '../../../dashboards/ui/choices'
import { parseRefusal, unknownPageParameters } from '../../../dashboards/ui/filter-problems'
import { stillShowing } from '../../../dashboards/ui/filter-text'

describe('a refused filter', () => {
  it('is parsed into its part and the suggestion', () => {
    const message = 'status=eror: must be one of ok, error, unset; did you mean error?'
    expect(parseRefusal('traces', message)).toEqual({
      message,
      names: ['status'],
      suggestion: { typed: 'status:error', changes: { status: 'error' } },
      elsewhere: null,
    })
    expect(parseRefusal('traces', 'min_duration=x: must be a duration such as 250ms')).toMatchObject({
      names: ['min_duration'],
      suggestion: null,
    })
    expect(parseRefusal('traces', 'endpoint=x: did you mean stream?')).toMatchObject({ names: [], suggestion: null })
    expect(parseRefusal('traces', 'something else')).toMatchObject({ names: [], suggestion: null })
    expect(parseRefusal('events', 'level=eror: is not a known name; did you mean error?').suggestion?.changes).toEqual({
      level: 'error',
    })
  })

  it('keeps the message of the collector', () => {
    const message = 'delivery=acepted: must be one of pending, accepted; did you mean accepted?'
    expect(parseRefusal('envelopes', message)).toMatchObject({
      message: 'delivery=acepted: must be one of pending, accepted; did you mean accepted?',
      names: ['delivery'],
      suggestion: { typed: 'delivery:accepted', changes: { delivery: 'accepted' } },
    })
  })

  it.each(['dead_letter', 'dead letters', 'Dead-Letter'])('with %j links to the dead letters', (typed) => {
    expect(parseRefusal('envelopes', `delivery=${typed}: must be one of pending, accepted`)).toMatchObject({
      message: 'Dead letters have a list of their own; their delivery status is pending.',
      names: ['delivery'],
      elsewhere: { href: '/deliveries?show=dead-letters' },
    })
  })

  it('has both parts of a contradiction', () => {
    const least = 'min_duration=5s and max_duration=1s: max_duration must be at least min_duration'
    expect(parseRefusal('traces', least)).toMatchObject({ names: ['min_duration', 'max_duration'], suggestion: null })
    const since = 'since is 2026-11-21T18:00:00.000Z and until 2026-11-20T18:00:00.000Z: until must be after since'
    expect(parseRefusal('traces', since).names).toEqual(['since', 'until'])
  })

  it('keeps the rows of the last valid filter, which is described', () => {
    expect(stillShowing('traces', 'traces', { op: 'pageload', since: '15m' }, 0)).toBe(
      'Still showing: op is pageload, last 15 minutes.',
    )
    expect(stillShowing('logs', 'signals', {}, 0)).toBe('Still showing: all logs.')
  })
})

it('offers the list of dead letters in the delivery control', () => {
  const delivery = envelopeChoices({}).find(({ name }) => name === 'delivery')
  expect(delivery?.options.filter(({ href }) => href !== undefined)).toEqual([
    { value: 'dead_letter', label: 'dead letters (own list)', href: '/deliveries?show=dead-letters' },
  ])
})

describe('an unknown parameter of a page without a list', () => {
  it('is reported with the nearest name', () => {
    expect(unknownPageParameters('Losses', ['stamp'], '?stmap=ci-7')).toEqual([
      {
        name: 'stmap',
        message: 'Losses cannot be filtered by “stmap”; did you mean stamp?',
        suggestion: { typed: 'stamp:ci-7', changes: { stamp: 'ci-7', stmap: null } },
        removal: { stmap: null },
      },
    ])
    expect(unknownPageParameters('Losses', ['stamp'], '?category=span')).toMatchObject([
      { message: 'Losses cannot be filtered by “category”; supported: stamp.', suggestion: null },
    ])
    expect(unknownPageParameters('Limits', [], '?category=span')).toMatchObject([
      { message: 'Limits cannot be filtered by “category”.', suggestion: null },
    ])
  })

  it('does not include known and tracking parameters', () => {
    expect(unknownPageParameters('Losses', ['stamp'], '?stamp=ci-7&utm_source=mail')).toEqual([])
  })
})
