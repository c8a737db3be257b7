import { expect, it } from 'vitest'
import { isPublicKey } from '../../../lib/protocol/dsn'
import { addressOf, isDsn, KEYLESS, parseUpstreamAddress, signalUrl } from '../../../lib/protocol/upstream-address'
import { valueIn } from '../value-in'

const parsed = (text: string) => valueIn(parseUpstreamAddress(text))

function urlOf(text: string): string {
  const address = parsed(text)
  return isDsn(address) ? 'a DSN' : signalUrl(address, 'traces')
}

it.each([
  ['https://abc@o1.ingest.sentry.io/42', 'a DSN'],
  ['https://abc:secret@o1.ingest.sentry.io/42', 'a DSN'],
  ['http://127.0.0.1:4318', 'http://127.0.0.1:4318/v1/traces'],
  ['https://OTEL.test/', 'https://otel.test/v1/traces'],
  ['https://otel.test/otlp/', 'https://otel.test/otlp/v1/traces'],
  ['http://[::1]:4318', 'http://[::1]:4318/v1/traces'],
  ['https://user:pass@otel.test/otlp', 'https://otel.test/otlp/v1/traces'],
])('the address of an upstream parses %s as %s', (text, url) => {
  expect(urlOf(text)).toBe(url)
})

it('the address of an upstream takes user and password for basic authentication', () => {
  expect(parsed('https://ada%40x:p%C3%A4ss%25@otel.test')).toMatchObject({
    authorization: `Basic ${Buffer.from('ada@x:päss%').toString('base64')}`,
  })
  expect(parsed('https://ada:50%@otel.test')).toMatchObject({
    authorization: `Basic ${Buffer.from('ada:50%').toString('base64')}`,
  })
  expect(parsed('https://otel.test')).toMatchObject({ authorization: null })
})

it.each([
  ['', 'such as'],
  ['otel.test:4318', 'such as'],
  ['ftp://otel.test', 'such as'],
  ['http://otel.test/a b', 'such as'],
  ['https://otel.test?key=hunter2', 'without a query or a fragment'],
  ['https://otel.test/v1/traces', 'without /v1/… at its end'],
  ['https://abc@o1.ingest.sentry.io/', 'this one has no project id'],
])('the address of an upstream refuses %s, without repeating it', (text, reason) => {
  const read = parseUpstreamAddress(text)
  expect(read).toMatchObject({ ok: false, error: expect.stringContaining(reason) })
  expect(JSON.stringify(read)).not.toContain('hunter2')
})

it('the address of an upstream is the DSN itself, or belongs to a key that no request can have', () => {
  const dsn = parsed('https://abc@sentry.test/42')
  const endpoint = parsed('https://otel.test')
  expect(isDsn(dsn) && addressOf(dsn)).toBe(dsn)
  expect(addressOf({ ...KEYLESS, address: endpoint })).toBe(endpoint)
  expect(isPublicKey(KEYLESS.publicKey)).toBe(false)
})
