import { expect, it } from 'vitest'
import {
  colouredText,
  formatBytes,
  formatCount,
  formatDurationMs,
  formatDurationUs,
  formatMebibytes,
  formatSeconds,
  plainText,
  plural,
  withoutTrailingZeros,
} from '../../lib/format'

it('groups the digits of a count', () => {
  expect([0, 999, 12_345, 1_234_567].map(formatCount)).toEqual(['0', '999', '12,345', '1,234,567'])
})

it.each([
  [0, '0 errors'],
  [1, '1 error'],
  [2, '2 errors'],
  [12_345, '12,345 errors'],
])('writes %i as %s', (count, text) => {
  expect(plural(count, 'error')).toBe(text)
})

it('uses a plural that does not end in s', () => {
  expect([plural(1, 'entry', 'entries'), plural(3, 'entry', 'entries')]).toEqual(['1 entry', '3 entries'])
})

it.each([
  [0, '0 ms'],
  [840, '840 µs'],
  [999.6, '1.00 ms'],
  [12_400, '12.4 ms'],
  [999_600, '1.00 s'],
  [3_060_000, '3.06 s'],
  [59_960_000, '1 min'],
  [125_000_000, '2 min 5 s'],
  [-12_400, '-12.4 ms'],
  [Number.NaN, '–'],
])('writes %d µs as %s', (us, text) => {
  expect(formatDurationUs(us)).toBe(text)
  expect(formatDurationMs(us / 1000)).toBe(text)
})

it.each([
  ['30.0 s', '30 s'],
  ['1.50 s', '1.5 s'],
  ['100 ms', '100 ms'],
  ['10.0 ms', '10 ms'],
  ['2 min 5 s', '2 min 5 s'],
])('removes trailing zeros: %s becomes %s', (formatted, text) => {
  expect(withoutTrailingZeros(formatted)).toBe(text)
})

it.each([
  [42, '42 s'],
  [59.6, '1 min'],
  [125, '2 min 5 s'],
  [3600, '1 h'],
  [11_520, '3 h 12 min'],
  [187_200, '2 d 4 h'],
])('writes %d s as %s', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text)
})

it('writes bytes in powers of ten, and in MiB', () => {
  expect([512, 57_312, 999_600, 1_050_000, 2_147_483_648].map(formatBytes)).toEqual([
    '512 B',
    '57.3 kB',
    '1.00 MB',
    '1.05 MB',
    '2.15 GB',
  ])
  expect([0, 13_107_200].map(formatMebibytes)).toEqual(['0.0 MiB', '12.5 MiB'])
})

it.each([
  ['an escape sequence', '\u001b[31mred', '\\u001b[31mred'],
  ['a C1 control', 'a\u009b2Jb', 'a\\u009b2Jb'],
  ['the end of a line', 'a\r\nb', 'a\\u000d\\u000ab'],
  ['an end of a line that few programs see', 'a\u2028b', 'a\\u2028b'],
  ['text that is turned around', 'user\u202etxt.exe', 'user\\u202etxt.exe'],
  ['an isolate', '\u2066x\u2069', '\\u2066x\\u2069'],
  ['a workflow command', '::stop-commands::x', '\\u003a:stop-commands::x'],
  ['a workflow command after white space', '  ::error::x', '  \\u003a:error::x'],
  ['a workflow command of the old form', 'a ##[set-output name=x]9', 'a ##\\u005bset-output name=x]9'],
])('shows %s as its code', (_name, text, shown) => {
  expect(plainText(text)).toBe(shown)
})

it('leaves only the colours of another program', () => {
  const coloured = '\u001b[1m\u001b[38;5;208mready\u001b[39m\u001b[0m in \u001b[32m2 s\u001b[m'
  expect(colouredText(coloured)).toBe(coloured)
  expect(colouredText('\u001b]52;c;eA==\u0007\u001b[2K\u001b[8mhidden\u001b[31mred')).toBe(
    '\\u001b]52;c;eA==\\u0007\\u001b[2K\\u001b[8mhidden\u001b[31mred',
  )
  expect(colouredText(`\u001b[${'1;'.repeat(20)}m`)).toMatch(/^\\u001b/)
})

it('leaves every other letter as it is', () => {
  expect(plainText('std::vector is [1, 2] at a::b')).toBe('std::vector is [1, 2] at a::b')
  expect(plainText('Größe 日本語 🙂')).toBe('Größe 日本語 🙂')
})
