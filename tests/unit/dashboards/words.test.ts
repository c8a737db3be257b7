import { describe, expect, it } from 'vitest'
import { itemCounts, seriesOf } from '../../../dashboards/ui/labels'
import { printable, printablePayload, printableValue } from '../../../dashboards/ui/printable'
import { formatAge, withSign } from '../../../dashboards/ui/times'
import { formatBytes, formatCount, formatDurationUs, formatSeconds, plural } from '../../../lib/format'
import { DELIVERY_STATUSES } from '../../../lib/protocol/outcome'
import { reasonText, statusNameText } from '../../../lib/wire/status-text'

it.each([
  ['stays as it is', 'GET /a?b=c “é” 日本', 'GET /a?b=c “é” 日本'],
  ['shows a reversal of direction', 'evil\u202egnp.exe', 'evil⟨U+202E⟩gnp.exe'],
  ['shows an isolate', '\u2066a\u2069', '⟨U+2066⟩a⟨U+2069⟩'],
  ['shows controls as their pictures', 'a\u0000b\u001b[31mc\u007f', 'a␀b␛[31mc␡'],
  ['shows what has no width', 'pay\u200bpal\ufeff', 'pay⟨U+200B⟩pal⟨U+FEFF⟩'],
  ['shows a soft hyphen and a C1 control', 'a\u00adb\u0085', 'a⟨U+00AD⟩b⟨U+0085⟩'],
  ['shows a line separator', 'a\u2028b', 'a⟨U+2028⟩b'],
  ['shows a tag character', 'a\u{e0041}', 'a⟨U+E0041⟩'],
  ['shows half a character', 'a\ud800', 'a⟨U+D800⟩'],
  ['keeps the joiners of emoji and of scripts', '👩‍💻 می‌خواهم', '👩‍💻 می‌خواهم'],
  ['keeps whole emoji', '🔥', '🔥'],
  ['has one line', 'a\nb\tc', 'a␊b␉c'],
])('received text %s', (_fact, received, shown) => {
  expect(printable(received)).toBe(shown)
})

it('received text on several lines keeps line ends and tabs, but no other controls', () => {
  expect(printable('a\n\tb\r\u202ec', 'lines')).toBe('a\n\tb␍⟨U+202E⟩c')
})

it('the text of a payload is indented if it is JSON', () => {
  expect(printablePayload('{"a":["\u202e"]}')).toBe('{\n  "a": [\n    "⟨U+202E⟩"\n  ]\n}')
  expect(printablePayload('{"a":')).toBe('{"a":')
  expect(printablePayload('a\r\nb')).toBe('a\nb')
})

it('a value of any type becomes text', () => {
  expect([printableValue('x\n'), printableValue(3), printableValue(null), printableValue({ a: 1 })]).toEqual([
    'x␊',
    '3',
    'null',
    '{"a":1}',
  ])
  expect(printableValue(undefined)).toBe('undefined')
})

it.each([
  [0, '0 ms'],
  [840, '840 µs'],
  [999.6, '1.00 ms'],
  [1000, '1.00 ms'],
  [12_440, '12.4 ms'],
  [99_960, '100 ms'],
  [999_600, '1.00 s'],
  [3_061_000, '3.06 s'],
  [59_960_000, '1 min'],
  [125_000_000, '2 min 5 s'],
  [-2500, '-2.50 ms'],
  [Number.NaN, '–'],
])('a duration of %d µs is shown as %s', (us, text) => {
  expect(formatDurationUs(us)).toBe(text)
})

it('an offset has its sign', () => {
  expect([withSign('12 ms', 1), withSign('12 ms', -1), withSign('-12 ms', -1)]).toEqual(['+12 ms', '-12 ms', '-12 ms'])
})

describe('seconds', () => {
  it.each([
    [42, '42 s'],
    [60, '1 min'],
    [545, '9 min 5 s'],
    [11_520, '3 h 12 min'],
    [187_200, '2 d 4 h'],
  ])('%i are %s', (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text)
  })
})

it.each([
  [0, 'now'],
  [1_900, 'now'],
  [12_000, '12 s'],
  [179_000, '2 min'],
  [3_600_000, '1 h'],
  [172_800_000, '2 d'],
  [-5000, 'now'],
])('an age of %i ms is shown as %s', (ms, text) => {
  expect(formatAge(1_000_000_000, 1_000_000_000 + ms)).toBe(text)
})

it('quantities have separators, plurals and units', () => {
  expect([formatCount(12_345), plural(1, 'span'), plural(2, 'span'), plural(0, 'error')]).toEqual([
    '12,345',
    '1 span',
    '2 spans',
    '0 errors',
  ])
  expect([512, 57_312, 999_600, 1_050_000, 2_147_483_648].map(formatBytes)).toEqual([
    '512 B',
    '57.3 kB',
    '1.00 MB',
    '1.05 MB',
    '2.15 GB',
  ])
})

it('a status has its own word and a sentence', () => {
  const words = DELIVERY_STATUSES.map(statusNameText)
  expect(new Set(words.map((one) => one.word)).size).toBe(DELIVERY_STATUSES.length)
  expect(words.every((one) => one.meaning.endsWith('.'))).toBe(true)
})

it.each([
  [null, null],
  ['upstream_413', 'upstream answered 413'],
  ['no_upstream', 'local only: no upstream is set'],
  ['no_endpoint', 'local only: Sentry has no OTLP endpoint for metrics'],
  ['consent', 'local only: the visitor does not let it be passed on'],
  ['several_upstreams', 'local only: no setting selects one of several upstreams'],
  ['something_new', 'something new'],
])('a status has reason %s: %s', (reason, text) => {
  expect(reasonText(reason)).toBe(text)
})

it('an envelope’s items are counted by type, in order of first occurrence', () => {
  const item = (type: string, quantity = 1) => ({ type, quantity })
  expect(itemCounts([item('event'), item('attachment'), item('attachment'), item('log', 12)])).toEqual([
    { type: 'event', quantity: 1 },
    { type: 'attachment', quantity: 2 },
    { type: 'log', quantity: 12 },
  ])
})

it('a service has the same colour everywhere; browser and server have their own', () => {
  expect([seriesOf('browser'), seriesOf('server')]).toEqual([1, 2])
  expect(seriesOf('celery')).toBe(seriesOf('celery'))
  for (const name of ['celery', 'python', 'go', '', '日本']) expect(seriesOf(name)).toBeGreaterThan(2)
})
