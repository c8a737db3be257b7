import { describe, expect, it } from 'vitest'
import { scrubPayload } from '../../../lib/scrub/payload'
import { scrubText } from '../../../lib/scrub/scrub-text'
import { harmlessLines } from './planted-harmless'
import { SECRET_NAMES, valueFor } from './planted-names'
import { CONTAINERS, PLACES, remains } from './planted-places'
import { SHAPES } from './planted-shapes'
import { Values } from './planted-values'

type Half = 'tuning' | 'frozen'

interface Counted {
  readonly planted: number
  /** Positions of the secrets that remain, for the tuning half only. */
  readonly known: readonly string[]
  readonly left: number
}

const scrubbed = (payload: unknown): string =>
  Buffer.from(scrubPayload(Buffer.from(JSON.stringify(payload)), () => undefined)).toString()

function count(half: Half, plants: Iterable<readonly [Half, string, string, unknown]>): Counted {
  let [planted, left] = [0, 0]
  const known: string[] = []
  for (const [of, where, secret, payload] of plants) {
    if (of !== half) continue
    planted += 1
    // A place that loses its secret by itself proves nothing.
    if (!remains(secret, JSON.stringify(payload))) expect.fail(`${where} does not contain its secret`)
    if (!remains(secret, scrubbed(payload))) continue
    left += 1
    if (half === 'tuning') known.push(where)
  }
  return { planted, known, left }
}

function* inTexts(): Generator<readonly [Half, string, string, unknown]> {
  const values = new Values(18)
  for (const { name, half, plant } of SHAPES) {
    for (const [place, put] of Object.entries(PLACES)) {
      const { text, secret } = plant(values)
      yield [half, `${name} in ${place}`, secret, put(text)]
    }
  }
}

function* inFields(): Generator<readonly [Half, string, string, unknown]> {
  const values = new Values(81)
  const containers = Object.entries(CONTAINERS)
  for (const [index, name] of SECRET_NAMES.entries()) {
    const [container, put] = containers[(index >> 1) % containers.length] ?? ['', () => null]
    const secret = valueFor(name, values)
    yield [index % 2 === 0 ? 'tuning' : 'frozen', `${name} in ${container}`, secret, put(name, secret)]
  }
}

/** Most lines appear as the message of a log, so this is the position to judge. */
function touched(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => scrubText(line, 'plain', () => undefined) !== line)
}

describe.each(['tuning', 'frozen'] as const)('of the secrets in the %s half', (half) => {
  it('at most 3 % of planted secrets remain in texts', () => {
    const { planted, known, left } = count(half, inTexts())
    expect(planted).toBeGreaterThan(600)
    expect(left / planted, `${left} of ${planted} remain\n${known.join('\n')}`).toBeLessThanOrEqual(0.03)
  })

  it('at most 10 % of planted secrets remain in structured fields', () => {
    const { planted, known, left } = count(half, inFields())
    expect(planted).toBeGreaterThan(120)
    expect(left / planted, `${left} of ${planted} remain\n${known.join('\n')}`).toBeLessThanOrEqual(0.1)
  })
})

it('touches less than 0.3 % of harmless lines', () => {
  const lines = harmlessLines(1, 50)
  expect(lines.length).toBeGreaterThan(4000)
  const changed = touched(lines)
  expect(changed.length / lines.length, `${changed.length} of ${lines.length}\n${changed.join('\n')}`).toBeLessThan(
    0.003,
  )
})

it('keeps counts of tokens, also as texts', () => {
  const payload = { extra: { max_tokens: '0', total_tokens: '12', 'gen_ai.usage.input_tokens': '4096' } }
  expect(scrubbed(payload)).toBe(JSON.stringify(payload))
  expect(touched(['max_tokens: 0', 'total_tokens=12', '{"prompt_tokens":12}'])).toEqual([])
})
