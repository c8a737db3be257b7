import { describe, expect, it } from 'vitest'
import { moveSentAt, parseEnvelope } from '../../../lib/protocol/envelope'
import { capturedBytes, capturedNames } from './captured'

const HOUR = 3_600_000
const moved = (line: string, ms = HOUR): string | null => {
  const bytes = moveSentAt(Buffer.from(line), ms)
  return bytes === null ? null : Buffer.from(bytes).toString()
}

describe('sent_at of a header line', () => {
  it.each([
    ['is moved', '{"sent_at":"2026-11-20T10:00:00.000Z"}', '{"sent_at":"2026-11-20T11:00:00.000Z"}'],
    [
      'is moved and nothing else, white space neither',
      '{ "a" : [1, {"sent_at":"2026-11-20T10:00:00Z"}],"sent_at"  :"2026-11-20T10:00:00Z" ,"dsn":"x:,{"}\r',
      '{ "a" : [1, {"sent_at":"2026-11-20T10:00:00Z"}],"sent_at"  :"2026-11-20T11:00:00.000Z" ,"dsn":"x:,{"}\r',
    ],
    [
      'is found though its name is written in escapes',
      '{"sent\\u005fat":"2026-11-20T10:00:00Z"}',
      '{"sent\\u005fat":"2026-11-20T11:00:00.000Z"}',
    ],
    [
      'of another zone is the same moment',
      '{"sent_at":"2026-11-20T10:00:00+02:00"}',
      '{"sent_at":"2026-11-20T09:00:00.000Z"}',
    ],
    [
      'is the last where there are two, which is the one that is read',
      '{"sent_at":"2026-11-20T10:00:00Z","sent_at":"2026-11-20T12:00:00Z"}',
      '{"sent_at":"2026-11-20T10:00:00Z","sent_at":"2026-11-20T13:00:00.000Z"}',
    ],
    ['is not there', '{"dsn":"x"}', null],
    ['is no time', '{"sent_at":"soon"}', null],
    ['is a day that does not exist', '{"sent_at":"2026-19-39T10:00:00Z"}', null],
    ['is a number', '{"sent_at":1795170878}', null],
    ['is empty', '{"sent_at":null}', null],
    ['is a value of another name', '{"a":"sent_at","b":"2026-11-20T10:00:00Z"}', null],
    ['is inside something else', '{"trace":{"sent_at":"2026-11-20T10:00:00Z"}}', null],
    ['is beyond all years', '{"sent_at":"9998-12-31T23:59:59Z"}', null],
  ])('%s', (_name, line, expected) => {
    expect(moved(line)).toBe(expected)
  })

  it('keeps a byte order mark before the line', () => {
    expect(moved('\ufeff{"sent_at":"2026-11-20T10:00:00Z"}')).toBe('\ufeff{"sent_at":"2026-11-20T11:00:00.000Z"}')
  })

  it.each(capturedNames)('of %s is moved, and the header is else the same', (name) => {
    const parsed = parseEnvelope(capturedBytes(name))
    if (!parsed.ok) throw new Error(parsed.error.message)
    const { header, headerEnd } = parsed.value
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

  it('of a line of 1 MB of quotes and brackets takes no time', () => {
    const line = Buffer.from(`{"a":"${'\\"'.repeat(250_000)}","b":[${'[],'.repeat(160_000)}[]]}`)
    const before = performance.now()
    expect(moveSentAt(line, HOUR)).toBeNull()
    expect(performance.now() - before).toBeLessThan(1000)
  })
})
