import { expect, it } from 'vitest'
import { comparedMessage, MOST_PARAMETERISED_CHARACTERS, parameterise } from '../../../lib/grouping/parameterise'

it.each([
  ['mail to anna.b+c@example.co.uk bounced', 'mail to <email> bounced'],
  ['GET https://shop.test/cart/7?x=1 failed.', 'GET <url> failed.'],
  ['wss://a.b/c, ftp://d.e/f', '<url>, <url>'],
  ['getaddrinfo ENOTFOUND db.example.com', 'getaddrinfo ENOTFOUND <hostname>'],
  ['DB.EXAMPLE.COM and Mixed.Example.Com', '<hostname> and Mixed.Example.Com'],
  ['x.is is not a function, window.app is undefined', 'x.is is not a function, window.app is undefined'],
  ['response.data.net() failed', 'response.data.net() failed'],
  ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED <ip>:<int>'],
  ['connect to ::1 and fe80::1ff:fe23:4567:890a', 'connect to <ip> and <ip>'],
  ['Foo::bar and Class::method', 'Foo::bar and Class::method'],
  ['00:1B:44:11:3a:b7 is gone', '<mac> is gone'],
  ['trace 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'trace <traceparent>'],
  ['trace 1-67891233-abcdef012345678912345678', 'trace <traceparent>'],
  ['order 7c1811ed-e98f-4c9c-a9f9-58c757ff494f', 'order <uuid>'],
  ['commit 5fc35719b9cf96ec602dbc748ff31c587a46961d', 'commit <sha1>'],
  ['etag 0751007cd28df267e8e051b51f918c60', 'etag <md5>'],
  ['at 2026-11-20T10:00:00.123Z', 'at <date>'],
  ['at 2026-11-20 10:00:00+01:00 again', 'at <date> again'],
  ['on 2026-11-20', 'on <date>'],
  ['Mon, 02 Jan 2006 15:04:05 GMT', '<date>'],
  ['Fri Nov 20 2026 10:00:00 GMT+0100 (Central European Standard Time)', '<date>'],
  ['at 10:15 or 11:20:30 PM', 'at <date> or <date>'],
  ['datetime.datetime(2026, 1, 2, 3, 4) is naive', '<date> is naive'],
  ['took 12ms, limit 1.5s', 'took <duration>, limit <duration>'],
  ['at 0xdeadbeef', 'at <hex>'],
  ['key a1b2 and A1B2C3', 'key <hex> and <hex>'],
  ['face dead beef fade', 'face dead beef fade'],
  ['mixed case 1aB2', 'mixed case 1aB2'],
  ['revision 3f2a9c1 is old', 'revision <git_sha> is old'],
  ['1234567 and 12345678', '<int> and <hex>'],
  ['ratio 0.25 of -3', 'ratio <float> of <int>'],
  ['item-3 in list1', 'item-<int> in list1'],
  [`name='Anna B' kind="x" 'kept'`, `name=<quoted_str> kind=<quoted_str> 'kept'`],
  ['ok=true and true', 'ok=<bool> and true'],
  ['nothing to replace here', 'nothing to replace here'],
])('parameterise replaces each kind of parameter: %s', (text, expected) => {
  expect(parameterise(text)).toBe(expected)
})

it('leaves texts of more than 8192 characters as they are', () => {
  expect(parameterise('7 '.repeat(MOST_PARAMETERISED_CHARACTERS / 2))).toMatch(/^<int> <int> /)
  const long = '7 '.repeat(MOST_PARAMETERISED_CHARACTERS)
  expect(parameterise(long)).toBe(long)
})

it.each(['a', '1', '1.', 'a@', '::', 'http://', '=', "='", 'a.', '10:', 'Mon, ', 'a-', 'ab1 ', '-'])(
  'takes milliseconds, not seconds, for 8192 characters of %j',
  (piece) => {
    const text = piece.repeat(MOST_PARAMETERISED_CHARACTERS / piece.length)
    parameterise(text)
    const before = performance.now()
    for (let run = 0; run < 5; run += 1) parameterise(text)
    expect((performance.now() - before) / 5).toBeLessThan(100)
  },
)

it('compares the first two lines that are not empty', () => {
  expect(comparedMessage('\nfirst 1\r\n\r\nsecond 2')).toBe('first <int>\nsecond <int>')
  expect(comparedMessage('first\nsecond\nthird')).toBe('first\nsecond...')
  expect(comparedMessage('')).toBe('')
})
