import { plainText } from '../../format'

/**
 * One step of a pattern for `toHaveSpanTree`:
 *
 *     pattern = step { ( ">" | ">>" ) step }
 *     step    = op [ name ]
 *
 * `>` matches a child, `>>` a descendant. Children of the segment that answers a request also count as children of the
 * request. The op is one word; the name is the rest of the step, in quotes if it contains `>` (`"a \"quoted\" > b"`).
 * `*` matches any text, `\*` in a name a literal star. Without a name any name matches; a request also matches by method
 * and path. The first step may be anywhere in the trace.
 */
export interface PatternStep {
  /** The relation to the previous step; without meaning for the first. */
  readonly below: 'child' | 'any'
  readonly text: string
  readonly op: (op: string) => boolean
  /** `null` matches any name. */
  readonly name: ((name: string) => boolean) | null
}

const MOST_STEPS = 50
const EXAMPLE = "write it as in 'pageload > http.client GET /api/cart > db*'"

/** @throws TypeError that shows the position of the mistake. */
export function parseSpanPattern(pattern: unknown): readonly PatternStep[] {
  if (typeof pattern !== 'string')
    throw new TypeError(`the span tree must be a text, got ${typeof pattern}; ${EXAMPLE}`)
  const steps: PatternStep[] = []
  let below: PatternStep['below'] = 'child'
  let at = skipBlanks(pattern, 0)
  if (at === pattern.length) throw wrong(pattern, 0, `the span tree must not be empty; ${EXAMPLE}`)
  for (;;) {
    const { step, next } = readStep(pattern, at, below)
    steps.push(step)
    if (steps.length > MOST_STEPS) throw wrong(pattern, at, `a span tree must have at most ${MOST_STEPS} steps`)
    if (next === pattern.length) return steps
    if (pattern[next - 1] === '-') throw wrong(pattern, next - 1, 'write > without a - for a child')
    const arrow = pattern.startsWith('>>', next) ? 2 : 1
    below = arrow === 2 ? 'any' : 'child'
    at = skipBlanks(pattern, next + arrow)
  }
}

function readStep(pattern: string, from: number, below: PatternStep['below']): { step: PatternStep; next: number } {
  if (from === pattern.length)
    throw wrong(pattern, from, 'a step is missing at the end; write an op such as http.client, or remove the arrow')
  if (pattern[from] === '>') throw wrong(pattern, from, 'a step is missing here; write an op such as http.client')
  if (pattern[from] === '"')
    throw wrong(pattern, from, 'a step must start with an op; write * before the name to match any op')
  let opEnd = from
  while (opEnd < pattern.length && !/[\s>]/.test(pattern[opEnd] ?? '')) opEnd += 1
  const op = pattern.slice(from, opEnd)
  const nameAt = skipBlanks(pattern, opEnd)
  const { name, next } = pattern[nameAt] === '"' ? readQuoted(pattern, nameAt) : readBare(pattern, nameAt)
  const step = {
    below,
    text: pattern.slice(from, next).trim(),
    op: wildcard(op),
    name: name === null ? null : wildcard(name),
  }
  return { step, next }
}

function readBare(pattern: string, from: number): { name: string | null; next: number } {
  const arrow = pattern.indexOf('>', from)
  const next = arrow === -1 ? pattern.length : arrow
  const name = pattern.slice(from, next).trim()
  return { name: name === '' ? null : name, next }
}

function readQuoted(pattern: string, from: number): { name: string; next: number } {
  let name = ''
  for (let at = from + 1; at < pattern.length; at += 1) {
    if (pattern[at] === '"') {
      const next = skipBlanks(pattern, at + 1)
      if (next < pattern.length && pattern[next] !== '>')
        throw wrong(pattern, next, 'expected >, >> or the end after the name')
      return { name, next }
    }
    // `\*` keeps its backslash for `wildcard`.
    if (pattern[at] === '\\' && pattern[at + 1] === '"') at += 1
    name += pattern[at]
  }
  throw wrong(pattern, from, 'the quoted name has no end')
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text[at] ?? '')) at += 1
  return at
}

/** A matcher for text with `*`. Compares part by part, because a regular expression could backtrack exponentially. */
export function wildcard(text: string): (value: string) => boolean {
  const parts = text.split(/(?<!\\)\*/).map((part) => part.replaceAll('\\*', '*'))
  const [head = '', ...rest] = parts
  const tail = rest.pop()
  if (tail === undefined) return (value) => value === head
  return (value) => {
    if (!value.startsWith(head) || !value.endsWith(tail)) return false
    let at = head.length
    for (const part of rest) {
      const found = value.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return at <= value.length - tail.length
  }
}

const WINDOW = 60

function wrong(pattern: string, at: number, words: string): TypeError {
  const line = pattern.replace(/\s/g, ' ')
  const from = Math.max(0, Math.min(at - WINDOW / 2, line.length - WINDOW))
  const before = plainText(line.slice(from, at))
  return new TypeError(
    `${words}\n  ${before}${plainText(line.slice(at, from + WINDOW))}\n  ${' '.repeat(before.length)}^`,
  )
}
