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

  it.each([
    ['a duplicate name', '{"token":"a","token":"b"}', '{"token":"[Filtered]","token":"[Filtered]"}'],
    [
      'all that is beneath',
      '{"auth":{"user":"x","n":1,"deep":["y",{"z":"w"}]}}',
      '{"auth":{"user":"[Filtered]","n":1,"deep":["[Filtered]",{"z":"[Filtered]"}]}}',
    ],
    [
      'what is under the name of the folder that a process runs in, and no folder',
      '{"env":{"PWD":"/srv/shop","OLDPWD":"C:\\\\shop","HOME":"h"},"vars":{"PWD":"\'/srv\'","OLDPWD":"hunter2"},"pwd":"/x","db.PWD":"/x"}',
      '{"env":{"PWD":"/srv/shop","OLDPWD":"C:\\\\shop","HOME":"h"},"vars":{"PWD":"\'/srv\'","OLDPWD":"[Filtered]"},"pwd":"[Filtered]","db.PWD":"[Filtered]"}',
    ],
    [
      'the user in the name of such a folder, and all of it beneath a secret',
      '{"PWD":"/home/ada/shop","auth":{"PWD":"/srv"},"OLDPWD":["/srv"]}',
      '{"PWD":"/home/[Filtered]/shop","auth":{"PWD":"[Filtered]"},"OLDPWD":["[Filtered]"]}',
    ],
    [
      'a pair in a list',
      '{"headers":[["Host","h"],["Authorization","a"]]}',
      '{"headers":[["Host","h"],["Authorization","[Filtered]"]]}',
    ],
    [
      'a pair by name',
      '{"tags":[{"key":"api_key","value":"a"},{"key":"b","value":"c"}]}',
      '{"tags":[{"key":"api_key","value":"[Filtered]"},{"key":"b","value":"c"}]}',
    ],
    [
      'an attribute, and not its type',
      '{"attributes":{"user.token":{"value":"x","type":"string"},"a":{"value":"b","type":"string"}}}',
      '{"attributes":{"user.token":{"value":"[Filtered]","type":"string"},"a":{"value":"b","type":"string"}}}',
    ],
    [
      'a list in an attribute',
      '{"attributes":{"auth":{"type":"array","value":["x"]}}}',
      '{"attributes":{"auth":{"type":"array","value":["[Filtered]"]}}}',
    ],
    [
      'what stands behind an option in a list',
      '{"sys.argv":["x","--password","y","-v"],"a":["--token-file","y"]}',
      '{"sys.argv":["x","--password","[Filtered]","-v"],"a":["--token-file","y"]}',
    ],
    [
      'a cookie by name',
      '{"cookies":{"theme":"dark","sessionid":"x"}}',
      '{"cookies":{"theme":"dark","sessionid":"[Filtered]"}}',
    ],
    [
      'a cookie of a header',
      '{"headers":{"Cookie":"theme=dark; sid=x; a=b"}}',
      '{"headers":{"Cookie":"theme=dark; sid=[Filtered]; a=b"}}',
    ],
    [
      'a cookie of headers that were joined',
      '{"headers":{"Set-Cookie":"theme=dark; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/, session=abc; Path=/, a=b"}}',
      '{"headers":{"Set-Cookie":"theme=dark; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/, session=[Filtered]; Path=/, a=b"}}',
    ],
    [
      'a cookie of joined headers, and keeps the next',
      '{"headers":{"Set-Cookie":"sid=a,b, theme=dark, lang=de,sid=c"}}',
      '{"headers":{"Set-Cookie":"sid=[Filtered], theme=dark, lang=de,sid=[Filtered]"}}',
    ],
    [
      'a cookie of a header that is an attribute',
      '{"attributes":{"http.request.header.cookie":{"type":"string","value":"session=x; theme=dark"}}}',
      '{"attributes":{"http.request.header.cookie":{"type":"string","value":"session=[Filtered]; theme=dark"}}}',
    ],
    [
      'cookies of a list that is an attribute',
      '{"attributes":{"http.response.header.set_cookie":{"value":["sid=x; Path=/","a=b"],"type":"array"}}}',
      '{"attributes":{"http.response.header.set_cookie":{"value":["sid=[Filtered]; Path=/","a=b"],"type":"array"}}}',
    ],
    [
      'a cookie of a list of pairs',
      '{"cookies":[["theme","dark"],["sid","x"]]}',
      '{"cookies":[["theme","dark"],["sid","[Filtered]"]]}',
    ],
    [
      'a cookie that is an attribute',
      '{"attributes":{"http.request.header.cookie.connect.sid":{"value":"x","type":"string"}}}',
      '{"attributes":{"http.request.header.cookie.connect.sid":{"value":"[Filtered]","type":"string"}}}',
    ],
    [
      'an address',
      '{"user":{"ip_address":"203.0.113.7"},"sdk":{"client_ip":"2001:db8::1"},"request":{"env":{"REMOTE_ADDR":"10.1.2.3"}}}',
      '{"user":{"ip_address":"[ip]"},"sdk":{"client_ip":"[ip]"},"request":{"env":{"REMOTE_ADDR":"[ip]"}}}',
    ],
    [
      'addresses of proxies',
      '{"headers":{"X-Forwarded-For":"203.0.113.7, 10.0.0.1"}}',
      '{"headers":{"X-Forwarded-For":"[ip]"}}',
    ],
    [
      'an address by any name',
      '{"clientIp":"203.0.113.7","ip":"10.0.0.1","ip_address":"a@example.com"}',
      '{"clientIp":"[ip]","ip":"[ip]","ip_address":"[Filtered]"}',
    ],
    ['what is secret behind a byte order mark', '\ufeff{"token":"x"}', '\ufeff{"token":"[Filtered]"}'],
  ])('loses %s', (_what, before, after) => {
    expect(scrub(before).json).toBe(after)
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
