import { patternError, type Read, readBare, readQuoted, skipBlanks, wildcard } from './pattern-text'
import { type Range, readConditions, readCount, type SpanCondition } from './span-conditions'

/**
 * One step of a pattern for `toHaveSpanTree`:
 *
 *     pattern = step { ( ">" | ">>" ) step }
 *     step    = op [ name ] [ "[" conditions "]" ] [ "{" count "}" ]
 *
 * `>` matches a child, `>>` a descendant. Children of the segment that answers a request also count as children of the
 * request. The op is one word; the name is the rest of the step, in quotes if it contains `>`, `[` or `{`
 * (`"a \"quoted\" > b"`). `*` matches any text, `\*` in a name a literal star. Without a name any name matches; a request
 * also matches by method and path. The first step may be anywhere in the trace.
 *
 * The count is the number of spans that match op, name and conditions: children or descendants of one matched parent, in
 * the first step spans of the trace. Without a count it is at least one.
 */
export interface PatternStep {
  /** The relation to the previous step; without meaning for the first. */
  readonly below: 'child' | 'any'
  readonly text: string
  /** The text without the count. */
  readonly counted: string
  readonly op: (op: string) => boolean
  /** `null` matches any name. */
  readonly name: ((name: string) => boolean) | null
  readonly conditions: readonly SpanCondition[]
  /** `null` means at least one. */
  readonly count: Range | null
}

/** Is there a step with a maximum? A later span may exceed it. */
export const hasMaximum = (steps: readonly PatternStep[]): boolean =>
  steps.some(({ count }) => count !== null && count.most !== Number.POSITIVE_INFINITY)

const MOST_STEPS = 50
const EXAMPLE = "write it as in 'pageload > http.client GET /api/cart > db*'"

/** @throws TypeError that shows the position of the mistake. */
export function parseSpanPattern(pattern: unknown): readonly PatternStep[] {
  if (typeof pattern !== 'string')
    throw new TypeError(`the span tree must be a text, got ${typeof pattern}; ${EXAMPLE}`)
  const steps: PatternStep[] = []
  let below: PatternStep['below'] = 'child'
  let at = skipBlanks(pattern, 0)
  if (at === pattern.length) throw patternError(pattern, 0, `the span tree must not be empty; ${EXAMPLE}`)
  for (;;) {
    const { value: step, next } = readStep(pattern, at, below)
    steps.push(step)
    if (steps.length > MOST_STEPS) throw patternError(pattern, at, `a span tree must have at most ${MOST_STEPS} steps`)
    if (next === pattern.length) return steps
    if (pattern[next - 1] === '-') throw patternError(pattern, next - 1, 'write > without a - for a child')
    if (step.count?.most === 0) throw patternError(pattern, next, 'no step may follow {0}, because no span is left')
    const arrow = pattern.startsWith('>>', next) ? 2 : 1
    below = arrow === 2 ? 'any' : 'child'
    at = skipBlanks(pattern, next + arrow)
  }
}

function readStep(pattern: string, from: number, below: PatternStep['below']): Read<PatternStep> {
  if (from === pattern.length)
    throw patternError(
      pattern,
      from,
      'a step is missing at the end; write an op such as http.client, or remove the arrow',
    )
  if (pattern[from] === '>')
    throw patternError(pattern, from, 'a step is missing here; write an op such as http.client')
  if (/["[{]/.test(pattern[from] ?? ''))
    throw patternError(pattern, from, 'a step must start with an op; write * before it to match any op')
  const op = readBare(pattern, from, /[\s>[{]/)
  const name = readName(pattern, skipBlanks(pattern, op.next))
  const conditions = pattern[name.next] === '[' ? readConditions(pattern, name.next) : { value: [], next: name.next }
  const counted = pattern.slice(from, conditions.next).trim()
  const count = pattern[conditions.next] === '{' ? readCount(pattern, conditions.next) : { ...conditions, value: null }
  const { next } = count
  if (next < pattern.length && pattern[next] !== '>')
    throw patternError(pattern, next, expectedAfter(pattern, name, next))
  const step = {
    below,
    text: pattern.slice(from, next).trim(),
    counted,
    op: wildcard(op.value),
    name: name.value === null ? null : wildcard(name.value),
    conditions: conditions.value,
    count: count.value,
  }
  return { value: step, next }
}

function expectedAfter(pattern: string, name: Read<string | null>, at: number): string {
  if (at === name.next) return 'expected [, {, >, >> or the end after the name'
  if (pattern[at] === '[') return 'write all conditions in one [ ], before the count'
  return 'expected >, >> or the end; write the name before [ ] and { }, in quotes if it contains such a bracket'
}

function readName(pattern: string, from: number): Read<string | null> {
  if (pattern[from] === '"') return readQuoted(pattern, from, 'name')
  const { value, next } = readBare(pattern, from, /[>[{]/)
  return { value: value === '' ? null : value, next }
}
