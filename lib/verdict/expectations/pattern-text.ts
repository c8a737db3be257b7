import { plainText } from '../../format'

/** A part that was read, and the index after it. */
export interface Read<Value> {
  readonly value: Value
  readonly next: number
}

export function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && /\s/.test(text[at] ?? '')) at += 1
  return at
}

/** Reads up to one of these characters, or to the end; without blanks around it. */
export function readBare(pattern: string, from: number, ends: RegExp): Read<string> {
  let next = from
  while (next < pattern.length && !ends.test(pattern[next] ?? '')) next += 1
  return { value: pattern.slice(from, next).trim(), next }
}

/** Reads text in quotes; `from` is the index of the first quote. @throws TypeError if it does not end */
export function readQuoted(pattern: string, from: number, noun: string): Read<string> {
  let value = ''
  for (let at = from + 1; at < pattern.length; at += 1) {
    if (pattern[at] === '"') return { value, next: skipBlanks(pattern, at + 1) }
    // `\*` keeps its backslash for `wildcard`.
    if (pattern[at] === '\\' && pattern[at + 1] === '"') at += 1
    value += pattern[at]
  }
  throw patternError(pattern, from, `the quoted ${noun} has no end`)
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

/** An error that shows the pattern around a position, with a mark below it. */
export function patternError(pattern: string, at: number, words: string): TypeError {
  const line = pattern.replace(/\s/g, ' ')
  const from = Math.max(0, Math.min(at - WINDOW / 2, line.length - WINDOW))
  const before = plainText(line.slice(from, at))
  return new TypeError(
    `${words}\n  ${before}${plainText(line.slice(at, from + WINDOW))}\n  ${' '.repeat(before.length)}^`,
  )
}
