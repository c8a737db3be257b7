import { describe, expect, it } from 'vitest'
import { decodeZstd, fillZstd, measureZstd } from '../../../collector/intake/zstd'
import { block, frameHeader, rawZstd, WINDOW_128_KIB, zerosZstd } from './zstd-frames'

const MIB = 1024 * 1024
const A = Buffer.from('a')
const decode = (wire: Uint8Array): string => {
  const parts: Buffer[] = []
  decodeZstd(wire, MIB, (bytes) => parts.push(Buffer.from(bytes)))
  return Buffer.concat(parts).toString()
}
const raw = (content: string): Buffer => rawZstd(Buffer.from(content))
/** A frame of one block that repeats a byte. */
const repeated = (byte: string, times: number): Buffer =>
  frame(WINDOW_128_KIB, block('repeated', times, Buffer.from(byte), true))
const text = JSON.stringify(
  Array.from({ length: 40 }, (_, index) => ({ event: index, name: `step ${(index * 7) % 13}` })),
)

describe('zstd', () => {
  /** `text` by the reference encoder 1.5: with a checksum; at the highest level without one; at its fastest. */
  const SAMPLES: readonly (readonly [string, string])[] = [
    [
      'level 3',
      'KLUv/QRYLQUAYgYTFqAnbebf/LHniAUAX4tcsklKQF9WpU6CPP5ubi///b6eRp+NzcV213az2PZaNa01C/Zu0lzw9ZUkqACFcxio' +
        'oEMYGESqoMM4h0OIQECokbi+/x1QoyR6EawQ9CD3AomXD4NB+SZvtqyurK6qvz5MAmpN/vz+5Nn3Te75xkncPbFqAq/EgERypL/I' +
        'RQgVs/jhzwNf0j4WyMTApCet2eW8B1gVm/OKtg==',
    ],
    [
      'level 19',
      'KLUv/QBoxQQAwoYTEaAvBkOoo2SrwthgnUBT9SsYTT0d/dy8/Cf3xxVJBJFDDCnkhBCTQZSTkY+Ni+9j29iqJKMfZUhJN0EWNwwg' +
        'H51hhQddDGKsQOOrL1gWNKgR8Pn972Cj0h4RrBDEFFYCIrz6AXGxR99P09nkn/WT+5xP77meznM8eed2WBGCmRn5ULcH/uS6bkeu' +
        '666u3tbW1W09MKo=',
    ],
    [
      'fast',
      'KLUv/QRIHQkAdApbeyJldmVudCI6MCwibmFtZSI6InN0ZXAgMCJ9LDEsIjcifTIsIjEifTMsIjgifTQsIjIifTUsIjkifTYsIjMi' +
        'fTcsIjE4LCI0In05LCIxNSJ9MTE2In0xMCJ9MTcifTExIn0xOCJ9MTkifTEyMjIxMjMsNSJ9MjQsMjUsMjYsMjcsMjgsMjksMzAs' +
        'MzEsMzIsMzMsMzQsMzUsMzYsMzcsMzgsMzksXUAgUKMkeshgD+Gwx3CwRzjagz3s0R7sYY/20J6/MjjDNnQM1ONM7tjvw07uuG/Z' +
        'TO6Y78NOdnbzdhZLDhP9vk2JftmGpN+2Gdnv24js121C2B2zgz90uzEe6C7pCM/YBnODPC4+bIMP28DHNvJhG3zcBj620fnoC+YE' +
        'm/OKtg==',
    ],
  ]

  it.each(SAMPLES)('decodes the reference encoder: %s', (_level, base64) => {
    expect(decode(Buffer.from(base64, 'base64'))).toBe(text)
  })

  it.each([
    ['nothing in a frame', raw(''), ''],
    ['one byte', raw('a'), 'a'],
    ['two frames, one after the other', Buffer.concat([raw('ab'), raw('cd')]), 'abcd'],
    ['a skippable frame in between', Buffer.concat([raw('a'), skippable(3), raw('b')]), 'ab'],
    ['a repeated byte', repeated('x', 3), 'xxx'],
  ])('decodes %s', (_name, wire, expected) => {
    expect(decode(wire)).toBe(expected)
  })

  it('rejects every truncation', () => {
    const whole = Buffer.from(SAMPLES[0]?.[1] ?? '', 'base64')
    for (let end = 0; end < whole.length; end += 1) expect(() => decode(whole.subarray(0, end))).toThrow()
  })

  it.each([
    ['is empty', Buffer.alloc(0), 'the body is empty'],
    ['is gzip', Buffer.from('1f8b0800000000000003', 'hex'), 'magic number'],
    ['needs a window of 9 MiB', frame((13 << 3) | 1), 'a window of 9437184 bytes; at most 8 MiB are supported'],
    ['needs a window of 2 TiB', frame(31 << 3), 'at most 8 MiB are supported'],
    ['is one segment of 4 GiB', Buffer.from('28b52ffda0ffffffff010000', 'hex'), 'a window of 4294967295 bytes'],
    ['is one segment of more than 2^53', Buffer.from('28b52ffde0ffffffffffffffff010000', 'hex'), 'a window of'],
    ['needs a dictionary', Buffer.from('28b52ffd013807010000', 'hex'), 'a dictionary'],
    ['uses a reserved bit', Buffer.from('28b52ffd0838010000', 'hex'), 'a reserved bit'],
    ['has a block of a reserved type', frame(WINDOW_128_KIB, block('reserved', 1, A, true)), 'reserved type'],
    ['has a block of more than 128 KiB', repeated('a', 128 * 1024 + 1), 'larger than 128 KiB'],
    ['has another size than its header says', Buffer.from('28b52ffd200509000061', 'hex'), 'differs from its header'],
    ['is followed by something else', Buffer.concat([raw('a'), Buffer.from('more')]), 'magic number'],
  ])('rejects a body that %s', (_name, wire, why) => {
    expect(() => decode(wire)).toThrow(why)
  })

  it('rejects many tiny blocks with a large window, because each copies the whole window', () => {
    const blocks = Array.from({ length: 3000 }, () => block('repeated', 1, A, false))
    expect(() => decode(frame(13 << 3, ...blocks))).toThrow('too many blocks')
  }, 60_000)

  it('stops one block beyond the limit', () => {
    let seen = 0
    const size = decodeZstd(zerosZstd(1024 * MIB), 4 * MIB, (bytes) => {
      seen += bytes.length
    })
    expect([size, seen]).toEqual([4 * MIB + 128 * 1024, 4 * MIB + 128 * 1024])
  })

  it('measures within the limit, keeps small results, and fills a buffer', () => {
    expect(measureZstd(raw('abc'), 3)).toEqual({ size: 3, bytes: Buffer.from('abc') })
    expect(measureZstd(raw('abcd'), 3)).toBe('too_large')
    expect(measureZstd(zerosZstd(2 * MIB), 2 * MIB)).toEqual({ size: 2 * MIB, bytes: null })
    expect(fillZstd(zerosZstd(2 * MIB), 2 * MIB).length).toBe(2 * MIB)
  })
})

function frame(windowDescriptor: number, ...blocks: readonly Buffer[]): Buffer {
  return Buffer.concat([frameHeader(windowDescriptor), ...blocks])
}

function skippable(size: number): Buffer {
  return Buffer.concat([Buffer.from([0x52, 0x2a, 0x4d, 0x18, size, 0, 0, 0]), Buffer.alloc(size)])
}
