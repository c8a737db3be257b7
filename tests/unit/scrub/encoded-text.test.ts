import { describe, expect, it } from 'vitest'
import { scrubText } from '../../../lib/scrub/scrub-text'

const scrub = (text: string): string => scrubText(text, 'plain', () => undefined)
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const encoded = (text: string, times: number): string =>
  times === 0 ? text : encodeURIComponent(encoded(text, times - 1))
const ELEMENT = '<password>Moor-Huhn12</password>'

it('percent-encoded text is decoded up to two times', () => {
  expect(scrub(`?q=${encoded(ELEMENT, 1)}&a=1`)).toBe(
    `?q=${encoded('<password>', 1)}[Filtered]${encoded('</password>', 1)}&a=1`,
  )
  expect(scrub(`?q=${encoded(ELEMENT, 2)}`)).not.toContain('Huhn12')
  expect(scrub(`?q=${encoded(ELEMENT, 3)}`)).toBe(`?q=${encoded(ELEMENT, 3)}`)
})

it('percent-encoded text keeps slashes, other parts and broken bytes', () => {
  expect(scrub(`/a/b:c/${encoded('password is "Moor-Huhn12"', 1)}/d?x=%e4%&y=%2F`)).toBe(
    '/a/b:c/password%20is%20%22[Filtered]%22/d?x=%e4%&y=%2F',
  )
})

describe('base64', () => {
  const long = (bytes: number): string => base64(`password=hunter2 ${'a '.repeat(bytes)}`.slice(0, bytes))

  it('scrubbing removes the base64 of a credential as a whole, up to 4096 characters', () => {
    expect(scrub(`got ${long(3072)} back`)).toBe('got [Filtered] back')
    expect(scrub(`got ${long(3075)} back`)).toBe(`got ${long(3075)} back`)
  })

  it.each(['{"page":1,"mail":"ada@example.org"}', '\u0001\u0002password=hunter2', 'plain words of a text'])(
    'scrubbing keeps the base64 of %j',
    (text) => {
      expect(scrub(`got ${base64(text)} back`)).toBe(`got ${base64(text)} back`)
    },
  )

  it('is found in percent-encoded text', () => {
    expect(scrub(`/x?body=${encoded(`a=${base64('{"api_key":"x7Kp2Qv9"}')}`, 1)}`)).toBe('/x?body=a%3D[Filtered]')
  })
})

it('finds a secret in JSON that is in strings of JSON, up to six deep', () => {
  let json = '{"password":"Moor-Huhn12"}'
  for (let depth = 1; depth <= 6; depth += 1) {
    json = JSON.stringify({ a: json })
    expect(scrub(`got ${json}`)).not.toContain('Huhn12')
  }
})
