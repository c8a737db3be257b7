import { describe, expect, it } from 'vitest'
import { scrubPayload } from '../../../lib/scrub/payload'
import { scrubText } from '../../../lib/scrub/scrub-text'
import { isSecretName } from '../../../lib/scrub/secret-names'

const MIB = 1024 * 1024

/** The worst input for each pattern: false starts, and runs that could be scanned repeatedly. */
const WORST: readonly (readonly [string, string])[] = [
  ['-----BEGIN PRIVATE KEY-----', '-----BEGIN RSA '],
  ['PEM blocks without an end', '-----BEGIN PRIVATE KEY-----'],
  ['//user without a password', '//a:'],
  ['slashes', '/'],
  ['passwords without a host', '//a:b'],
  ['names without a value', 'token'],
  ['names and equals signs', 'token='],
  ['names with a hyphen', 'token-'],
  ['names in brackets', '[token]'],
  ['keys without a word before them', 'key:'],
  ['words before a key', 'api key: '],
  ['what was removed already', 'password=[Filtered]'],
  ['what was removed already, in quotes', 'password="[Filtered]'],
  ['lists', 'token=['],
  ['lists in one another', '"token":[['],
  ['lists of texts without an end', 'token=["\\"'],
  ['brackets without a counterpart', 'token=({'],
  ['apostrophes in brackets', "token=(' "],
  ['encoded names', 'token%3D'],
  ['encoded names without a value', 'token%3D%26'],
  ['encoded quotes', 'token%22%3A%22%5C%22'],
  ['encoded removed', 'token%3D[Filtered]'],
  ['encoded names of nothing', 'a%3D'],
  ['encoded blanks', 'basic%20aaaa'],
  ['cards before numbers', '4111111111111111 '],
  ['cards, nearly, before numbers', '4111 1111 1111 1112 '],
  ['quoted values without an end', 'token="'],
  ['quotes behind backslashes', 'token=\\"\\\\'],
  ['percent signs', 'token%'],
  ['bearer', 'bearer '],
  ['blanks', ' '],
  ['basic', 'basic aaaa'],
  ['the beginning of a JWT', 'eyJ-'],
  ['a JWT of two parts', 'eyJaaaa.'],
  ['JWTs', 'eyJaaaaaa.a.a '],
  ['digits', '4'],
  ['digits and hyphens', '4-'],
  ['digits and blanks', '4 '],
  ['social security numbers, nearly', '078-05-112'],
  ['bank accounts, nearly', 'DE89 '],
  ['bank accounts', 'DE893704004405320130'],
  ['at signs', '@'],
  ['addresses without a domain', 'a@'],
  ['addresses with dots', 'a@b.'],
  ['names of files behind an at sign', 'a@b.js.min.'],
  ['scopes in encoded paths', '%2F%40b.js'],
  ['escaped at signs', 'a%40'],
  ['signs of a local part', 'a.'],
  ['folders', '/home/'],
  ['folders with blanks', 'C:\\Users\\a a a a '],
  ['colons', ':'],
  ['cookies', 'sid=;'],
  ['options', '--token '],
  ['options with a value', '--token x '],
  ['options of prose', '--token is '],
  ['options that were removed already', '--token [Filtered] '],
  ['options in a list', '"--token","'],
  ['options whose value is in brackets', '--token ('],
  ['hyphens', '-'],
  ['hyphens and letters', '-a'],
  ['beginnings of keys', 'ghp_'],
  ['beginnings of longer keys', 'github_pat_'],
  ['keys, nearly', 'xoxb-1 '],
  ['keys of twenty signs, nearly', 'AKIA'],
  ['users of addresses', '://a1'],
  ['users of addresses without a host', '://a1aaaaaaaaaaaaaaaaaaaaaaa '],
  ['a user of an address without an end', '1a'],
  ['literals', '"token=x" '],
  ['literals and commas', 'f("token", '],
  ['literals behind long names', `${'a'.repeat(150)}""`],
  ['literals behind blanks', ' '.repeat(9).concat('a:""')],
  ['literals behind hyphens', '-""'],
  ['lists of literals', 'token=["a","a"'],
  ['pairs of literals', '[["a","a"],'],
  ['apostrophes of prose', " '\\'"],
  ['literals within others', '\'"`'],
  ['interpolations', '"token={'],
  ['interpolations of blanks', '"token=basic \t\t'],
  ['names in brackets that end', 'token"]'],
  ['letters', 'a'],
  ['capitals', 'A'],
]

/** CPU time in ms, the fastest of several runs, because the machine is shared. */
function fastest(work: () => void): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 2; round += 1) {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}

/**
 * The time for a MiB divided by the time for an eighth of it: 8 for linear, 64 for quadratic time. Very short times are
 * rounded up, which hides no quadratic time: that takes minutes for a MiB.
 */
function growth(workOn: (bytes: number) => () => void): number {
  const ofAnEighth = fastest(workOn(MIB / 8))
  expect(ofAnEighth).toBeLessThan(1000)
  return fastest(workOn(MIB)) / Math.max(ofAnEighth, 10)
}
const MOST_GROWTH = 24

const repeated = (piece: string, bytes: number): string => piece.repeat(Math.ceil(bytes / piece.length))

describe('a text of a MiB', () => {
  const workOn = (piece: string) => (bytes: number) => {
    const text = `token sig @ :// = : ${repeated(piece, bytes)}`
    return () => {
      scrubText(text, 'plain', () => undefined)
      scrubText(text, 'source', () => undefined)
    }
  }

  it.each(WORST)(
    'of %s is looked at in time that grows as it does',
    (_name, piece) => {
      expect(growth(workOn(piece))).toBeLessThan(MOST_GROWTH)
    },
    60_000,
  )
})

describe('a payload of a MiB', () => {
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
    ['peers in one another', '{"op":"http.client","data":{"net.peer.ip":"1.2.3.4","spans":['],
  ])(
    'of %s is walked in time that grows as it does',
    (_name, piece) => {
      const workOn = (bytes: number) => {
        const payload = Buffer.from(`[${repeated(piece, bytes)}`)
        return () => scrubPayload(payload, () => undefined)
      }
      expect(growth(workOn)).toBeLessThan(MOST_GROWTH)
    },
    60_000,
  )

  it.each(['sid=; a=', 'sid=a, ', 'sid=a, b', 'a, b', 'sid=[Filtered]', ',sid=a'])(
    'of cookies like %j is looked at in time that grows as it does',
    (piece) => {
      const workOn = (bytes: number) => {
        const payload = Buffer.from(JSON.stringify({ cookie: repeated(piece, bytes) }))
        return () => scrubPayload(payload, () => undefined)
      }
      expect(growth(workOn)).toBeLessThan(MOST_GROWTH)
    },
    60_000,
  )

  it.each([
    ['texts', '["",""', '"",'],
    ['lists of texts', '[[""]', ',[""]'],
    ['attributes', '{"attributes":{"a":{}', ',"a":[""]'],
    ['texts at great depth', '['.repeat(300), '"",'],
  ])(
    'of %s under a name that is too long to be remembered takes less than a second',
    (_what, begin, piece) => {
      const name = 'aB_'.repeat(100)
      const payload = Buffer.from(`{"${name}":${begin}${repeated(piece, MIB)}`)
      expect(fastest(() => scrubPayload(payload, () => undefined))).toBeLessThan(1000)
    },
    60_000,
  )
})

describe('a name of a MiB', () => {
  it.each(['A', 'aA', '_', 'key_'])('that repeats %j is judged quickly', (piece) => {
    expect(fastest(() => isSecretName(repeated(piece, MIB)))).toBeLessThan(100)
  })
})
