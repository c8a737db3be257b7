import { expect, it } from 'vitest'
import { scrubPayload } from '../../../lib/scrub/payload'
import { seededRandom } from '../protocol/seeded-random'

type Random = () => number

const NAMES = ['a', 'message', 'password', 'items', 'é', 'q"\\', '', 'attributes', 'value', 'trace_id', '😀']
const TEXTS = ['', 'plain', 'a@example.com', 'é\u0000"\\/', '\ud800', '0123456789abcdef', '😀 ?token=x', '[Filtered]']
const BARE = ['0', '-1.50e+2', '9007199254740993', 'true', 'null']

const pick = (random: Random, list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? ''
const space = (random: Random): string => pick(random, ['', '', ' ', '\n\t'])

/** JSON with more characters escaped than needed. */
function token(random: Random, text: string): string {
  const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  const signs = text.split('').map((sign) => (random() < 0.2 ? escaped(sign) : sign))
  return random() < 0.5 && /^[ -!#-[\]-~]*$/.test(text) ? `"${signs.join('')}"` : JSON.stringify(text)
}

function anyJson(random: Random, depth: number): string {
  const kind = random()
  if (depth === 0 || kind < 0.2) return pick(random, BARE)
  if (kind < 0.5) return token(random, pick(random, TEXTS))
  const many = Math.floor(random() * 4)
  const list = Array.from({ length: many }, () => {
    const value = `${space(random)}${anyJson(random, depth - 1)}${space(random)}`
    return kind < 0.7 ? value : `${space(random)}${token(random, pick(random, NAMES))}${space(random)}:${value}`
  })
  return kind < 0.7 ? `[${list.join(',')}]` : `{${list.join(',')}}`
}

const STRING = /("(?:[^"\\]|\\[\s\S])*")(\s*:)?/g
/** The JSON with each string replaced by a mark, and names kept. */
const skeleton = (json: string): string =>
  json.replace(STRING, (whole, _text: string, colon: string | undefined) => (colon === undefined ? '…' : whole))
const textsOf = (json: string): readonly string[] =>
  [...json.matchAll(STRING)].flatMap(([, text = '', colon]) => (colon === undefined ? [text] : []))

it('any JSON keeps all bytes around its strings, and all strings without secrets', () => {
  const random = seededRandom(20_261_121)
  let changed = 0
  for (let round = 0; round < 3000; round += 1) {
    const before = `[${anyJson(random, 6)}]`
    const found: string[] = []
    const after = Buffer.from(scrubPayload(Buffer.from(before), (rule) => found.push(rule))).toString()
    expect(skeleton(after)).toBe(skeleton(before))
    expect(() => JSON.parse(after)).not.toThrow()
    const now = textsOf(after)
    const differing = textsOf(before).filter((text, index) => text !== now[index])
    expect(differing.length).toBe(found.length)
    for (const text of now) expect(JSON.parse(text)).not.toMatch(/a@example\.com|token=x/)
    changed += differing.length
  }
  expect(changed).toBeGreaterThan(500)
})
