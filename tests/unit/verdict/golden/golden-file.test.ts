import { expect, it } from 'vitest'
import {
  goldenText,
  MAX_GOLDEN_LEVELS,
  MAX_GOLDEN_LINES,
  parseGolden,
} from '../../../../lib/verdict/golden/golden-file'

const FORMS =
  'valid lines are "op name", "op name ×3", "op name ×1..3", "op name ×*" and "? op name", indented by two spaces a level'

it('reads the text that it writes, with every edit', () => {
  const text = `lifecycle: otlp, static
http.server GET / [service=server, status=200]
  ? cart.total add up ×1..3
    db SELECT * ×12
  pageload / [service=browser] ×*
? - middleware
`
  const read = parseGolden(text)
  expect(read.ok && goldenText(read.value)).toBe(text)
})

it('reads lines that an editor or git changed', () => {
  const read = parseGolden('lifecycle: stream\r\npageload /\r\n  db SELECT ×1  \r\n\r\n')
  expect(read.ok && goldenText(read.value)).toBe('lifecycle: stream\npageload /\n  db SELECT\n')
})

it.each([
  ['', 'line 1 must be "lifecycle: " and static, stream, otlp or several of them, got ""'],
  [
    'lifecycle: zipkin',
    'line 1 must be "lifecycle: " and static, stream, otlp or several of them, got "lifecycle: zipkin"',
  ],
  ['lifecycle: static', 'it has no line of a span'],
  [
    'lifecycle: static\na\n    b',
    `line 3 cannot be read: it is more than one level below the line above, got "    b"; ${FORMS}`,
  ],
  [
    'lifecycle: static\n  a',
    `line 2 cannot be read: it is more than one level below the line above, got "  a"; ${FORMS}`,
  ],
  ['lifecycle: static\na\n   b', `line 3 cannot be read: it is indented by 3 spaces, got "   b"; ${FORMS}`],
  ['lifecycle: static\na\n\nb', `line 3 cannot be read: it is no op and name, got ""; ${FORMS}`],
  ['lifecycle: static\na ×0', `line 2 cannot be read: its count is not valid, got "a ×0"; ${FORMS}`],
  ['lifecycle: static\na ×many', `line 2 cannot be read: its count is not valid, got "a ×many"; ${FORMS}`],
  ['lifecycle: static\na ×3..1', `line 2 cannot be read: its count begins above its end, got "a ×3..1"; ${FORMS}`],
  ['lifecycle: static\na ×*..3', `line 2 cannot be read: its count is not valid, got "a ×*..3"; ${FORMS}`],
  ['lifecycle: static\n? ', `line 2 cannot be read: it is no op and name, got "?"; ${FORMS}`],
  ['lifecycle: static\n?a', `line 2 cannot be read: it is no op and name, got "?a"; ${FORMS}`],
])('names the line of %j that it cannot read, and the valid forms', (text, error) => {
  expect(parseGolden(text)).toEqual({ ok: false, error })
})

it('reads at most 200 levels', () => {
  const levels = (count: number): string =>
    ['lifecycle: static', ...Array.from({ length: count }, (_, level) => `${'  '.repeat(level)}a`)].join('\n')
  expect(parseGolden(levels(MAX_GOLDEN_LEVELS)).ok).toBe(true)
  expect(parseGolden(levels(MAX_GOLDEN_LEVELS + 1))).toMatchObject({
    error: expect.stringContaining('line 202 cannot be read: it is below 200 levels, got'),
  })
})

it('reads at most 2000 lines of spans', () => {
  const lines = (count: number): string => `lifecycle: static\n${'a\n'.repeat(count)}`
  expect(parseGolden(lines(MAX_GOLDEN_LINES)).ok).toBe(true)
  expect(parseGolden(lines(MAX_GOLDEN_LINES + 1))).toEqual({
    ok: false,
    error: 'it has 2001 lines of spans; at most 2000 are valid',
  })
})
