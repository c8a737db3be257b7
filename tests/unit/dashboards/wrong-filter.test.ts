import { describe, expect, it } from 'vitest'
import { envelopeChoices } from '../../../dashboards/ui/choices'
import { parseRefusal, unknownPageParameters } from '../../../dashboards/ui/filter-problems'
import { stillShowing } from '../../../dashboards/ui/filter-text'

describe('the collector’s word on a filter', () => {
  it('names the part that it speaks of, and what may have been meant', () => {
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

  it('is told by the name that the column has', () => {
    const message = 'delivery=acepted: must be one of pending, accepted; did you mean accepted?'
    expect(parseRefusal('envelopes', message)).toMatchObject({
      message: 'delivery=acepted: must be one of pending, accepted; did you mean accepted?',
      names: ['delivery'],
      suggestion: { typed: 'delivery:accepted', changes: { delivery: 'accepted' } },
    })
  })

  it.each(['dead_letter', 'dead letters', 'Dead-Letter'])('asked for %j, leads to their list', (typed) => {
    expect(parseRefusal('envelopes', `delivery=${typed}: must be one of pending, accepted`)).toMatchObject({
      message: 'Dead letters have a list of their own; their delivery status is pending.',
      names: ['delivery'],
      elsewhere: { href: '/deliveries?show=dead-letters' },
    })
  })

  it('names both parts of a contradiction', () => {
    const least = 'min_duration=5s and max_duration=1s: max_duration must be at least min_duration'
    expect(parseRefusal('traces', least)).toMatchObject({ names: ['min_duration', 'max_duration'], suggestion: null })
    const since = 'since is 2026-11-21T18:00:00.000Z and until 2026-11-20T18:00:00.000Z: until must be after since'
    expect(parseRefusal('traces', since).names).toEqual(['since', 'until'])
  })

  it('leaves the rows of the last filter that meant something, which is named', () => {
    expect(stillShowing('traces', 'traces', { op: 'pageload', since: '15m' }, 0)).toBe(
      'Still showing: op is pageload, last 15 minutes.',
    )
    expect(stillShowing('logs', 'signals', {}, 0)).toBe('Still showing: all logs.')
  })
})

it('offers the list of dead letters where a delivery is chosen', () => {
  const delivery = envelopeChoices({}).find(({ name }) => name === 'delivery')
  expect(delivery?.options.filter(({ href }) => href !== undefined)).toEqual([
    { value: 'dead_letter', label: 'dead letters (own list)', href: '/deliveries?show=dead-letters' },
  ])
})

describe('a name in the address of a page that is no list', () => {
  it('is told, with the one that may have been meant', () => {
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

  it('is none where the page reads it, or it says by which way somebody came', () => {
    expect(unknownPageParameters('Losses', ['stamp'], '?stamp=ci-7&utm_source=mail')).toEqual([])
  })
})
