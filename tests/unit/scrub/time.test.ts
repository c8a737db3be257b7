import { describe, expect, it } from 'vitest'
import { looksSecret } from '../../../lib/scrub/looks-secret'
import { scrubPayload } from '../../../lib/scrub/payload'
import { scrubText } from '../../../lib/scrub/scrub-text'
import { isSecretName } from '../../../lib/scrub/secret-names'

const KIB = 1024
/** Long enough to tell linear from quadratic time, short enough for a hundred cases. */
const LONG = 128 * KIB

/** The worst input for each pattern: false starts, and runs that a pattern could scan repeatedly. */
const WORST: readonly (readonly [string, string])[] = [
  ['-----BEGIN PRIVATE KEY-----', '-----BEGIN RSA '],
  ['unclosed PEM blocks', '-----BEGIN PRIVATE KEY-----'],
  ['//user without a password', '//a:'],
  ['slashes', '/'],
  ['passwords without a host', '//a:b'],
  ['names without a value', 'token'],
  ['names and equals signs', 'token='],
  ['names with a hyphen', 'token-'],
  ['names in brackets', '[token]'],
  ['keys without a word before them', 'key:'],
  ['words before a key', 'api key: '],
  ['filtered values', 'password=[Filtered]'],
  ['filtered values in quotes', 'password="[Filtered]'],
  ['lists', 'token=['],
  ['nested lists', '"token":[['],
  ['unclosed lists of strings', 'token=["\\"'],
  ['unclosed brackets', 'token=({'],
  ['apostrophes in brackets', "token=(' "],
  ['encoded names', 'token%3D'],
  ['encoded names without a value', 'token%3D%26'],
  ['encoded quotes', 'token%22%3A%22%5C%22'],
  ['encoded filtered values', 'token%3D[Filtered]'],
  ['encoded names that are no secret names', 'a%3D'],
  ['encoded spaces', 'basic%20aaaa'],
  ['card numbers', '4111111111111111 '],
  ['card numbers with a wrong check digit', '4111 1111 1111 1112 '],
  ['unclosed quoted values', 'token="'],
  ['escaped quotes', 'token=\\"\\\\'],
  ['percent signs', 'token%'],
  ['bearer', 'bearer '],
  ['spaces', ' '],
  ['basic', 'basic aaaa'],
  ['starts of JWTs', 'eyJ-'],
  ['JWTs of two parts', 'eyJaaaa.'],
  ['JWTs', 'eyJaaaaaa.a.a '],
  ['digits', '4'],
  ['digits and hyphens', '4-'],
  ['digits and spaces', '4 '],
  ['social security numbers that are one digit short', '078-05-112'],
  ['starts of bank accounts', 'DE89 '],
  ['bank accounts', 'DE893704004405320130'],
  ['at signs', '@'],
  ['addresses without a domain', 'a@'],
  ['addresses with dots', 'a@b.'],
  ['file names after an at sign', 'a@b.js.min.'],
  ['scopes in encoded paths', '%2F%40b.js'],
  ['escaped at signs', 'a%40'],
  ['characters of a local part', 'a.'],
  ['folders', '/home/'],
  ['folders with spaces', 'C:\\Users\\a a a a '],
  ['colons', ':'],
  ['cookies', 'sid=;'],
  ['options', '--token '],
  ['options with a value', '--token x '],
  ['options followed by prose', '--token is '],
  ['options with a filtered value', '--token [Filtered] '],
  ['options in a list', '"--token","'],
  ['options with a value in brackets', '--token ('],
  ['hyphens', '-'],
  ['hyphens and letters', '-a'],
  ['starts of keys', 'ghp_'],
  ['starts of longer keys', 'github_pat_'],
  ['incomplete keys', 'xoxb-1 '],
  ['incomplete keys of twenty characters', 'AKIA'],
  ['users of URLs', '://a1'],
  ['users of URLs without a host', '://a1aaaaaaaaaaaaaaaaaaaaaaa '],
  ['a user of an unclosed URL', '1a'],
  ['literals', '"token=x" '],
  ['literals and commas', 'f("token", '],
  ['literals after long names', `${'a'.repeat(150)}""`],
  ['literals after spaces', ' '.repeat(9).concat('a:""')],
  ['literals after hyphens', '-""'],
  ['lists of literals', 'token=["a","a"'],
  ['pairs of literals', '[["a","a"],'],
  ['apostrophes in prose', " '\\'"],
  ['nested literals', '\'"`'],
  ['interpolations', '"token={'],
  ['interpolations of spaces', '"token=basic \t\t'],
  ['names with a closing bracket', 'token"]'],
  ['commands with a user', 'curl a -u a:'],
  ['logins', 'login -p '],
  ['passwords of SQL', "PASSWORD '"],
  ['stated passwords', 'password is a '],
  ['tokens and words', 'token aaaaaaaaaaaaaaaaaaaaaaaa '],
  ['elements', '<password>'],
  ['pairs of a secret', '["token","'],
  ['values after a password', 'password value='],
  ['session cookies', 'session=a1B2'],
  ['names of session cookies', '.session'],
  ['users of a Go address', 'a:aaaa'],
  ['keys of a query', '?key=%'],
  ['starts of keys of models', 'sk-proj-'],
  ['keys of models', 'sk-aaaaaaaa'],
  ['letters', 'a'],
  ['capitals', 'A'],
  ['keys with a percent sign', '%key: '],
  ['names and backslashes', `token${'\\'.repeat(70)}`],
  ['full-width colons', '密码：'],
  ['columns of SQL', 'INSERT INTO a (password'],
  ['rows of SQL', 'INSERT INTO a (password) VALUES ('],
  ['unclosed literals of SQL', "INSERT INTO a (password) VALUES ('"],
  ['encoded letters', '%41'],
  ['encoded percent signs', '%25'],
  ['encoded letters and separators', '%41&'],
  ['broken encodings', '%e4%'],
  ['base64', 'cGFzc3dvcmQ9YWJj'],
  ['base64 with separators', 'cGFzc3dvcmQ9YWJjZA== '],
  ['base64 of 4 KiB', `${'cGFzc3dvcmQ9YWJj'.repeat(256)} `],
  ['parts of a form', 'name="password"\n\n'],
  ['headers of a part of a form', 'name="a"\na:'],
  ['words of a phrase', 'mnemonic abc abc '],
  ['starts of phrases', 'seed'],
  ['words', 'abc '],
  ['commands of LDAP', 'ldapsearch -w '],
  ['commands of SMTP', 'AUTH PLAIN '],
  ['commands of FTP', '\nPASS '],
  ['lines of .netrc', 'login a password '],
  ['responses of Digest', 'response="0'],
  ['codes of a query', '&code='],
  ['reset links', '/reset/'],
  ['reset links with a query', '/reset?t='],
  ['reset links with many parameters', '/reset?t=a&'],
  ['numbers after pin', 'pin=1234'],
  ['stated codes', 'reset code is '],
  ['elements with attributes', '<password a="'],
  ['selectors', 'password[name='],
  ['starts of tokens of Discord', 'MTaaaaaaaaaaaaaaaaaaaaaaa.'],
  ['starts of tokens of Vault', 's.a'],
  ['starts of tokens of Facebook', 'EAA'],
  ['webhooks', 'webhook.office.com/webhookb2/'],
]

/** CPU time in ms. Measures again when it is `most` or more, because the machine is shared. */
function timeOf(work: () => void, most: number): number {
  const measure = (): number => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  const first = measure()
  return first < most ? first : Math.min(first, measure())
}

const MOST_GROWTH = 24

/**
 * Expects time in proportion to the length: 128 KiB take 8 times as long as an eighth of it, in quadratic time 64 times.
 * Times below 10 ms count as 10 ms: they are too short to compare.
 */
function expectLinear(workOn: (bytes: number) => () => void): void {
  const ofAnEighth = timeOf(workOn(LONG / 8), 10)
  expect(ofAnEighth).toBeLessThan(1000)
  const most = MOST_GROWTH * Math.max(ofAnEighth, 10)
  expect(timeOf(workOn(LONG), most)).toBeLessThan(most)
}

const repeated = (piece: string, bytes: number): string => piece.repeat(Math.ceil(bytes / piece.length))

describe('scrubText', () => {
  const workOn = (piece: string) => (bytes: number) => {
    const text = `token sig @ :// = : ${repeated(piece, bytes)}`
    return () => {
      scrubText(text, 'plain', () => undefined)
      scrubText(text, 'source', () => undefined)
      scrubText(text, 'plain', () => undefined, looksSecret)
    }
  }

  it.each(WORST)(
    'takes linear time for %s',
    (_name, piece) => {
      expectLinear(workOn(piece))
    },
    60_000,
  )
})

it.each([
  ['brackets', '['],
  ['backslashes', '"\\\\'],
  ['escaped quotes', '""'],
  ['quotes', '"'],
  ['short names', '{"token":'],
  ['e-mail addresses', '"a@example.com",'],
  ['cookies', '{"cookie":"sid=a;'],
  ['addresses', '{"ip_address":"1.2.3.4'],
  ['peers', '{"data":{"net.peer.ip":"1.2.3.4","sentry.op":"http.client"}},'],
  ['nested peers', '{"op":"http.client","data":{"net.peer.ip":"1.2.3.4","spans":['],
])(
  'scrubPayload takes linear time for %s',
  (_name, piece) => {
    const workOn = (bytes: number) => {
      const payload = Buffer.from(`[${repeated(piece, bytes)}`)
      return () => scrubPayload(payload, () => undefined)
    }
    expectLinear(workOn)
  },
  60_000,
)

it.each(['sid=; a=', 'sid=a, ', 'sid=a, b', 'a, b', 'sid=[Filtered]', ',sid=a'])(
  'scrubPayload takes linear time for cookies like %j',
  (piece) => {
    const workOn = (bytes: number) => {
      const payload = Buffer.from(JSON.stringify({ cookie: repeated(piece, bytes) }))
      return () => scrubPayload(payload, () => undefined)
    }
    expectLinear(workOn)
  },
  60_000,
)

it.each([
  ['texts', '["",""', '"",'],
  ['lists of texts', '[[""]', ',[""]'],
  ['attributes', '{"attributes":{"a":{}', ',"a":[""]'],
  ['texts at great depth', '['.repeat(300), '"",'],
])(
  'scrubPayload takes less than a second for %s under a name that is too long for the cache',
  (_what, begin, piece) => {
    const name = 'aB_'.repeat(100)
    const payload = Buffer.from(`{"${name}":${begin}${repeated(piece, KIB * KIB)}`)
    expect(timeOf(() => scrubPayload(payload, () => undefined), 1000)).toBeLessThan(1000)
  },
  60_000,
)

it.each(['A', 'aA', '_', 'key_'])('isSecretName takes less than 100 ms for a MiB of %j', (piece) => {
  expect(timeOf(() => isSecretName(repeated(piece, KIB * KIB)), 100)).toBeLessThan(100)
})
