import { expect, it } from 'vitest'
import { plainText } from '../../../lib/format'

it.each([
  ['an escape sequence', '\u001b[31mred', '\\u001b[31mred'],
  ['a C1 control', 'a\u009b2Jb', 'a\\u009b2Jb'],
  ['the end of a line', 'a\r\nb', 'a\\u000d\\u000ab'],
  ['an end of a line that few programs see', 'a\u2028b', 'a\\u2028b'],
  ['text that is turned around', 'user\u202etxt.exe', 'user\\u202etxt.exe'],
  ['an isolate', '\u2066x\u2069', '\\u2066x\\u2069'],
])('shows %s as its code', (_name, text, shown) => {
  expect(plainText(text)).toBe(shown)
})

it('leaves every other letter as it is', () => {
  expect(plainText('Größe 日本語 🙂')).toBe('Größe 日本語 🙂')
})
