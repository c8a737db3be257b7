import { describe, expect, it } from 'vitest'
import { parseEvent, titleOf } from '../../../../lib/protocol/items/event'
import { valueIn } from '../../value-in'
import { capturedPayload } from '../captured'

const eventId = 'b'.repeat(32)

const read = (event: unknown, fallbackId: string | null = null) =>
  valueIn(parseEvent(Buffer.from(JSON.stringify(event)), fallbackId))

const captured = (name: string) => valueIn(parseEvent(capturedPayload(name, 'event'), null))

describe('an event of an old SDK', () => {
  it.each([
    [10, 'debug'],
    [40, 'error'],
    ['50', 'fatal'],
    ['WARN', 'warning'],
    ['critical', 'fatal'],
    ['log', 'info'],
    ['odd', 'odd'],
  ])('has the level %j as %s', (level, shown) => {
    const crumbs = [{ message: 'a', level }]
    const event = read({ event_id: eventId, level, breadcrumbs: { values: crumbs } })
    expect([event.level, event.breadcrumbs[0]?.level]).toEqual([shown, shown])
  })

  it('may have its interfaces under their first names', () => {
    const event = read({
      event_id: eventId,
      'sentry.interfaces.Exception': [{ type: 'Old', value: 'school' }],
      'sentry.interfaces.Breadcrumbs': { values: [{ message: 'one' }, { message: 'two' }] },
      'sentry.interfaces.Http': { url: 'http://x.test/', method: 'POST' },
    })
    expect(titleOf(event)).toBe('Old: school')
    expect(event.breadcrumbs.map(({ message }) => message)).toEqual(['one', 'two'])
    expect(event.request).toEqual({ url: 'http://x.test/', method: 'POST' })
  })

  it('may have one mechanism beside its exceptions', () => {
    const mechanism = { handled: false, type: 'onunhandledrejection' }
    const event = read({ event_id: eventId, exception: { mechanism, values: [{ type: 'Error', value: 'gone' }] } })
    expect(event).toMatchObject({ handled: false, mechanism: 'onunhandledrejection' })
  })

  it('may have an object as the value of its exception', () => {
    expect(titleOf(read({ event_id: eventId, exception: [{ type: 'mytype', value: { unauthorized: true } }] }))).toBe(
      'mytype: {"unauthorized":true}',
    )
  })

  it('has its exception as a bare object', () => {
    expect(titleOf(read({ event_id: eventId, exception: { type: 'TypeError', value: 'x is null' } }))).toBe(
      'TypeError: x is null',
    )
  })

  it('has its exceptions as a bare list', () => {
    expect(read({ event_id: eventId, exception: [{ type: 'A' }, { type: 'B' }] }).exceptions).toHaveLength(2)
  })

  it('has its breadcrumbs with values, in order', () => {
    const breadcrumbs = { values: [{ message: 'first' }, { message: 'second' }] }
    expect(read({ event_id: eventId, breadcrumbs }).breadcrumbs.map((crumb) => crumb.message)).toEqual([
      'first',
      'second',
    ])
  })

  it('has its tags as pairs', () => {
    const tags = [['browser', 'Firefox'], ['count', 3], ['bad'], 'worse', [4, 'x'], ['none', null]]
    expect(read({ event_id: eventId, tags }).tags).toEqual({ browser: 'Firefox', count: '3' })
  })

  it('has its culprit as the transaction, and dashes in its id', () => {
    const event = read({ event_id: 'e7e61c49-bce4-41e9-8fb7-dfb591bbfc26', culprit: 'app.views.index' })
    expect(event).toMatchObject({ transaction: 'app.views.index', eventId: 'e7e61c49bce441e98fb7dfb591bbfc26' })
  })

  it.each([
    ['message', { message: 'plain' }, 'plain'],
    ['message as an object', { message: { message: 'raw %s', formatted: 'raw 1' } }, 'raw 1'],
    ['logentry', { logentry: { message: 'raw' }, message: 'other' }, 'raw'],
    ['logentry without text', { logentry: { message: '' } }, null],
    [
      'logentry with params',
      { logentry: { message: '%s of %d, 100%%, %s', params: ['one', 2] } },
      'one of 2, 100%, %s',
    ],
    ['logentry with named params', { logentry: { message: '%(who)s %(no)s', params: { who: 'me' } } }, 'me %(no)s'],
    ['Raven’s interface', { 'sentry.interfaces.Message': { message: 'hi %s', params: ['you'] } }, 'hi you'],
    ['empty message', { message: '' }, null],
  ])('has a message from its %s', (_name, more, message) => {
    expect(read({ event_id: eventId, ...more }).message).toBe(message)
  })

  it('has its time as text, in microseconds', () => {
    expect(read({ event_id: eventId, timestamp: '2026-11-20T12:00:00.123456Z' }).timestampUs).toBe(
      Date.UTC(2026, 10, 20, 12) * 1000 + 123_456,
    )
  })
})

describe('a captured event', () => {
  it('the event of SDK 11.8 in the browser has its error, its trace and its mechanism', () => {
    const event = captured('sdk-11.8-browser-error')
    expect(event).toMatchObject({
      eventId: '301e837e694d4855987f602c765d2f4a',
      level: 'error',
      platform: 'javascript',
      sdk: 'sentry.javascript.nextjs',
      environment: 'feas',
      release: 'feas@1.0.0',
      transaction: '/',
      traceId: '0f633ee1bbc24a079cb3f281c0958162',
      spanId: '8dc98e4ed6dd99ef',
      handled: false,
      mechanism: 'auto.browser.global_handlers.onerror',
      timestampUs: 1795172305458000,
      tags: { turbopack: 'true' },
    })
    expect(titleOf(event)).toBe('Error: button boom')
    expect(event.breadcrumbs).toHaveLength(6)
    expect(event.exceptions[0]?.frames).toHaveLength(8)
    expect(event.exceptions[0]?.frames[0]).toEqual({
      filename: 'app:///_next/static/chunks/17r0my3n3m-tb.js',
      function: '?',
      line: 1,
      column: 427,
      inApp: true,
      source: [],
      vars: null,
    })
  })

  it('the event of SDK 11.8 on the server is unhandled and has the request', () => {
    const event = captured('envelopes/server-11.8-component-error')
    expect(titleOf(event)).toBe('Error: server component boom')
    expect(event).toMatchObject({
      platform: 'node',
      handled: false,
      mechanism: 'auto.function.nextjs.on_request_error',
      transaction: 'GET /server-error',
    })
    expect(event.request).not.toBeNull()
    expect(event.contexts.nextjs).toBeDefined()
  })

  it('the event of SDK 7.80 on the server has its trace', () => {
    const event = captured('envelopes/server-7.80-route-error')
    expect(event).toMatchObject({ traceId: 'de7fe703adaa4ba1aee61255e0334941', handled: false, platform: 'node' })
    expect(event.breadcrumbs).toHaveLength(4)
  })

  it('the event of SDK 8 on Node is handled, and its stack begins with the newest call', () => {
    const event = captured('envelopes/node-8-error')
    expect(event).toMatchObject({ handled: true, mechanism: 'generic', tags: { t: 'v' } })
    expect(event.exceptions[0]?.frames[0]).toMatchObject({ function: 'inner', line: 11, inApp: true })
    expect(event.breadcrumbs).toMatchObject([{ message: 'crumb', category: 'c' }])
  })

  it('the event of sentry-cli is a message without a trace', () => {
    const event = captured('envelopes/cli-2.58-event')
    expect(titleOf(event)).toBe('hello from cli2-2.58.6')
    expect(event).toMatchObject({ traceId: null, exceptions: [], handled: null, level: 'error', platform: 'native' })
  })
})

describe('an event of linked errors', () => {
  // On the wire the cause comes first, and the caught error last.
  const event = read({
    event_id: eventId,
    exception: {
      values: [
        { type: 'SyntaxError', value: 'cause', mechanism: { type: 'chained', handled: true } },
        { type: 'Error', value: 'outer', mechanism: { type: 'generic', handled: false } },
      ],
    },
  })

  it('begins with the outermost', () => {
    expect(event.exceptions.map((exception) => exception.value)).toEqual(['outer', 'cause'])
    expect(titleOf(event)).toBe('Error: outer')
  })

  it('is handled when the outermost is', () => {
    expect(event).toMatchObject({ handled: false, mechanism: 'generic' })
  })
})

it.each([
  ['type and value', { exceptions: [{ type: 'A', value: 'b' }], message: 'm' }, 'A: b'],
  ['only the type', { exceptions: [{ type: 'A', value: null }], message: null }, 'A'],
  ['the value of an exception without a type', { exceptions: [{ type: null, value: 'b' }], message: 'm' }, 'b'],
  [
    'the message of an exception without type and value',
    { exceptions: [{ type: null, value: null }], message: 'm' },
    'm',
  ],
  ['the message', { exceptions: [], message: 'm' }, 'm'],
  ['a placeholder', { exceptions: [], message: null }, '(no message)'],
])('the title of an event is %s', (_name, { exceptions, message }, title) => {
  expect(titleOf({ exceptions: exceptions.map((one) => ({ ...one, frames: [] })), message })).toBe(title)
})

describe('a malformed event', () => {
  it("takes its envelope's id when it has none", () => {
    expect(read({}, eventId).eventId).toBe(eventId)
    expect(read({ event_id: 'x' }, eventId).eventId).toBe(eventId)
  })

  it.each([
    ['no id anywhere', '{}', /the event has no event_id of 32 hex digits, and its envelope has none/],
    ['no JSON', '{', /is not JSON/],
    ['an array', '[]', /JSON, but not an object/],
    ['nothing', '', /is not JSON/],
    ['a byte that is no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8 text/],
  ])('is refused with an error message: %s', (_name, payload, sentence) => {
    const parsed = parseEvent(Buffer.from(payload), null)
    expect(!parsed.ok && parsed.error).toMatch(sentence)
  })

  it('has null for every field of a wrong type', () => {
    const wrong = {
      level: [],
      platform: {},
      sdk: 7,
      contexts: [],
      tags: 'x',
      request: 'x',
      breadcrumbs: 'x',
      exception: 'x',
    }
    expect(read({ event_id: eventId, timestamp: {}, transaction: {}, ...wrong })).toMatchObject({
      level: 'error',
      platform: null,
      sdk: null,
      contexts: {},
      tags: {},
      request: null,
      breadcrumbs: [],
      exceptions: [],
      timestampUs: null,
      transaction: null,
      traceId: null,
    })
  })

  it('ignores frames that are not objects', () => {
    const stacktrace = { frames: [null, 'x', { function: 'f', lineno: '3', in_app: 'yes' }] }
    expect(
      read({ event_id: eventId, exception: { values: [{ type: 'A', stacktrace }] } }).exceptions[0]?.frames,
    ).toEqual([{ filename: null, function: 'f', line: null, column: null, inApp: false, source: [], vars: null }])
  })

  it('has the executed line with its number, ten lines on each side of it, and its variables', () => {
    const many = Array.from({ length: 12 }, (_, index) => `line ${index}`)
    const frame = { lineno: 12, pre_context: ['a', 7], context_line: 'x'.repeat(501), post_context: many }
    const stacktrace = { frames: [{ ...frame, vars: { cart: ['mug'] } }] }
    const [read0] = read({ event_id: eventId, exception: { values: [{ type: 'A', stacktrace }] } }).exceptions
    expect(read0?.frames[0]?.source.slice(0, 4)).toEqual([
      { line: 10, text: 'a', ran: false },
      { line: 11, text: '', ran: false },
      { line: 12, text: 'x'.repeat(500), ran: true },
      { line: 13, text: 'line 0', ran: false },
    ])
    expect([read0?.frames[0]?.source.length, read0?.frames[0]?.vars]).toEqual([13, { cart: ['mug'] }])
  })

  it('has its first 100 tags, or as many as the limit allows', () => {
    const tags = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`t${index}`, 'v']))
    const names = Object.keys(read({ event_id: eventId, tags }).tags)
    expect([names.length, names.at(-1)]).toEqual([100, 't99'])
    const few = parseEvent(Buffer.from(JSON.stringify({ event_id: eventId, tags })), null, { depth: 32, tags: 2 })
    expect(few.ok && Object.keys(few.value.tags)).toEqual(['t0', 't1'])
  })

  it('keeps a prototype key as a key', () => {
    const event = parseEvent(
      Buffer.from(`{"event_id":"${eventId}","tags":{"__proto__":"x"},"__proto__":{"level":"fatal"}}`),
      null,
    )
    expect(event.ok && event.value.level).toBe('error')
    expect(event.ok && Object.hasOwn(event.value.tags, '__proto__')).toBe(true)
  })

  it('may be nested 32 levels deep, and loses only the values that are deeper', () => {
    const nested = (levels: number): Buffer =>
      Buffer.from(
        `{"event_id":"${eventId}","extra":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)},"message":"a ]} \\" b"}`,
      )
    for (const levels of [32, 33, 100_000]) {
      const parsed = parseEvent(nested(levels), null)
      expect(parsed).toMatchObject({ ok: true, value: { eventId, message: 'a ]} " b' } })
      expect(JSON.stringify(parsed).includes('(deeper than 32 levels)')).toBe(levels > 32)
    }
  })

  it('has integers beyond 2^53 as text with all digits', () => {
    const payload = Buffer.from(
      `{"event_id":"${eventId}","timestamp":1795172385.4583,"extra":{"id":9007199254740993,"small":42,"part":0.12345678901234566,"text":"9007199254740993"}}`,
    )
    expect(parseEvent(payload, null)).toMatchObject({
      ok: true,
      value: {
        payload: { extra: { id: '9007199254740993', small: 42, part: 0.12345678901234566, text: '9007199254740993' } },
      },
    })
  })

  it('may have 100 000 breadcrumbs', () => {
    const breadcrumbs = Array.from({ length: 100_000 }, (_, index) => ({ message: index }))
    expect(read({ event_id: eventId, breadcrumbs }).breadcrumbs.at(-1)?.message).toBe('99999')
  })
})
