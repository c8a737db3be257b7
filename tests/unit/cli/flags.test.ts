import { describe, expect, it } from 'vitest'
import { readFlags, readSeconds } from '../../../collector/cli/flags'

const TABLE = { '--url': 'an address', '--json': null, '--no-check': null } as const

function read(line: string) {
  const read = readFlags(line.split(' '), { table: TABLE })
  if (!read.ok) return read.error
  const { help, value, has, words } = read.value
  return { help, url: value('--url'), json: has('--json'), words }
}

describe('flags of a command', () => {
  it.each([
    ['error --json a=b', { help: false, url: null, json: true, words: ['error', 'a=b'] }],
    ['--url http://a/?b=c x', { help: false, url: 'http://a/?b=c', json: false, words: ['x'] }],
    ['--url=http://a/?b=c x', { help: false, url: 'http://a/?b=c', json: false, words: ['x'] }],
    ['a -- --json', { help: false, url: null, json: false, words: ['a', '--json'] }],
    ['a --json -h --nonsense', { help: true, url: null, json: true, words: ['a'] }],
  ])('%s is understood', (line, typed) => {
    expect(read(line)).toEqual(typed)
  })

  it.each([
    ['--ulr x', 'There is no flag --ulr: did you mean --url?'],
    ['-j', 'There is no flag -j: known are --url, --json, --no-check, --help'],
    ['--chek', 'There is no flag --chek: did you mean --no-check?'],
    ['--no-json', 'There is no flag --no-json: did you mean --json?'],
    ['--json=yes', '--json takes no value.'],
    ['--url', '--url wants an address behind it.'],
    ['--url=', '--url wants an address behind it.'],
    ['--json --json', '--json stands there twice: which of them is meant?'],
    ['--__proto__ x', 'There is no flag --__proto__: known are --url, --json, --no-check, --help'],
  ])('%s is refused with what was meant', (line, sentence) => {
    expect(read(line)).toBe(sentence)
  })

  it('reads seconds as whole ms, up to the most that there may be', () => {
    expect(['0', '0.25', '60', '61', '-1', '', ' ', 'x', '1e99'].map((text) => readSeconds(text, 60))).toEqual([
      0,
      250,
      60_000,
      ...Array.from({ length: 6 }, () => null),
    ])
  })
})
