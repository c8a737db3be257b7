import { nameHint } from '../../config/nearest'
import { isUndated } from '../../protocol/trace/span-tree'
import type { SeenSpan } from '../evidence/evidence'
import { spanDuration } from '../rules/describe'
import { formatValue, truncate, withoutSecrets } from '../text'
import type { Difference } from './criteria'
import { patternError, type Read, readBare, readQuoted, skipBlanks, wildcard } from './pattern-text'

/** Whole numbers, both included; `most` may be `Infinity`. */
export interface Range {
  readonly least: number
  readonly most: number
}

/** Returns `null` if the span has the duration or the attribute; `distance` ranks the misses of one condition. */
export type SpanCondition = (span: SeenSpan) => (Difference & { readonly distance: number }) | null

const MOST_CONDITIONS = 20
const MOST_COUNTED = 100_000
const LONGEST_S = 86_400
const CONDITIONS = 'write <200ms, >=1s, 10ms..200ms or http.route=/api/cart; a name that contains [ must be in quotes'
const COUNTS = 'write {3}, {..5}, {2..} or {2..5}; a name that contains { must be in quotes'

/**
 * Reads `[condition, …]`, of which all must hold; `open` is the index of `[`.
 *
 *     condition = ( "<" | "<=" | ">" | ">=" ) duration | [ duration ] ".." [ duration ] | attribute "=" value
 *     duration  = number ( "us" | "µs" | "ms" | "s" | "min" )
 *
 * Attribute and value are in quotes if they contain a comma, `]`, `=` or a quote. `*` in a value matches any text.
 */
export function readConditions(pattern: string, open: number): Read<readonly SpanCondition[]> {
  const conditions: SpanCondition[] = []
  let [least, most] = [0, Number.POSITIVE_INFINITY]
  let at = open
  do {
    const { condition, durations, next } = readCondition(pattern, skipBlanks(pattern, at + 1), open)
    at = next
    conditions.push(condition)
    if (at === pattern.length) throw unclosed(pattern, open)
    if (pattern[at] !== ',' && pattern[at] !== ']') throw patternError(pattern, at, 'expected , or ] after the value')
    if (conditions.length > MOST_CONDITIONS)
      throw patternError(pattern, open, `a step must have at most ${MOST_CONDITIONS} conditions`)
    ;[least, most] = [Math.max(least, durations?.least ?? 0), Math.min(most, durations?.most ?? most)]
    if (least > most)
      throw patternError(pattern, open, `no duration is ${pattern.slice(open, at)}]; write the smaller limit first`)
  } while (pattern[at] === ',')
  return { value: conditions, next: skipBlanks(pattern, at + 1) }
}

const unclosed = (pattern: string, open: number): TypeError =>
  patternError(pattern, open, `the [ has no ]; ${CONDITIONS}`)

interface ReadCondition {
  readonly condition: SpanCondition
  /** In µs; `null` for an attribute. */
  readonly durations: Range | null
  readonly next: number
}

function readCondition(pattern: string, from: number, open: number): ReadCondition {
  const isQuoted = pattern[from] === '"'
  const name = isQuoted ? readQuoted(pattern, from, 'attribute') : readBare(pattern, from, /[,\]=]/)
  const isComparison = !isQuoted && /^[<>]$/.test(name.value)
  if (pattern[name.next] === '=' && name.value !== '' && !isComparison) {
    const valueAt = skipBlanks(pattern, name.next + 1)
    const isQuotedValue = pattern[valueAt] === '"'
    const { value, next } = isQuotedValue ? readQuoted(pattern, valueAt, 'value') : readBare(pattern, valueAt, /[,\]]/)
    if (value === '' && !isQuotedValue)
      throw patternError(pattern, valueAt, 'the value is missing; write * for any value, "" for an empty text')
    return { condition: attributeIs(name.value, value), durations: null, next }
  }
  const { value: text, next } = readBare(pattern, from, /[,\]]/)
  if (next === pattern.length) throw unclosed(pattern, open)
  const durations = durationsOf(pattern, from, text)
  return { condition: durationIs(text, durations), durations, next }
}

const DURATION = /^(\d+(?:\.\d+)?)\s*(us|µs|ms|s|min)$/
const UNITS: Readonly<Record<string, number>> = { us: 1, µs: 1, ms: 1000, s: 1_000_000, min: 60_000_000 }

/** Durations are whole µs, so `<` excludes one of them. */
function durationsOf(pattern: string, at: number, text: string): Range {
  const us = (duration: string): number => {
    const [, digits = '', unit = ''] = DURATION.exec(duration.trim()) ?? []
    const value = Number(digits) * (UNITS[unit] ?? 0)
    if (digits === '') throw patternError(pattern, at, `${formatValue(text)} is no condition; ${CONDITIONS}`)
    if (value > LONGEST_S * 1_000_000)
      throw patternError(pattern, at, `a duration must be at most ${LONGEST_S} s, got ${truncate(duration.trim())}`)
    // 1.005 ms must not become 1004.9999999999999 µs.
    return Math.round(value * 1000) / 1000
  }
  const [, sign = '', limit = ''] = /^(<=?|>=?)(.*)$/s.exec(text) ?? []
  if (sign === '<') return { least: 0, most: Math.ceil(us(limit)) - 1 }
  if (sign === '<=') return { least: 0, most: Math.floor(us(limit)) }
  if (sign === '>') return { least: Math.floor(us(limit)) + 1, most: Number.POSITIVE_INFINITY }
  if (sign === '>=') return { least: Math.ceil(us(limit)), most: Number.POSITIVE_INFINITY }
  const [from = '', to = '', ...rest] = text.split('..').map((part) => part.trim())
  if (!text.includes('..') || rest.length > 0 || (from === '' && to === ''))
    throw patternError(pattern, at, `${formatValue(text)} is no condition; ${CONDITIONS}`)
  return {
    least: from === '' ? 0 : Math.ceil(us(from)),
    most: to === '' ? Number.POSITIVE_INFINITY : Math.floor(us(to)),
  }
}

/** Two clocks may end a span before its start; that counts as no time. */
export const durationUs = ({ startUs, endUs }: Pick<SeenSpan, 'startUs' | 'endUs'>): number =>
  Math.max(0, endUs - startUs)

const durationIs =
  (text: string, range: Range): SpanCondition =>
  (span) => {
    const distance = isUndated(span) ? Number.POSITIVE_INFINITY : distanceTo(durationUs(span), range)
    return distance === 0 ? null : { path: 'duration', actual: spanDuration(span), expected: text, distance }
  }

function attributeIs(name: string, expected: string): SpanCondition {
  const isExpected = wildcard(expected)
  return ({ attributes }) => {
    if (!Object.hasOwn(attributes, name)) {
      const names = Object.keys(attributes)
      const hint = names.length === 0 ? 'it has no attributes' : nameHint(name, names, MOST_NAMES)
      return { path: name, actual: `nothing (${truncate(hint, 200)})`, expected: formatValue(expected), distance: 1 }
    }
    const value = attributes[name]
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    if (isExpected(text)) return null
    return { path: name, actual: withoutSecrets(formatValue(value)), expected: formatValue(expected), distance: 0 }
  }
}
const MOST_NAMES = 6

/**
 * Reads `{3}`, `{..5}`, `{2..}` or `{2..5}`; `open` is the index of `{`.
 * @throws TypeError for a count that no number or every number has
 */
export function readCount(pattern: string, open: number): Read<Range> {
  const { value: text, next } = readBare(pattern, open + 1, /\}/)
  if (next === pattern.length) throw patternError(pattern, open, `the { has no }; ${COUNTS}`)
  const [, exact, from, to] = /^(?:(\d+)|(\d*)\s*\.\.\s*(\d*))$/.exec(text) ?? []
  const [least, most] = [Number(exact ?? (from || 0)), Number(exact ?? (to || Number.POSITIVE_INFINITY))]
  if (exact === undefined && !from && !to)
    throw patternError(pattern, open, `${formatValue(text)} is no count; ${COUNTS}`)
  if (Math.max(least, most === Number.POSITIVE_INFINITY ? 0 : most) > MOST_COUNTED)
    throw patternError(pattern, open, `a count must be at most ${MOST_COUNTED}, got ${truncate(text)}`)
  if (least > most) throw patternError(pattern, open, `no number is ${truncate(text)}; write the smaller number first`)
  if (least === 0 && most === Number.POSITIVE_INFINITY)
    throw patternError(pattern, open, `every number is ${truncate(text)}; remove the count, or write {1..}`)
  return { value: { least, most }, next: skipBlanks(pattern, next + 1) }
}

/** 0 within the range. */
export const distanceTo = (value: number, { least, most }: Range): number => Math.max(0, least - value, value - most)

/** `exactly 3`, `at most 5`, `at least 2`, `2 to 5`, `none` */
export function countText({ least, most }: Range): string {
  if (most === 0) return 'none'
  if (least === most) return `exactly ${least}`
  if (most === Number.POSITIVE_INFINITY) return `at least ${least}`
  return least === 0 ? `at most ${most}` : `${least} to ${most}`
}
