import { describe, expect, it } from 'vitest'
import { parseEnvelope } from '../../../lib/protocol/envelope'
import { enforceConsent } from '../../../lib/tunnel/enforce-consent'

const bodyOf = (text: string, cut = text.length) => {
  const bytes = Buffer.from(text)
  const blocks = [bytes.subarray(0, cut), bytes.subarray(cut)].filter((block) => block.length > 0)
  return { blocks, byteLength: bytes.length }
}

const ERROR = '{"type":"event"}\n{"message":"boom"}'
const SPANS = '{"type":"span","length":4}\n[\n1]'
const HEADER = '{"dsn":"http://local@127.0.0.1/1"}'

describe('with errors alone', () => {
  it('an envelope of errors goes on as it is, byte for byte', () => {
    const body = bodyOf(`${HEADER}\n${ERROR}\n`, 20)
    expect(enforceConsent('errors', body, null, false)).toEqual({ ok: true, value: body })
  })

  it('other items are cut from an envelope with an error, also when an item has line breaks', () => {
    const cut = enforceConsent('errors', bodyOf(`${HEADER}\n${SPANS}\n${ERROR}\n${SPANS}`, 50), null, false)
    if (!cut.ok) throw new Error('nothing went on')
    const text = Buffer.concat(cut.value.blocks).toString()
    expect(text).toBe(`${HEADER}\n${ERROR}`)
    expect(cut.value.byteLength).toBe(text.length)
    expect(parseEnvelope(Buffer.from(text)).ok).toBe(true)
  })

  it('an envelope without an error is answered 200 and goes nowhere', () => {
    const answer = enforceConsent('errors', bodyOf(`${HEADER}\n${SPANS}`), null, false)
    expect(answer).toMatchObject({ ok: false, error: { status: 200, body: '{}' } })
  })

  it('an encoded envelope is refused, because it is not read', () => {
    const answer = enforceConsent('errors', bodyOf('…'), 'gzip', false)
    expect(answer).toMatchObject({ ok: false, error: { status: 415 } })
    expect(JSON.stringify(answer)).toContain('got gzip')
  })

  it('spans of OpenTelemetry go nowhere', () => {
    expect(enforceConsent('errors', bodyOf('{}'), null, true).ok).toBe(false)
  })

  it.each([
    ['a broken item', `${HEADER}\nno header`],
    ['more items than the limit', `${HEADER}${`\n${ERROR}`.repeat(101)}`],
  ])('an envelope with %s is refused: its items are not known', (_what, text) => {
    expect(enforceConsent('errors', bodyOf(text), null, false)).toMatchObject({ ok: false, error: { status: 400 } })
  })
})

it.each(['all', 'kept'] as const)('with %s everything goes on, also encoded', (consent) => {
  const body = bodyOf('…')
  expect(enforceConsent(consent, body, 'gzip', false)).toEqual({ ok: true, value: body })
  expect(enforceConsent(consent, body, null, true)).toEqual({ ok: true, value: body })
})

it('with off nothing goes on', () => {
  expect(enforceConsent('off', bodyOf(`${HEADER}\n${ERROR}`), null, false)).toMatchObject({
    ok: false,
    error: { status: 200 },
  })
})
