import { describe, expect, it } from 'vitest'
import { envelopeChoices } from '../../../dashboards/ui/choices'
import { refusedFilter, unknownPageParameters } from '../../../dashboards/ui/filter-problems'
import { stillShowing } from '../../../dashboards/ui/filter-text'
import type { RefusedField } from '../../../lib/wire/errors'

const refusal = (message: string, refused: Partial<RefusedField> | null) => ({
  message,
  refused: refused && { reason: 'invalid' as const, field: 'status', value: 'x', suggestion: null, ...refused },
})

describe('a refused filter', () => {
  it('has its part, the message of the collector, and the suggestion', () => {
    const message = 'status=eror: must be one of ok, error, unset; did you mean error?'
    expect(refusedFilter('traces', refusal(message, { suggestion: 'error' }))).toEqual({
      message,
      names: ['status'],
      suggestion: { typed: 'status:error', changes: { status: 'error' } },
      elsewhere: null,
    })
    expect(refusedFilter('traces', refusal(message, { field: 'min_duration' }))).toMatchObject({
      names: ['min_duration'],
      suggestion: null,
    })
  })

  it('has no part when the collector names none, or none of this list', () => {
    const nothing = { names: [], suggestion: null }
    expect(refusedFilter('traces', refusal('wrong', { field: 'endpoint', suggestion: 'stream' }))).toMatchObject(
      nothing,
    )
    expect(refusedFilter('traces', refusal('wrong', null))).toMatchObject({ message: 'wrong', ...nothing })
  })

  it('suggests no value for a mistyped parameter', () => {
    const refused = { reason: 'unknown', field: 'status', suggestion: 'service' } as const
    expect(refusedFilter('traces', refusal('wrong', refused)).suggestion).toBeNull()
  })

  it.each(['dead_letter', 'dead letters', 'Dead-Letter'])('the filter %j links to the dead letters', (value) => {
    expect(refusedFilter('envelopes', refusal('wrong', { field: 'delivery', value }))).toMatchObject({
      message: 'Dead letters have a list of their own; their delivery status is pending.',
      names: ['delivery'],
      elsewhere: { href: '/deliveries?show=dead-letters' },
    })
  })

  it('has both parts of a contradiction', () => {
    const refused = { reason: 'conflict', field: 'until', conflictsWith: 'since' } as const
    expect(refusedFilter('traces', refusal('wrong', refused))).toMatchObject({
      names: ['since', 'until'],
      suggestion: null,
    })
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

it('an unknown parameter of a page without a list is reported with the nearest name', () => {
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

it('an unknown parameter of a page without a list does not include known and tracking parameters', () => {
  expect(unknownPageParameters('Losses', ['stamp'], '?stamp=ci-7&utm_source=mail')).toEqual([])
})
