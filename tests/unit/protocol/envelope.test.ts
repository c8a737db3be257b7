import { describe, expect, it } from 'vitest'
import { type Envelope, type EnvelopeErrorCode, moveSentAt, parseEnvelope } from '../../../lib/protocol/envelope'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import { valueIn } from '../value-in'
import { capturedBytes, capturedNames } from './captured'
import { seededRandom } from './seeded-random'

/** Concatenates text and raw bytes. */
const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part)))

/** Returns a header line of exactly this many bytes. */
const lineOf = (length: number, start = '{"type":"x","pad":"'): string => `${start.padEnd(length - 2, 'a')}"}`

/** Returns the header line of an item with a length. */
const item = (type: string, length: number): string => `\n${JSON.stringify({ type, length })}\n`
const LONGEST = SIZE_LIMITS.header_line
const event = '{"type":"event"}'
/** Returns this many arrays, each inside the one before. */
const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`
const EVENTS_100 = Array.from({ length: SIZE_LIMITS.items }, () => 'event {}')
const items = (count: number): string => `{}${`\n${event}\n{}`.repeat(count)}`

/** An expected item: its type, a space, and its payload as Latin-1, one character per byte. */
type Frame = string
type Case = readonly [name: string, body: Buffer, expected: readonly Frame[] | EnvelopeErrorCode]

/** Sentry's envelope specification, "Serialization Format": one case per rule. */
const CASES: readonly Case[] = [
  // The envelope header
  ['an empty body has no header', bytes(), 'empty'],
  ['a header without a newline is an envelope without items', bytes('{}'), []],
  ['a header with a newline is an envelope without items', bytes('{}\n'), []],
  ['a header with several newlines is an envelope without items', bytes('{}\n\n\n'), []],
  ['white space may precede the header', bytes(' \n\t\r\n{}\n'), []],
  ['white space alone is no header', bytes(' \n\n'), 'header_not_json'],
  ['a header that is not JSON is refused', bytes('not json\n'), 'header_not_json'],
  ['a header that is an array is refused', bytes('[]\n'), 'header_not_json'],
  ['a header that is null is refused', bytes('null\n'), 'header_not_json'],
  ['a header that is a string is refused', bytes('"{}"\n'), 'header_not_json'],
  ['a header may extend over lines', bytes('{\n"dsn":"}\\"{"\n}\n', event, '\n{}'), ['event {}']],
  ['a header over lines that never ends is refused', bytes('{\n"dsn":"x"\n'), 'header_not_json'],
  ['a header over lines that is too long is refused', bytes('{\n', lineOf(LONGEST, '"a":"'), '\n'), 'header_too_long'],
  ['text after a header over lines is refused', bytes('{\n} x\n'), 'header_not_json'],
  ['a header that ends in a carriage return is read, because JSON allows white space', bytes('{}\r\n'), []],
  ['a header with invalid UTF-8 is refused', bytes('{"sdk":"', [0xc3, 0x28], '"}\n'), 'header_not_json'],
  ['a header with a NUL byte is refused', bytes('{"sdk":"', [0], '"}\n'), 'header_not_json'],
  ['a header of zeros is refused', Buffer.alloc(64), 'header_not_json'],
  ['a byte order mark in a stored record is ignored', bytes([0xef, 0xbb, 0xbf], '{}\n'), []],
  ['UTF-16 is not UTF-8', Buffer.from('{}\n', 'utf16le'), 'header_not_json'],
  ['a header of the longest length is read', bytes(lineOf(LONGEST), '\n'), []],
  ['a header one byte longer is refused', bytes(lineOf(LONGEST + 1), '\n'), 'header_too_long'],
  ['a header that never ends is refused', Buffer.alloc(LONGEST * 4, '{'), 'header_too_long'],
  ['a header nested 100 000 deep is too long', bytes(`{"a":${'['.repeat(100_000)}`), 'header_too_long'],
  ['a header nested 32 levels deep is read', bytes(`{"a":${nested(31)}}`), []],
  ['a header nested 33 levels deep is refused', bytes(`{"a":${nested(32)}}`), 'header_too_deep'],
  ['an item header nested 33 levels deep is refused', bytes(`{}\n{"type":"a","b":${nested(32)}}\n`), 'header_too_deep'],

  // Item headers
  ['an item header that is not JSON is refused', bytes('{}\nevent\n{}'), 'item_header_not_json'],
  ['an item header that is an array is refused', bytes('{}\n["event"]\n{}'), 'item_header_not_json'],
  ['an item header without a type is refused', bytes('{}\n{"length":2}\n{}'), 'item_type_missing'],
  ['an item with an empty type is kept, as one of an unknown type', bytes('{}\n{"type":""}\n{}'), [' {}']],
  ['an item header with a type that is no text is refused', bytes('{}\n{"type":7}\n{}'), 'item_type_missing'],
  ['an item of an unknown type is kept', bytes('{}\n{"type":"of tomorrow"}\nx'), ['of tomorrow x']],
  ['a type named like a property of every object is a type', bytes('{}\n{"type":"__proto__"}\nx'), ['__proto__ x']],
  ['an item header with invalid UTF-8 is refused', bytes('{}\n{"type":"', [0xff], '"}\n{}'), 'item_header_not_json'],
  ['empty lines between items are skipped', bytes(`{}\n${event}\n{}\n\n \r\n${event}\n[]`), ['event {}', 'event []']],
  ['a space in an empty line after the last item is refused', bytes(`{}\n${event}\n{}\n \n`), 'item_header_missing'],
  ['an item header may extend over lines', bytes('{}\n{\n"type":"x",\n"length":1}\ny'), ['x y']],
  ['an item header of the longest length is read', bytes('{}\n', lineOf(LONGEST), '\nx'), ['x x']],
  ['an item header one byte longer is refused', bytes('{}\n', lineOf(LONGEST + 1), '\nx'), 'header_too_long'],
  ['the later one of two equal keys counts', bytes('{}\n{"type":"event","type":"log"}\nx'), ['log x']],
  ['the later one of two lengths counts', bytes('{}\n{"type":"x","length":9,"length":1}\nx'), ['x x']],
  [
    'a prototype key is a key',
    bytes('{"__proto__":{"type":"x"}}\n{"__proto__":{"type":"x"}}\n{}'),
    'item_type_missing',
  ],

  // Payloads without a length
  ['a payload without a length ends at the newline', bytes(`{}\n${event}\n{"a":1}\n`), ['event {"a":1}']],
  ['a payload without a length ends at the end', bytes(`{}\n${event}\n{"a":1}`), ['event {"a":1}']],
  ['one newline may end the envelope', bytes(`{}\n${event}\n{}\n`), ['event {}']],
  ['several newlines may end the envelope', bytes(`{}\n${event}\n{}\n\n\n`), ['event {}']],
  ['a payload without a length may be empty', bytes('{}\n{"type":"x"}\n\n'), ['x ']],
  ['an item header at the end has an empty payload', bytes('{}\n{"type":"x"}'), ['x ']],
  ['an item header with a newline at the end has an empty payload', bytes('{}\n{"type":"x"}\n'), ['x ']],
  ['a carriage return belongs to the payload', bytes(`{}\n${event}\n{}\r\n`), ['event {}\r']],
  ['a length of null is ignored', bytes('{}\n{"type":"x","length":null}\nab\n'), ['x ab']],
  [
    'a payload may hold any byte but a newline',
    bytes('{}\n{"type":"x"}\n', [0, 0xff, 0xc3, 0x28]),
    ['x \x00\xff\xc3\x28'],
  ],

  // Payloads with a length
  ['a payload with a length ends there', bytes('{}\n{"type":"x","length":2}\nab\n'), ['x ab']],
  ['a payload with a length may end at the end', bytes('{}\n{"type":"x","length":2}\nab'), ['x ab']],
  ['a length of 0 at the end is an empty payload', bytes('{}\n{"type":"x","length":0}'), ['x ']],
  ['a length of 0 before a last newline is an empty payload', bytes('{}\n{"type":"x","length":0}\n'), ['x ']],
  ['a length of 0 in the middle is an empty payload', bytes('{}', item('x', 0), item('y', 1), 'b'), ['x ', 'y b']],
  [
    'two binary payloads with newlines in them are two',
    bytes('{}\n{"type":"x","length":4}\n\n', [0, 0xff], '\n\n{"type":"y","length":3}\n\n\n\n\n'),
    ['x \n\x00\xff\n', 'y \n\n\n'],
  ],
  ['a payload that looks like an item is a payload', bytes('{}', item('x', 19), event, '\n{}\n'), [`x ${event}\n{}`]],
  ['a payload after a length of 0 is refused', bytes('{}\n{"type":"x","length":0}\nab\n'), 'newline_missing'],
  ['a carriage return counts for the length', bytes('{}\n{"type":"x","length":3}\nab\r\n'), ['x ab\r']],
  ['a length counts bytes, not characters', bytes('{}', item('x', 7), 'é€ab'), ['x \xc3\xa9\xe2\x82\xacab']],
  ['a payload one byte too short is refused', bytes('{}\n{"type":"x","length":3}\nab'), 'payload_too_short'],
  ['a missing payload is refused', bytes('{}\n{"type":"x","length":1}'), 'payload_too_short'],
  ['a payload longer than its length is refused', bytes('{}\n{"type":"x","length":1}\nab'), 'newline_missing'],
  ['a negative length is refused', bytes('{}\n{"type":"x","length":-1}\nab'), 'length_invalid'],
  ['a length that is not whole is refused', bytes('{}\n{"type":"x","length":1.5}\nab'), 'length_invalid'],
  ['a length in quotes is refused', bytes('{}\n{"type":"x","length":"2"}\nab'), 'length_invalid'],
  ['a length of true is refused', bytes('{}\n{"type":"x","length":true}\nab'), 'length_invalid'],
  ['a length of 2^31 is longer than the body', bytes('{}\n{"type":"x","length":2147483648}\nab'), 'payload_too_short'],
  ['a length of 2^53 + 1 is refused', bytes('{}\n{"type":"x","length":9007199254740993}\nab'), 'length_invalid'],
  ['an infinite length is refused', bytes('{}\n{"type":"x","length":1e999}\nab'), 'length_invalid'],

  // Counts
  ['100 items are read', bytes(items(SIZE_LIMITS.items)), EVENTS_100],
  ['100 items and a final newline are read', bytes(items(SIZE_LIMITS.items), '\n'), EVENTS_100],
  ['101 items are refused', bytes(items(SIZE_LIMITS.items + 1)), 'too_many_items'],
]

it.each(CASES)('%s', (_name, body, expected) => {
  const parsed = parseEnvelope(body, SIZE_LIMITS)
  if (typeof expected === 'string') {
    expect(parsed).toMatchObject({ ok: false, error: { code: expected } })
    return
  }
  if (!parsed.ok) throw new Error(`refused: ${parsed.error.code} at ${parsed.error.at}`)
  expect(
    parsed.value.items.map((item) => `${item.header.type} ${Buffer.from(item.payload).toString('latin1')}`),
  ).toEqual(expected)
  expect(rejoin(parsed.value, body)).toEqual(body)
})

it('parseEnvelope returns the byte offset of an error', () => {
  const body = bytes('{"a":1}\n{"type":"x","length":1}\nab')
  expect(parseEnvelope(body)).toMatchObject({
    error: { at: body.length - 1, message: expect.stringMatching(/longer/) },
  })
})

it('parseEnvelope does not change a prototype', () => {
  const parsed = parseEnvelope(bytes('{"__proto__":{"dsn":"x"}}\n{"type":"y","__proto__":{"length":1}}\nab'))
  expect(parsed.ok && parsed.value.header.dsn).toBeUndefined()
  expect(parsed.ok && parsed.value.items[0]?.header.length).toBeUndefined()
  expect(Object.getPrototypeOf({})).toBe(Object.prototype)
})

it('parseEnvelope copies no payload: a slice is a view of the received bytes', () => {
  const body = bytes('{}\n{"type":"x","length":2}\nab')
  const parsed = parseEnvelope(body)
  expect(parsed.ok && parsed.value.items[0]?.payload.buffer).toBe(body.buffer)
})

/** Joins the header, the slices of all items, and what is between them, which can only be white space. */
function rejoin(envelope: Envelope, body: Uint8Array): Buffer {
  const pieces = [body.subarray(0, envelope.headerEnd)]
  let read = envelope.headerEnd
  for (const { start, payloadEnd } of [...envelope.items, { start: body.length, payloadEnd: body.length }]) {
    const between = body.subarray(read, start)
    expect(Buffer.from(between).toString('latin1').trim()).toBe('')
    pieces.push(between, body.subarray(start, payloadEnd))
    read = payloadEnd
  }
  return Buffer.concat(pieces)
}

it('there are captured envelopes to test', () => {
  expect(capturedNames.length).toBeGreaterThan(15)
})

it.each(capturedNames)('the slices of the captured envelope %s joined again equal the received bytes', (name) => {
  const body = capturedBytes(name)
  const parsed = valueIn(parseEnvelope(body))
  expect(parsed.items.length).toBeGreaterThan(0)
  expect(rejoin(parsed, body).equals(body)).toBe(true)
})

describe('random items', () => {
  const random = seededRandom(20_261_120)
  const upTo = (limit: number): number => Math.floor(random() * limit)

  /** Half of the bytes are newlines, quotes and braces, where parsers fail. */
  const randomBytes = (length: number, newlines: boolean): Buffer =>
    Buffer.from(
      Array.from({ length }, () => {
        const byte = random() < 0.5 ? ([0x0a, 0x0d, 0x22, 0x7b, 0x7d, 0x5c][upTo(6)] ?? 0) : upTo(256)
        return byte === 0x0a && !newlines ? 0x20 : byte
      }),
    )

  it('are parsed as they were written, in 500 envelopes', () => {
    for (let round = 0; round < 500; round += 1) {
      const written = Array.from({ length: upTo(8) }, (_, index) => {
        const withLength = random() < 0.5
        const payload = randomBytes(upTo(40), withLength)
        const header = {
          type: `type${index}`,
          ...(withLength && { length: payload.length }),
          note: 'ü\n"'.slice(upTo(4)),
        }
        return { header, payload }
      })
      const lines = written.flatMap(({ header, payload }) => [
        Buffer.from('\n'),
        Buffer.from(JSON.stringify(header)),
        Buffer.from('\n'),
        payload,
      ])
      const body = Buffer.concat([Buffer.from('{"round":1}'), ...lines, Buffer.from('\n'.repeat(upTo(3)))])
      const parsed = parseEnvelope(body)
      if (!parsed.ok)
        throw new Error(`round ${round}: ${parsed.error.code} in ${JSON.stringify(body.toString('latin1'))}`)
      const read = parsed.value.items.map((item) => ({ header: item.header, payload: Buffer.from(item.payload) }))
      expect(read).toEqual(written)
      expect(rejoin(parsed.value, body)).toEqual(body)
    }
  })

  it('the parser accepts or refuses items cut at any byte, and never throws', () => {
    const whole = capturedBytes('envelopes/browser-11.8-replay')
    for (let end = 0; end < whole.length; end += 1 + upTo(20)) {
      const parsed = parseEnvelope(whole.subarray(0, end))
      if (!parsed.ok) expect(parsed.error.at).toBeLessThanOrEqual(end)
    }
  })

  it('the parser accepts or refuses random bytes, and never throws', () => {
    for (let round = 0; round < 500; round += 1) {
      const parsed = parseEnvelope(
        Buffer.concat([Buffer.from(random() < 0.5 ? '{}\n' : ''), randomBytes(upTo(60), true)]),
      )
      expect(parsed.ok || parsed.error.message.length > 0).toBe(true)
    }
  })
})

const HOUR = 3_600_000
const moved = (line: string, ms = HOUR): string | null => {
  const bytes = moveSentAt(Buffer.from(line), ms)
  return bytes === null ? null : Buffer.from(bytes).toString()
}

it.each([
  ['is moved', '{"sent_at":"2026-11-20T10:00:00.000Z"}', '{"sent_at":"2026-11-20T11:00:00.000Z"}'],
  [
    'is moved, and nothing else changes, not even white space',
    '{ "a" : [1, {"sent_at":"2026-11-20T10:00:00Z"}],"sent_at"  :"2026-11-20T10:00:00Z" ,"dsn":"x:,{"}\r',
    '{ "a" : [1, {"sent_at":"2026-11-20T10:00:00Z"}],"sent_at"  :"2026-11-20T11:00:00.000Z" ,"dsn":"x:,{"}\r',
  ],
  [
    'is found when its name is written with escapes',
    '{"sent\\u005fat":"2026-11-20T10:00:00Z"}',
    '{"sent\\u005fat":"2026-11-20T11:00:00.000Z"}',
  ],
  [
    'of another time zone is moved to the same point in time',
    '{"sent_at":"2026-11-20T10:00:00+02:00"}',
    '{"sent_at":"2026-11-20T09:00:00.000Z"}',
  ],
  [
    'is the last of two, the one that JSON.parse returns',
    '{"sent_at":"2026-11-20T10:00:00Z","sent_at":"2026-11-20T12:00:00Z"}',
    '{"sent_at":"2026-11-20T10:00:00Z","sent_at":"2026-11-20T13:00:00.000Z"}',
  ],
  ['is missing', '{"dsn":"x"}', null],
  ['is not a time', '{"sent_at":"soon"}', null],
  ['is a day that does not exist', '{"sent_at":"2026-19-39T10:00:00Z"}', null],
  ['is a number', '{"sent_at":1795170878}', null],
  ['is one digit', '{"sent_at":1}', null],
  ['is empty', '{"sent_at":null}', null],
  ['is only a value', '{"a":"sent_at","b":"2026-11-20T10:00:00Z"}', null],
  ['is nested', '{"trace":{"sent_at":"2026-11-20T10:00:00Z"}}', null],
  ['is after the year 9999', '{"sent_at":"9998-12-31T23:59:59Z"}', null],
])('sent_at of a header line %s', (_name, line, expected) => {
  expect(moved(line)).toBe(expected)
})

it('sent_at of a header line keeps a byte order mark before the line', () => {
  expect(moved('\ufeff{"sent_at":"2026-11-20T10:00:00Z"}')).toBe('\ufeff{"sent_at":"2026-11-20T11:00:00.000Z"}')
})

it.each(capturedNames)('the sent_at of %s is moved, and the rest of the header is unchanged', (name) => {
  const parsed = valueIn(parseEnvelope(capturedBytes(name)))
  const { header, headerEnd } = parsed
  const bytes = moveSentAt(capturedBytes(name).subarray(0, headerEnd), HOUR)
  if (header.sent_at === undefined) {
    expect(bytes).toBeNull()
    return
  }
  expect(JSON.parse(Buffer.from(bytes ?? []).toString())).toEqual({
    ...header,
    sent_at: new Date(Date.parse(String(header.sent_at)) + HOUR).toISOString(),
  })
})

it('the sent_at in a line of 1 MB of quotes and brackets is found quickly', () => {
  const line = Buffer.from(`{"a":"${'\\"'.repeat(250_000)}","b":[${'[],'.repeat(160_000)}[]]}`)
  const before = performance.now()
  expect(moveSentAt(line, HOUR)).toBeNull()
  expect(performance.now() - before).toBeLessThan(1000)
})
