import { describe, expect, it } from 'vitest'
import { scrubPayload } from '../../../lib/scrub/payload'
import { StringCache } from '../../../lib/scrub/string-cache'

/** Uses the length as hash, so that texts of one length collide. */
function named() {
  const strings = new StringCache<string>()
  const at = (text: string): [Uint8Array, number, number, number] => {
    const json = Buffer.from(`"${text}"`)
    return [json, 1, json.length - 1, json.length]
  }
  return {
    get: (text: string) => strings.get(...at(text)),
    set: (text: string, value: string) => strings.set(...at(text), value),
  }
}

describe('a cached string', () => {
  it('is found by its bytes in any payload', () => {
    const { get, set } = named()
    set('Grüße 🐝 \\ud800', 'one')
    expect(get('Grüße 🐝 \\ud800')).toBe('one')
  })

  it('differs from another with the same hash; the later one is kept', () => {
    const { get, set } = named()
    set('abc', 'one')
    expect(get('abd')).toBeUndefined()
    set('abd', 'two')
    expect([get('abc'), get('abd')]).toEqual([undefined, 'two'])
  })

  it('is dropped for newer ones unless it recurs', () => {
    const strings = new StringCache<number>()
    const json = Buffer.from('"x"')
    const fill = (from: number): void => {
      for (let hash = from; hash < from + 4000; hash += 1) strings.set(json, 1, 2, hash, hash)
    }
    const isKnown = (hash: number): boolean => strings.get(json, 1, 2, hash) !== undefined
    strings.set(json, 1, 2, -1, 0)
    strings.set(json, 1, 2, -2, 0)
    fill(0)
    expect(isKnown(-2)).toBe(true)
    fill(4000)
    expect([isKnown(-2), isKnown(-1)]).toEqual([true, false])
  })

  it('has at most 256 bytes', () => {
    const { get, set } = named()
    set('x'.repeat(256), 'one')
    set('x'.repeat(257), 'two')
    expect([get('x'.repeat(256)), get('x'.repeat(257))]).toEqual(['one', undefined])
  })

  it('is unaffected when the payload is overwritten', () => {
    const strings = new StringCache<string>()
    const json = Buffer.from('"abc"')
    strings.set(json, 1, 4, 7, 'one')
    json.write('"xyz"')
    expect(strings.get(json, 1, 4, 7)).toBeUndefined()
    expect(strings.get(Buffer.from('"abc"'), 1, 4, 7)).toBe('one')
  })
})

const scrub = (json: string): string => Buffer.from(scrubPayload(Buffer.from(json), () => undefined)).toString()

describe('a text without a secret', () => {
  it('is still scrubbed each time where it contains a secret', () => {
    const found: string[] = []
    for (let time = 0; time < 3; time += 1)
      scrubPayload(Buffer.from('["write to ada@example.org"]'), (rule) => found.push(rule))
    expect(found).toEqual(['email', 'email', 'email'])
  })

  it('is cached per kind of field', () => {
    const json = '[{"url":"/home/ada/shop"},{"message":"/home/ada/shop"},{"url":"/home/ada/shop"}]'
    const scrubbed = '[{"url":"/home/ada/shop"},{"message":"/home/[Filtered]/shop"},{"url":"/home/ada/shop"}]'
    expect([scrub(json), scrub(json)]).toEqual([scrubbed, scrubbed])
  })

  it('is removed below a secret name, and is not cached there', () => {
    const json = '[{"message":"all is well"},{"password":{"message":"all is well"}},{"message":"all is well"}]'
    const scrubbed = '[{"message":"all is well"},{"password":{"message":"[Filtered]"}},{"message":"all is well"}]'
    expect([scrub(json), scrub(json)]).toEqual([scrubbed, scrubbed])
  })

  it('still names the other text of a pair', () => {
    const json = '[["Authorization","a b c"],["Authorization","a b c"]]'
    expect(scrub('["Authorization"]')).toBe('["Authorization"]')
    expect(scrub(json)).toBe('[["Authorization","[Filtered]"],["Authorization","[Filtered]"]]')
  })
})
