import { describe, expect, it } from 'vitest'
import { readSender, type TunnelSender } from '../../../lib/tunnel/envelope-header'

const allowed: TunnelSender = { publicKey: 'allowed', projectId: '1' }
const accepts = (sent: TunnelSender) => sent.publicKey === allowed.publicKey && sent.projectId === allowed.projectId
const line = (header: unknown) => Buffer.from(typeof header === 'string' ? header : JSON.stringify(header))
const statusOf = (header: unknown) => {
  const result = readSender(line(header), accepts)
  return result.ok ? 200 : result.error.status
}

describe('authorise', () => {
  it('compares key and project, and ignores scheme, host, port, path and secret', () => {
    for (const dsn of [
      'http://allowed@127.0.0.1:8969/1',
      'https://allowed:secret@evil.test/1',
      'HTTPS://allowed@EVIL.TEST./a/b/1',
    ])
      expect(readSender(line({ dsn }), accepts)).toEqual({ ok: true, value: allowed })
  })

  it.each([
    'https://Allowed@host.test/1',
    'https://allowed@host.test/2',
    'https://allowed@host.test/01',
    'https://other@host.test/1',
    'https://evil@allowed.test/1',
  ])('refuses another key or project with 403: %s', (dsn) => {
    expect(statusOf({ dsn })).toBe(403)
  })

  it.each([
    'file:///etc/passwd',
    'https://evil.test/allowed',
    'https://allowed.evil.test',
    'https://o1.ingest.sentry.io\\@evil.test/1',
    'https://allowed@o1.ingest.sentry.io\\@evil.test/1',
    'https://allo\r\nwed@host.test/1',
    'https://allowed@host.test/1?x=',
    'https://allowed@host.test/1#x',
    'https://allowed@host.test/../x',
    'https://allowed@host.test/%31',
    'https://allowed@host.test/١',
    'https://allowed@host.test/',
    'https://al%6cowed@host.test/1',
    ' https://allowed@host.test/1',
    `https://allowed@${'h'.repeat(512)}/1`,
    'javascript:alert(1)',
    '',
    null,
    42,
    { toString: 'x' },
  ])('refuses a malformed dsn with 400: %j', (dsn) => {
    expect(statusOf({ dsn })).toBe(400)
  })

  it('refuses a first line without header or dsn with 400', () => {
    for (const header of ['', '{', 'null', '[]', '"x"', '42', '{}', '{"DSN":"https://allowed@host.test/1"}'])
      expect(statusOf(header)).toBe(400)
    expect(statusOf('{"__proto__":{"dsn":"https://allowed@host.test/1"}}')).toBe(400)
    expect(statusOf(`\ufeff${JSON.stringify({ dsn: 'https://allowed@host.test/1' })}`)).toBe(400)
  })

  it('refuses a first line that is not UTF-8 with 400', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"dsn":"https://allowed@host.test/1","x":"'),
      Buffer.of(0xff),
      line('"}'),
    ])
    expect(readSender(bytes, accepts)).toMatchObject({ ok: false, error: { status: 400 } })
  })

  it('repeats at most 80 characters of a received value', () => {
    const long = 'z'.repeat(400)
    for (const header of [
      long,
      { dsn: long },
      { dsn: `https://allowed@h.test/${long}` },
      { dsn: `https://h.test/${long}` },
    ]) {
      const result = readSender(line(header), accepts)
      const text = result.ok ? '' : result.error.body + JSON.stringify(result.error.headers)
      expect(text).not.toBe('')
      expect(text).not.toContain('z'.repeat(81))
    }
  })
})
