import { describe, expect, it } from 'vitest'
import { allowText, assertionText, markdownText } from '../../../dashboards/errors/copy-texts'
import { linkOf } from '../../../dashboards/errors/event-facts'
import {
  contributionsOf,
  handledText,
  messageOf,
  numberOf,
  patternParts,
  titleMatcher,
} from '../../../dashboards/errors/group-text'
import { shownFrames } from '../../../dashboards/errors/stack-display'
import { mappingText } from '../../../dashboards/errors/use-mapped-frames'
import type { GroupingReason } from '../../../lib/wire/error-groups'
import { drawnEvent } from './drawn-error'

const PATTERN = 'OutOfStock: Only <int> of (a/b) <uuid>'

it('splits a message at the parameters, and only there', () => {
  expect(patternParts('Only <int> of <div>')).toEqual([
    { text: 'Only ', isValue: false },
    { text: '<int>', isValue: true },
    { text: ' of <div>', isValue: false },
  ])
})

it('takes the type off a title', () => {
  expect(messageOf({ title: 'TypeError: x', type: 'TypeError' })).toBe('x')
  expect(messageOf({ title: 'TypeError', type: 'TypeError' })).toBe('')
  expect(messageOf({ title: 'only a message', type: null })).toBe('only a message')
})

it('a group with handled and unhandled events counts the latter', () => {
  expect(handledText({ handled: 0, unhandled: 2 })).toBe('unhandled')
  expect(handledText({ handled: 3, unhandled: 2 })).toBe('2 events unhandled')
  expect(handledText({ handled: 3, unhandled: 0 })).toBe('handled')
  expect(handledText({ handled: 0, unhandled: 0 })).toBeNull()
})

it('numbers the events of a group from the oldest; one beyond the listed has no number', () => {
  const events = [{ eventId: 'new' }, { eventId: 'old' }]
  expect([numberOf(events, 60, 'new'), numberOf(events, 60, 'old'), numberOf(events, 60, 'x')]).toEqual([60, 59, null])
})

it('names what counted first, and joins ignored parts with the same reason', () => {
  const part = (kind: 'type' | 'frame', text: string, counts: boolean, hint: string | null, exception = 0) => ({
    kind,
    text,
    counts,
    hint,
    exception,
  })
  const parts = [
    part('frame', 'a.js › x', false, 'not of the app'),
    part('type', 'TypeError', true, null),
    part('type', 'Cause', true, null, 1),
    part('frame', 'b.js › y', false, 'not of the app'),
    part('frame', 'c.js › z', false, 'a helper'),
  ]
  const other = { variant: 'system' as const, hash: null, hint: null, parts: [part('type', 'Other', true, null)] }
  const why: GroupingReason = {
    version: 1,
    variant: 'app',
    variants: [other, { variant: 'app', hash: 'h', hint: null, parts }],
  }
  expect(contributionsOf(why)).toEqual([
    { counts: true, text: 'Same type: TypeError', hint: null },
    { counts: true, text: 'Same type of the cause: Cause', hint: null },
    { counts: false, text: '2 frames', hint: 'not of the app' },
    { counts: false, text: '1 frame, c.js › z', hint: 'a helper' },
  ])
})

describe('copies for a test', () => {
  it('match every title of the group, and no other', () => {
    const source = titleMatcher(PATTERN)
    const matcher = new RegExp(source.slice(1, -1))
    expect(matcher.test('OutOfStock: Only 7 of (a/b) 5f')).toBe(true)
    expect(matcher.test('OutOfStock: Only 7 of a/b 5f')).toBe(false)
    expect(allowText(PATTERN)).toBe('telemetry.allow(/OutOfStock: Only .+ of \\(a\\/b\\) .+/)')
  })

  it('a title of several lines stays one expression', () => {
    expect(titleMatcher('a\nb')).toBe('/a\\s+b/')
  })

  it('an assertion names what is the same in each run', () => {
    const event = { ...drawnEvent, handled: false, service: 'server', transaction: "GET /it's" }
    expect(assertionText(event, 'Error: x', 'recording')).toBe(
      [
        'recording.allow(/Error: x/)',
        'const failure = recording.waitFor.error({ title: /Error: x/ })',
        '// cause the error here',
        "expect(await failure).toMatchObject({ handled: false, service: 'server', transaction: 'GET /it\\'s' })",
        '',
      ].join('\n'),
    )
  })
})

it('received text can neither format the Markdown nor end its code', () => {
  const [exception] = drawnEvent.exceptions
  if (exception === undefined) throw new Error('the drawn event has an exception')
  const hostile = { ...exception, value: '**[x](http://evil)**' }
  const stack = shownFrames({ frames: exception.frames.map((frame) => ({ ...frame, function: '```\n# x' })) }, null)
  const text = markdownText({ ...drawnEvent, exceptions: [hostile] }, null, [stack], 'http://127.0.0.1/events/1')
  expect(text).toContain('\\*\\*\\[x\\](http://evil)\\*\\*')
  expect(text).toContain('````\nat ```␊# x (app.ts:2:3)\n')
  expect(text.match(/^````$/gm)).toHaveLength(2)
  expect(text).not.toMatch(/^# /m)
})

it('only addresses with http and https and without a user are links', () => {
  expect(linkOf('https://shop.example/cart?x=1')).toEqual({
    href: 'https://shop.example/cart?x=1',
    host: 'shop.example',
  })
  for (const text of ['javascript:alert(1)', 'https://good.example@evil.example/', 'http://', 'ftp://a/b', 'text'])
    expect(linkOf(text)).toBeNull()
})

it('states the result of mapping in every state', () => {
  const nothing = { frames: null, done: false, failure: null }
  const summary = '3 of 7 frames mapped: no file'
  expect([
    mappingText(nothing),
    mappingText({ ...nothing, done: true, frames: { eventId: 'e', summary, exceptions: [] } }),
    mappingText({
      ...nothing,
      done: true,
      failure: { kind: 'refused', status: 503, detail: 'it took longer than 20 s' },
    }),
    mappingText({ ...nothing, done: true, failure: { kind: 'unreachable' } }),
    mappingText({ ...nothing, done: true }),
  ]).toEqual([
    'reading source maps …',
    summary,
    'source maps not read: it took longer than 20 s',
    'source maps not read: the collector is unreachable',
    'source maps not read: the event is gone',
  ])
})
