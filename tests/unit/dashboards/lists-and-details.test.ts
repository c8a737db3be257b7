import { describe, expect, it } from 'vitest'
import { payloadOf } from '../../../dashboards/envelopes/item-payload'
import { clampMessage, firstToOpen, frameGroups, nearestFrames } from '../../../dashboards/events/stack-display'
import { durationShare } from '../../../dashboards/traces/traces-board'
import type { EnvelopeDetail } from '../../../lib/wire/envelope'
import type { StackFrame } from '../../../lib/wire/event'

it('a duration bar loses a quarter for each power of ten below the longest', () => {
  const shares = [1000, 100, 10, 1, 0.1, 0].map((durationUs) => durationShare(durationUs, 1000))
  expect(shares).toEqual([1, 0.75, 0.5, 0.25, 0, 0])
  expect([durationShare(0, 0), durationShare(5, 1)]).toEqual([0, 1])
})

describe('a stack', () => {
  const frame = (name: string, inApp: boolean): StackFrame => ({
    function: name,
    filename: 'a.js',
    line: 1,
    column: 1,
    inApp,
    source: [],
    vars: null,
  })
  const drawn = (frames: readonly StackFrame[]): readonly string[] =>
    frameGroups(frames).map((group) => `${group.inApp ? 'own' : 'library'}: ${group.frames.map((one) => one.function)}`)

  it('keeps the order of frames and groups library frames', () => {
    expect(drawn([frame('a', true), frame('b', false), frame('c', false), frame('d', true)])).toEqual([
      'own: a',
      'library: b,c',
      'own: d',
    ])
  })

  it('a stack without app frames is one visible group', () => {
    expect(drawn([frame('a', false), frame('b', false)])).toEqual(['own: a,b'])
    expect(drawn([])).toEqual([])
  })

  it('opens the app frame with details nearest to the error', () => {
    const bare = frame('bare', true)
    const library = { ...frame('library', false), vars: { self: 'x' } }
    const own = { ...frame('own', true), vars: { cart: [] } }
    const stack = (frames: StackFrame[]) => firstToOpen([{ type: null, value: null, frames }])?.function
    expect(stack([bare, { ...bare, vars: {} }, library, own, { ...own, function: 'caller' }])).toBe('own')
    expect(stack([bare, library])).toBeUndefined()
  })

  it('shows the eight nearest frames and folds two or more others', () => {
    const folded = (count: number): readonly number[] => {
      const { near, more } = nearestFrames(Array.from({ length: count }, (_, at) => frame(`f${at}`, true)))
      return [near.length, more.length]
    }
    expect([folded(8), folded(9), folded(10), folded(35)]).toEqual([
      [8, 0],
      [9, 0],
      [8, 2],
      [8, 27],
    ])
  })
})

it('a message of 300 characters on six lines is not cut', () => {
  expect([clampMessage('x'.repeat(300)), clampMessage('a\nb\nc\nd\ne\nf'), clampMessage('')]).toEqual([
    null,
    null,
    null,
  ])
})

it('a longer message is cut between characters', () => {
  expect(clampMessage('x'.repeat(301))).toBe('x'.repeat(300))
  expect(clampMessage('a\nb\nc\nd\ne\nf\ng')).toBe('a\nb\nc\nd\ne\nf')
  expect(clampMessage('😀'.repeat(400))).toBe('😀'.repeat(300))
})

describe('a payload', () => {
  const item = (more: Partial<EnvelopeDetail['items'][number]>): EnvelopeDetail['items'][number] => ({
    index: 0,
    type: 'event',
    category: 'error',
    quantity: 1,
    bytes: 10,
    deliveryStatus: { name: 'kept', reason: null },
    problem: null,
    header: {},
    text: '{"a":1}',
    truncated: false,
    ...more,
  })

  it('is indented JSON, plain text, binary or empty', () => {
    expect(payloadOf(item({}))).toEqual({ kind: 'text', text: '{\n  "a": 1\n}', lines: 3, truncated: false })
    expect(payloadOf(item({ text: '<b>x</b>', truncated: true }))).toEqual({
      kind: 'text',
      text: '<b>x</b>',
      lines: 1,
      truncated: true,
    })
    expect(payloadOf(item({ text: null }))).toEqual({ kind: 'binary' })
    expect(payloadOf(item({ bytes: 0, text: '' }))).toEqual({ kind: 'empty' })
  })
})
