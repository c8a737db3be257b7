import { parseRateLimits } from '../protocol/upstream-answer'
import type { PlayedAnswer } from './stand-in'

/**
 * What is being played, in one sentence: `429 with transaction limited for 60 s, 3 more times; then 200`.
 * @param answers what is left of the script.
 * @param now ms since the epoch.
 * @returns `null` where everything is answered 200.
 */
export function scriptSentence(answers: readonly PlayedAnswer[], now: number): string | null {
  const left = answers.filter(({ endsAt }) => endsAt === null || endsAt > now)
  if (left.length === 0) return null
  // Behind a rule that takes every post for ever nothing has its turn.
  const last = left.findIndex((answer) => isForEver(answer) && answer.categories === undefined)
  if (last >= 0) return sentences(left.slice(0, last + 1), now).join('; ')
  const end = left.some(isForEver) ? 'else 200' : 'then 200'
  return [...sentences(left, now), end].join('; ')
}

/** Rules that are told one by one where there are more than so many. */
const TOLD_RULES = 3
/** Of one rule: a category may have 64 signs, and a header tell of many. */
const LONGEST_RULE = 160

function sentences(answers: readonly PlayedAnswer[], now: number): readonly string[] {
  const told = answers.length > TOLD_RULES + 1 ? answers.slice(0, TOLD_RULES) : answers
  const more = answers.length - told.length
  const rules = told.map((answer) => cut(answerSentence(answer, now)))
  return more === 0 ? rules : [...rules, `… and ${more} more rules`]
}

const cut = (sentence: string): string =>
  sentence.length > LONGEST_RULE ? `${sentence.slice(0, LONGEST_RULE)}…` : sentence

/** One rule: what it does, to which posts, and for how much longer. */
export function answerSentence(answer: PlayedAnswer, now: number): string {
  const to = answer.categories === undefined ? '' : ` to posts with ${listed(answer.categories)}`
  const times = answer.times === undefined ? '' : `, ${answer.times} more ${answer.times === 1 ? 'time' : 'times'}`
  const until = answer.endsAt === null ? '' : `, for ${duration(answer.endsAt - now)} more`
  const after = answer.delayMs === 0 ? '' : ` after ${duration(answer.delayMs)}`
  return `${deed(answer)}${after}${to}${times}${until}`
}

function deed(answer: PlayedAnswer): string {
  if (answer.does === 'hang') return 'no answer'
  if (answer.does === 'reset') return 'a cut connection'
  const limits = limitsTold(answer)
  const words = limits === '' ? `${answer.status}` : `${answer.status} with ${limits}`
  if (answer.does === 'drip') return `${words}, a byte a second`
  if (answer.does === 'oversized') return `${words} and a body of 64 MiB`
  return words
}

/** The limits that its headers tell, in words; empty where they tell none. */
function limitsTold(answer: PlayedAnswer): string {
  const headers = new Map(Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]))
  const limits = parseRateLimits(headers.get('x-sentry-rate-limits') ?? '').map(
    ({ categories, seconds }) =>
      `${categories.length === 0 ? 'everything' : listed(categories)} limited for ${duration(seconds * 1000)}`,
  )
  const retryAfter = headers.get('retry-after')
  return listed([...limits, ...(retryAfter === undefined ? [] : [`Retry-After ${retryAfter.slice(0, 40)}`])])
}

const isForEver = (answer: PlayedAnswer): boolean => answer.times === undefined && answer.endsAt === null

function listed(words: readonly string[]): string {
  const shown = words.length > 4 ? [...words.slice(0, 3), `${words.length - 3} more`] : words
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}
