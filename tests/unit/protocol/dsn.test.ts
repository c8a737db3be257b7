import { describe, expect, it } from 'vitest'
import { type Dsn, envelopeUrl, formatDsn, localDsn, parseDsn, sameProject } from '../../../lib/protocol/dsn'
import { valueIn } from '../value-in'

const good: Dsn = { protocol: 'https', publicKey: 'abc', host: 'o1.ingest.sentry.io', path: '', projectId: '42' }

const read = (text: string): Dsn => valueIn(parseDsn(text))

describe('a DSN', () => {
  it.each<[string, string, Partial<Dsn>]>([
    ['of Sentry', 'https://abc@o1.ingest.sentry.io/42', good],
    ['with white space round it', ' https://abc@o1.ingest.sentry.io/42\n', good],
    ['with the secret of old days, which is forgotten', 'https://abc:secret@o1.ingest.sentry.io/42', good],
    ['with a port', 'http://abc@127.0.0.1:8969/1', { host: '127.0.0.1:8969', projectId: '1' }],
    ['with its default port written out', 'https://abc@sentry.test:443/1', { host: 'sentry.test' }],
    ['with a path', 'https://abc@sentry.test/a/b/42', { path: '/a/b', projectId: '42' }],
    ['of an IPv6 host', 'http://abc@[::1]:8969/1', { host: '[::1]:8969' }],
    ['of a host in capitals', 'https://abc@SENTRY.Test/1', { host: 'sentry.test' }],
    ['with a key in capitals, which stays', 'https://AbC@sentry.test/1', { publicKey: 'AbC' }],
    ['with leading zeros in its project, which stay', 'https://abc@sentry.test/007', { projectId: '007' }],
    ['with a key of the longest length', `https://${'a'.repeat(64)}@sentry.test/1`, { publicKey: 'a'.repeat(64) }],
  ])('is parsed: %s', (_name, text, expected) => {
    expect(read(text)).toMatchObject(expected)
    expect(Object.keys(read(text)).sort()).toEqual(Object.keys(good).sort())
  })

  it.each([
    ['nothing', '', /is not a URL; a DSN looks like/],
    ['a word', 'stand-in', /"stand-in" is not a URL/],
    ['another protocol', 'ftp://abc@host/1', /begins with ftp:\/\/, expected http/],
    ['a script', 'javascript:alert(1)', /begins with javascript:/],
    ['no key', 'https://sentry.test/42', /no public key before the @/],
    ['a key with invalid characters', 'https://a.b@sentry.test/42', /malformed public key/],
    ['an escaped key', 'https://a%2fb@sentry.test/42', /malformed public key/],
    ['a key one character too long', `https://${'a'.repeat(65)}@sentry.test/1`, /malformed public key/],
    ['no project', 'https://abc@sentry.test/', /ends in "", expected a numeric project id/],
    ['a project that is a name', 'https://abc@sentry.test/web', /ends in "web", expected a numeric/],
    ['a slash after the project', 'https://abc@sentry.test/42/', /expected a numeric project id/],
    ['a project one digit too long', `https://abc@sentry.test/${'1'.repeat(21)}`, /numeric project id/],
    ['a query', 'https://abc@sentry.test/42?x=1', /a query or a fragment/],
    ['a fragment', 'https://abc@sentry.test/42#x', /a query or a fragment/],
    ['a port that is none', 'https://abc@sentry.test:99999/1', /is not a URL/],
  ])('is refused with an error message: %s', (_name, text, sentence) => {
    const parsed = parseDsn(text)
    expect(!parsed.ok && parsed.error).toMatch(sentence)
  })

  it('is cut in an error message', () => {
    const parsed = parseDsn('x'.repeat(100_000))
    expect(!parsed.ok && parsed.error.length).toBeLessThan(200)
  })

  it('is written as SDKs read it, and parsed again to the same parts', () => {
    const texts = ['https://abc@o1.ingest.sentry.io/42', 'http://abc@[::1]:8969/a/b/7']
    expect(texts.map((text) => formatDsn(read(text)))).toEqual(texts)
  })

  it('has its envelope URL below its path', () => {
    expect(envelopeUrl(read('https://abc@sentry.test:8443/a/b/7'))).toBe('https://sentry.test:8443/a/b/api/7/envelope/')
  })
})

/**
 * DSNs of an attacker who knows that intake accepts project 42 with key `abc`. Key and project must be parsed exactly, or
 * the DSN refused; the host is never used.
 */
describe("an attacker's DSN", () => {
  const ours = { publicKey: 'abc', projectId: '42' }

  it.each([
    ['to a metadata service', 'http://abc@169.254.169.254/42'],
    ['to a port of this machine', 'http://abc@127.0.0.1:22/42'],
    ['to a host that begins like ours', 'https://abc@o1.ingest.sentry.io.evil.test/42'],
    ['to our host with a dot at its end', 'https://abc@o1.ingest.sentry.io./42'],
    ['to our host in capitals', 'https://abc@O1.INGEST.SENTRY.IO/42'],
    ['to another port of our host', 'https://abc@o1.ingest.sentry.io:444/42'],
    ['to an IPv4 address as one number', 'http://abc@2130706433/42'],
    ['to an IPv4 address in IPv6', 'http://abc@[::ffff:127.0.0.1]/42'],
    ['with a path before the project', 'https://abc@o1.ingest.sentry.io/evil/42'],
    ['with our host as the secret', 'https://abc:o1.ingest.sentry.io@evil.test/42'],
  ])('%s has our key and project, the only parts that are compared', (_name, text) => {
    expect(sameProject(read(text), ours)).toBe(true)
  })

  it.each([
    ['with our host as its key', 'https://o1.ingest.sentry.io@evil.test/42'],
    ['with our host as its path', 'https://evil.test/o1.ingest.sentry.io/42'],
    ['with a backslash before the @', 'https://o1.ingest.sentry.io\\@evil.test/42'],
    ['with a backslash after the @', 'https://abc@o1.ingest.sentry.io\\@evil.test/42'],
    ['with a backslash before the project', 'https://abc@o1.ingest.sentry.io\\42'],
    ['with an escaped slash in the host', 'https://abc@o1.ingest.sentry.io%2fevil.test/42'],
    ['with a line break in the key', 'https://a\r\nbc@o1.ingest.sentry.io/42'],
    ['with an escaped line break in the key', 'https://abc%0d%0a@o1.ingest.sentry.io/42'],
    ['with a tab in the host', 'https://abc@o1.\tingest.sentry.io/42'],
    ['with a line break before the project', 'https://abc@o1.ingest.sentry.io/\n42'],
    ['with a space in the path', 'https://abc@o1.ingest.sentry.io/a b/42'],
    ['with a project and a query', 'https://abc@o1.ingest.sentry.io/42?x='],
    ['with digits of another script', 'https://abc@o1.ingest.sentry.io/４２'],
    ['with an escaped slash in the project', 'https://abc@o1.ingest.sentry.io/1%2f42'],
    ['with two @', 'https://evil@abc@o1.ingest.sentry.io/42'],
    ['to a file', 'file:///etc/passwd'],
    ['to a file with our key', 'file://abc@/42'],
  ])('%s is refused', (_name, text) => {
    expect(parseDsn(text)).toMatchObject({ ok: false })
  })

  it.each([
    ['another key', 'https://abd@o1.ingest.sentry.io/42'],
    ['our key in capitals', 'https://ABC@o1.ingest.sentry.io/42'],
    ['another project', 'https://abc@o1.ingest.sentry.io/43'],
    ['our project with a zero before it', 'https://abc@o1.ingest.sentry.io/042'],
    ['our project as a folder', 'https://abc@o1.ingest.sentry.io/42/1'],
    ['dots that lead to another project', 'https://abc@o1.ingest.sentry.io/42/../1'],
  ])('with %s is not ours', (_name, text) => {
    expect(sameProject(read(text), ours)).toBe(false)
  })
})

it("the local DSN has the upstream's key and project, and the collector's host", () => {
  const upstream = read('https://abc@o1.ingest.sentry.io/prefix/42')
  expect(formatDsn(localDsn('http://127.0.0.1:8969', upstream))).toBe('http://abc@127.0.0.1:8969/42')
})

it('the local DSN uses the local key and project without an upstream', () => {
  expect(formatDsn(localDsn('http://127.0.0.1:8969'))).toBe('http://local@127.0.0.1:8969/1')
})

it.each([
  ['http://127.0.0.1:8969/', 'http://local@127.0.0.1:8969/1'],
  ['https://box.test/waystation/', 'https://local@box.test/waystation/1'],
  ['http://[::1]:8969', 'http://local@[::1]:8969/1'],
])('the local DSN of a collector at %s is %s', (url, expected) => {
  expect(formatDsn(localDsn(url))).toBe(expected)
  expect(read(expected)).toEqual(localDsn(url))
})
