import { parseRateLimits } from '../protocol/rate-limits'
import type { PlayedAnswer, ScriptedAnswer } from './stand-in'

/**
 * The next post that contains one of `categories` (empty: all) gets the limit, later posts 200.
 * @param how.status 429 refuses the post; 200 accepts it and limits later ones.
 * @param how.times how many posts are answered with the limit, 1 when left out.
 */
export function limitingAnswer(
  categories: readonly string[],
  seconds: number,
  how: {
    readonly status?: 200 | 429
    readonly scope?: 'organization' | 'project' | 'key'
    readonly reason?: string
    readonly times?: number
  } = {},
): ScriptedAnswer {
  const limit = [seconds, categories.join(';'), how.scope ?? 'organization', ...(how.reason ? [how.reason] : [])]
  return {
    ...(categories.length > 0 && { categories: [...categories] }),
    times: how.times ?? 1,
    does: 'answer',
    status: how.status ?? 429,
    headers: { 'X-Sentry-Rate-Limits': limit.join(':') },
    body: '',
    gzip: false,
    delayMs: 0,
  }
}

/** A description lists at most this many rules, and at most this many characters of each. */
const DESCRIBED_RULES = 3
const DESCRIBED_CHARS = 160

/**
 * `429 with transaction limited for 60 s, 3 more times; then 200`; `null` when every post is answered 200.
 * @param answers the rules that are not used up. @param now ms since the epoch.
 */
export function describeScript(answers: readonly PlayedAnswer[], now: number): string | null {
  const left = answers.filter(({ endsAt }) => endsAt === null || endsAt > now)
  if (left.length === 0) return null
  // Rules after an unlimited rule for every post are never reached.
  const last = left.findIndex(
    (answer) => isUnlimited(answer) && answer.categories === undefined && answer.stamp === undefined,
  )
  if (last >= 0) return describeRules(left.slice(0, last + 1), now).join('; ')
  const end = left.some(isUnlimited) ? 'else 200' : 'then 200'
  return [...describeRules(left, now), end].join('; ')
}

function describeRules(answers: readonly PlayedAnswer[], now: number): readonly string[] {
  const shown = answers.length > DESCRIBED_RULES + 1 ? answers.slice(0, DESCRIBED_RULES) : answers
  const more = answers.length - shown.length
  const rules = shown.map((answer) => shorten(describeAnswer(answer, now)))
  return more === 0 ? rules : [...rules, `… and ${more} more rules`]
}

const shorten = (text: string): string => (text.length > DESCRIBED_CHARS ? `${text.slice(0, DESCRIBED_CHARS)}…` : text)

function describeAnswer(answer: PlayedAnswer, now: number): string {
  const of = answer.stamp === undefined ? '' : ` of the stamp ${answer.stamp}`
  const posts = answer.categories === undefined ? 'posts' : `posts with ${listed(answer.categories)}`
  const to = answer.categories === undefined && of === '' ? '' : ` to ${posts}${of}`
  const times = answer.times === undefined ? '' : `, ${answer.times} more ${answer.times === 1 ? 'time' : 'times'}`
  const until = answer.endsAt === null ? '' : `, for ${duration(answer.endsAt - now)} more`
  const after = answer.delayMs === 0 ? '' : ` after ${duration(answer.delayMs)}`
  return `${describeAction(answer)}${after}${to}${times}${until}`
}

function describeAction(answer: PlayedAnswer): string {
  if (answer.does === 'hang') return 'no answer'
  if (answer.does === 'reset') return 'a reset connection'
  const limits = describeLimits(answer)
  return limits === '' ? `${answer.status}` : `${answer.status} with ${limits}`
}

/** Describes the limits in the headers of an answer; empty when there are none. */
function describeLimits(answer: PlayedAnswer): string {
  const headers = new Map(Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]))
  const limits = parseRateLimits(headers.get('x-sentry-rate-limits') ?? '').map(
    ({ categories, seconds }) =>
      `${categories.length === 0 ? 'everything' : listed(categories)} limited for ${duration(seconds * 1000)}`,
  )
  const retryAfter = headers.get('retry-after')
  return listed([...limits, ...(retryAfter === undefined ? [] : [`Retry-After ${retryAfter.slice(0, 40)}`])])
}

const isUnlimited = (answer: PlayedAnswer): boolean => answer.times === undefined && answer.endsAt === null

function listed(names: readonly string[]): string {
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}
