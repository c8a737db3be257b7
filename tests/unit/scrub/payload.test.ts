import { describe, expect, it } from 'vitest'
import { scrubPayload } from '../../../lib/scrub/payload'

function scrub(json: string): { readonly json: string; readonly found: readonly string[] } {
  const found: string[] = []
  const bytes = scrubPayload(Buffer.from(json), (rule, way) => found.push(`${rule} ${way().join('/')}`))
  return { json: Buffer.from(bytes).toString(), found }
}

describe('a payload', () => {
  it('keeps every byte except those of the strings that a rule changes', () => {
    const before =
      '{ "a" : 1.50e+2 ,"a":\t"\\u00e9\\/",\r\n "password":"x", "n": 9007199254740993, "b":["é", null ]  }\n'
    expect(scrub(before).json).toBe(before.replace('"password":"x"', '"password":"[Filtered]"'))
  })

  it('is the same array where nothing is removed', () => {
    const bytes = Buffer.from('{"message":"all is well"}')
    expect(scrubPayload(bytes, () => expect.fail('nothing is to be found'))).toBe(bytes)
  })

  it('is searched by decoded names and texts', () => {
    expect(scrub('{"\\u0070assword":"x","m":"4111\\u0020111111111111"}')).toEqual({
      json: '{"\\u0070assword":"[Filtered]","m":"[Filtered]"}',
      found: ['key password', 'card m'],
    })
  })

  it('keeps lone surrogates next to removed text', () => {
    const { json } = scrub('{"m":"\\ud800 a@example.com \\udc00"}')
    expect(json).toBe('{"m":"\\ud800 [Filtered] \\udc00"}')
    expect(JSON.parse(json)).toEqual({ m: '\ud800 [Filtered] \udc00' })
  })

  /** «» are around each part that is replaced by [Filtered], ‹› around each that is replaced by [ip]. */
  it.each([
    ['a duplicate name', '{"token":"«a»","token":"«b»"}'],
    ['all that is beneath', '{"auth":{"user":"«x»","n":1,"deep":["«y»",{"z":"«w»"}]}}'],
    [
      'what is under the name of the folder that a process runs in, and no folder',
      '{"env":{"PWD":"/srv/shop","OLDPWD":"C:\\\\shop","HOME":"h"},"vars":{"PWD":"\'/srv\'","OLDPWD":"«hunter2»"},"pwd":"«/x»","db.PWD":"«/x»"}',
    ],
    [
      'the user in the name of such a folder, and all of it beneath a secret',
      '{"PWD":"/home/«ada»/shop","auth":{"PWD":"«/srv»"},"OLDPWD":["«/srv»"]}',
    ],
    ['a pair in a list', '{"headers":[["Host","h"],["Authorization","«a»"]]}'],
    ['a pair by name', '{"tags":[{"key":"api_key","value":"«a»"},{"key":"b","value":"c"}]}'],
    [
      'an attribute, and not its type',
      '{"attributes":{"user.token":{"value":"«x»","type":"string"},"a":{"value":"b","type":"string"}}}',
    ],
    ['a list in an attribute', '{"attributes":{"auth":{"type":"array","value":["«x»"]}}}'],
    ['what stands behind an option in a list', '{"sys.argv":["x","--password","«y»","-v"],"a":["--token-file","y"]}'],
    ['a cookie by name', '{"cookies":{"theme":"dark","sessionid":"«x»"}}'],
    ['a cookie of a header', '{"headers":{"Cookie":"theme=dark; sid=«x»; a=b"}}'],
    [
      'a cookie of headers that were joined',
      '{"headers":{"Set-Cookie":"theme=dark; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/, session=«abc»; Path=/, a=b"}}',
    ],
    [
      'a cookie of joined headers, and keeps the next',
      '{"headers":{"Set-Cookie":"sid=«a,b», theme=dark, lang=de,sid=«c»"}}',
    ],
    [
      'a cookie of a header that is an attribute',
      '{"attributes":{"http.request.header.cookie":{"type":"string","value":"session=«x»; theme=dark"}}}',
    ],
    [
      'cookies of a list that is an attribute',
      '{"attributes":{"http.response.header.set_cookie":{"value":["sid=«x»; Path=/","a=b"],"type":"array"}}}',
    ],
    ['a cookie of a list of pairs', '{"cookies":[["theme","dark"],["sid","«x»"]]}'],
    [
      'a cookie that is an attribute',
      '{"attributes":{"http.request.header.cookie.connect.sid":{"value":"«x»","type":"string"}}}',
    ],
    [
      'an address',
      '{"user":{"ip_address":"‹203.0.113.7›"},"sdk":{"client_ip":"‹2001:db8::1›"},"request":{"env":{"REMOTE_ADDR":"‹10.1.2.3›"}}}',
    ],
    ['addresses of proxies', '{"headers":{"X-Forwarded-For":"‹203.0.113.7, 10.0.0.1›"}}'],
    ['an address by any name', '{"clientIp":"‹203.0.113.7›","ip":"‹10.0.0.1›","ip_address":"«a@example.com»"}'],
    ['what is secret behind a byte order mark', '\ufeff{"token":"«x»"}'],
  ])('loses %s', (_what, marked) => {
    const after = marked.replace(/«[^»]*»/g, '[Filtered]').replace(/‹[^›]*›/g, '[ip]')
    expect(scrub(marked.replace(/[«»‹›]/g, '')).json).toBe(after)
  })

  it.each([
    [
      'what is loopback or asks Sentry to look',
      '{"user":{"ip_address":"{{auto}}"},"a":{"ip_address":"127.0.0.1"},"b":{"ip_address":"::1"}}',
    ],
    ['debug_meta', '{"debug_meta":{"images":[{"code_file":"/home/alice/x","password":"p"}]}}'],
    [
      'removed texts and their metadata',
      '{"password":"[Filtered]","ip_address":"[ip]","_meta":{"password":{"":{"rem":[["p","s"]]}}}}',
    ],
    ['a frame’s file', '{"frames":[{"filename":"/home/alice/x.js","abs_path":"/home/alice/x.js"}]}'],
    ['an id that has digits alone', '{"trace_id":"41111111111111114111111111111111","span_id":"4111111111111111"}'],
    ['an id under a secret name', '{"auth":{"trace_id":"0123456789abcdef0123456789abcdef"}}'],
    ['a time', '{"timestamp":"4111111111111111"}'],
    ['versions of packages', '{"modules":{"next-auth":"4.24.0"}}'],
    ['numbers, and what is nothing', '{"password":1234,"token":null,"secret":"","otp":true}'],
    ['a name', '{"alice@example.com":1}'],
    ['what is no JSON', 'password=hunter2'],
  ])('keeps %s', (_what, json) => {
    expect(scrub(json)).toEqual({ json, found: [] })
  })

  it('reports rule and path, never the secret', () => {
    expect(
      scrub('{"exception":{"values":[{"value":"no"},{"value":"mail a@example.com"}]},"extra":{"token":"t"}}').found,
    ).toEqual(['email exception/values/1/value', 'key extra/token'])
  })

  it('loses its secrets also where the JSON is broken', () => {
    expect(scrub('{"password":"x", oops ]]]]} "m":"a@example.com').json).toBe(
      '{"password":"[Filtered]", oops ]]]]} "m":"[Filtered]',
    )
  })

  it('can be nested a hundred thousand levels deep', () => {
    const deep = (inner: string): string => `${'[{"a":'.repeat(100_000)}${inner}${'}]'.repeat(100_000)}`
    const { json, found } = scrub(deep('{"password":"x"}'))
    expect(json).toBe(deep('{"password":"[Filtered]"}'))
    expect(found).toHaveLength(1)
    expect(scrub(`{"password":${'['.repeat(1000)}"x"`).json).toContain('[Filtered]')
  })

  it.each([254, 255, 256, 257, 300])('loses everything below a secret name, %i levels deep', (levels) => {
    const within = (inner: string): string => `${'{"a":'.repeat(levels)}${inner}${'}'.repeat(levels)}`
    const before = '{"password":{"a":"x","b":[{"c":"x"},"x"]},"n":{"token":"x","m":["kept"]},"o":"kept"}'
    const { json } = scrub(within(before))
    expect(json).toBe(within(before.replaceAll('"x"', '"[Filtered]"')))
  })
})
