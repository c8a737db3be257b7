import { describe, expect, it } from 'vitest'
import { envelopeChoices } from '../../../dashboards/ui/choices'
import { readWrong, strangeParams } from '../../../dashboards/ui/filter-problems'
import { stillShowing } from '../../../dashboards/ui/filter-text'

describe('the collector’s word on a filter', () => {
  it('names the part that it speaks of, and what may have been meant', () => {
    const sentence = 'status=eror: meant is one of ok, error, unset; did you mean error?'
    expect(readWrong('traces', sentence)).toEqual({
      sentence,
      names: ['status'],
      instead: { typed: 'status:error', changes: { status: 'error' } },
      elsewhere: null,
    })
    expect(readWrong('traces', 'min_duration=x: meant is a duration such as 250ms')).toMatchObject({
      names: ['min_duration'],
      instead: null,
    })
    expect(readWrong('traces', 'endpoint=x: did you mean stream?')).toMatchObject({ names: [], instead: null })
    expect(readWrong('traces', 'something else')).toMatchObject({ names: [], instead: null })
    expect(readWrong('events', 'level=eror: meant is error, or a word that is less like it').instead?.changes).toEqual({
      level: 'error',
    })
  })

  it('is told by the name that the column has', () => {
    const sentence = 'deliveryStatus=acepted: meant is one of pending, accepted; did you mean accepted?'
    expect(readWrong('envelopes', sentence)).toMatchObject({
      sentence: 'delivery:acepted: meant is one of pending, accepted; did you mean accepted?',
      names: ['deliveryStatus'],
      instead: { typed: 'delivery:accepted', changes: { deliveryStatus: 'accepted' } },
    })
  })

  it.each(['dead_letter', 'dead letters', 'Dead-Letter'])('asked for %j, leads to their list', (typed) => {
    expect(readWrong('envelopes', `deliveryStatus=${typed}: meant is one of pending, accepted`)).toMatchObject({
      sentence: 'Dead letters are pending, and have a list of their own.',
      names: ['deliveryStatus'],
      elsewhere: { href: '/deliveries?show=dead-letters' },
    })
  })

  it('names both parts of a contradiction', () => {
    const least = 'min_duration=5s and max_duration=1s: meant is a max_duration of at least as much'
    expect(readWrong('traces', least)).toMatchObject({ names: ['min_duration', 'max_duration'], instead: null })
    const since = 'since is 2026-11-21T18:00:00.000Z and until 2026-11-20T18:00:00.000Z: meant is a time after since'
    expect(readWrong('traces', since).names).toEqual(['since', 'until'])
  })

  it('leaves the rows of the last filter that meant something, which is named', () => {
    expect(stillShowing('traces', 'traces', { op: 'pageload', since: '15m' }, 0)).toBe(
      'Still showing: op is pageload, last 15 minutes.',
    )
    expect(stillShowing('logs', 'signals', {}, 0)).toBe('Still showing: all logs.')
  })
})

it('offers the list of dead letters where a delivery is chosen', () => {
  const delivery = envelopeChoices({}).find(({ name }) => name === 'deliveryStatus')
  expect(delivery?.options.filter(({ href }) => href !== undefined)).toEqual([
    { value: 'dead_letter', label: 'dead letters: their list', href: '/deliveries?show=dead-letters' },
  ])
})

describe('a name in the address of a page that is no list', () => {
  it('is told, with the one that may have been meant', () => {
    expect(strangeParams('Losses', ['stamp'], '?stmap=ci-7')).toEqual([
      {
        name: 'stmap',
        sentence: 'Losses cannot be narrowed by “stmap”; did you mean stamp?',
        meant: { typed: 'stamp:ci-7', changes: { stamp: 'ci-7', stmap: null } },
        without: { stmap: null },
      },
    ])
    expect(strangeParams('Losses', ['stamp'], '?category=span')).toMatchObject([
      { sentence: 'Losses cannot be narrowed by “category”; it can be by stamp.', meant: null },
    ])
    expect(strangeParams('Limits', [], '?category=span')).toMatchObject([
      { sentence: 'Limits cannot be narrowed by “category”.', meant: null },
    ])
  })

  it('is none where the page reads it, or it says by which way somebody came', () => {
    expect(strangeParams('Losses', ['stamp'], '?stamp=ci-7&utm_source=mail')).toEqual([])
  })
})
