import { describe, expect, it } from 'vitest'
import { admit, type Sender } from '../../../lib/tunnel/admission'

const allowed: Sender = { publicKey: 'allowed', projectId: '1' }
const admits = (sent: Sender) => sent.publicKey === allowed.publicKey && sent.projectId === allowed.projectId
const line = (header: unknown) => Buffer.from(typeof header === 'string' ? header : JSON.stringify(header))
const statusOf = (header: unknown) => {
  const admission = admit(line(header), admits)
  return admission.ok ? 200 : admission.error.status
}

describe('an envelope is admitted by the dsn of its header', () => {
  it('by key and project, whatever its scheme, host, port, path and secret', () => {
    for (const dsn of [
      'http://allowed@127.0.0.1:8969/1',
      'https://allowed:secret@evil.test/1',
      'HTTPS://allowed@EVIL.TEST./a/b/1',
    ])
      expect(admit(line({ dsn }), admits)).toEqual({ ok: true, value: allowed })
  })

  it.each([
    'https://Allowed@host.test/1',
    'https://allowed@host.test/2',
    'https://allowed@host.test/01',
    'https://other@host.test/1',
    'https://evil@allowed.test/1',
  ])('and refused with 403 when they are not exactly those: %s', (dsn) => {
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
  ])('and refused with 400 when the dsn is none: %j', (dsn) => {
    expect(statusOf({ dsn })).toBe(400)
  })

  it('and refused with 400 when the first line is no header, or has no dsn', () => {
    for (const header of ['', '{', 'null', '[]', '"x"', '42', '{}', '{"DSN":"https://allowed@host.test/1"}'])
      expect(statusOf(header)).toBe(400)
    expect(statusOf('{"__proto__":{"dsn":"https://allowed@host.test/1"}}')).toBe(400)
    expect(statusOf(`\ufeff${JSON.stringify({ dsn: 'https://allowed@host.test/1' })}`)).toBe(400)
  })

  it('and refused with 400 when the first line is not UTF-8', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"dsn":"https://allowed@host.test/1","x":"'),
      Buffer.of(0xff),
      line('"}'),
    ])
    expect(admit(bytes, admits)).toMatchObject({ ok: false, error: { status: 400 } })
  })

  it('and an answer repeats at most 80 characters of it', () => {
    const long = 'z'.repeat(400)
    for (const header of [
      long,
      { dsn: long },
      { dsn: `https://allowed@h.test/${long}` },
      { dsn: `https://h.test/${long}` },
    ]) {
      const admission = admit(line(header), admits)
      const said = admission.ok ? '' : admission.error.body + JSON.stringify(admission.error.headers)
      expect(said).not.toBe('')
      expect(said).not.toContain('z'.repeat(81))
    }
  })
})
