import * as z from 'zod'
import { parseRateLimits } from '../protocol/upstream-answer'

/** What the stand-in does with a post. */
export const BEHAVIOURS = ['answer', 'hang', 'drip', 'reset', 'oversized'] as const

/** The server writes these itself, as they fit the body. */
const FRAMING = new Set(['connection', 'content-length', 'trailer', 'transfer-encoding'])

const headersSchema = z
  .record(
    z.string().regex(/^[A-Za-z0-9-]{1,128}$/, 'a header is named by letters, digits and hyphens'),
    z
      .string()
      .max(65_536)
      .regex(/^[\t\x20-\x7e]*$/, 'the value of a header is one line of printable ASCII'),
  )
  .refine((headers) => Object.keys(headers).length <= 50, 'at most 50 headers')
  .refine(
    (headers) => !Object.keys(headers).some((name) => FRAMING.has(name.toLowerCase())),
    `${[...FRAMING].join(', ')} are written as they fit the body: leave them out`,
  )

/**
 * One rule of a script: which posts it takes, for how long or how many, and what becomes of them. The first that takes a
 * post and is not used up does; a post that none takes is answered 200.
 */
export const answerSchema = z.strictObject({
  /** Only posts that hold an item of one of these data categories; any post when left out. */
  categories: z.array(z.string().min(1).max(64)).min(1).max(30).optional(),
  /** How many posts it answers; any number when left out. */
  times: z.number().int().min(1).max(1_000_000).optional(),
  /** ms from the moment it was loaded; for ever when left out. */
  forMs: z
    .number()
    .int()
    .min(1)
    .max(24 * 60 * 60 * 1000)
    .optional(),
  /**
   * `hang`: no answer, the connection stays open. `drip`: the body a byte a second; without a body a space a second, for
   * ever. `reset`: the connection is cut. `oversized`: a body of 64 MiB, whatever `body` says.
   */
  does: z.enum(BEHAVIOURS).default('answer'),
  status: z.number().int().min(200).max(599).default(200),
  headers: headersSchema.default({}),
  body: z.string().max(65_536).default(''),
  /** The body goes out gzipped, and says so. A drip does not. */
  gzip: z.boolean().default(false),
  /** ms to wait before it does anything. */
  delayMs: z.number().int().min(0).max(120_000).default(0),
})
export type ScriptedAnswer = z.infer<typeof answerSchema>

/** `POST /control/upstream`. An empty list answers 200 to everything. */
export const scriptSchema = z.strictObject({
  answers: z.array(answerSchema).max(100),
  /** Goes on after a restart; else it ends with this life of the collector. */
  keep: z.boolean().default(false),
})
export type Script = z.infer<typeof scriptSchema>
/** As a person or a test writes it: what has a default may be left out. */
export type GivenScript = z.input<typeof scriptSchema>

/** A rule that is not used up: `times` counts down, `endsAt` (ms since the epoch) is when `forMs` is over. */
export const playedAnswerSchema = z.object({ ...answerSchema.shape, endsAt: z.number().nullable() })
export type PlayedAnswer = z.infer<typeof playedAnswerSchema>

/** The answer to a script. */
export const playedScriptSchema = z.object({
  now: z.number(),
  /** What is left of the script. */
  answers: z.array(playedAnswerSchema),
  keep: z.boolean(),
})
export type PlayedScript = z.infer<typeof playedScriptSchema>

/** `GET /control/upstream`: what is played, and what came. */
export const standInStateSchema = z.object({
  ...playedScriptSchema.shape,
  /** The last ones first, at most 200; their bytes by `GET /control/upstream/received/{n}`. */
  received: z.array(
    z.object({
      n: z.number(),
      at: z.number(),
      path: z.string(),
      /** Of its items, each once. */
      categories: z.array(z.string()),
      bytes: z.number(),
      sha256: z.string(),
      /** What it was answered; `null` when it was not. */
      status: z.number().nullable(),
    }),
  ),
})
export type StandInState = z.infer<typeof standInStateSchema>

/**
 * The rule by which the stand-in limits categories: one post that holds any of them is answered with the limit, which is
 * then told; those behind it are answered 200.
 * @param categories empty for everything.
 * @param seconds from that answer on.
 * @param how.status 429 refuses the post; 200 takes it and limits what comes next.
 * @param how.times so many posts are answered so, 1 when left out.
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
  const given: GivenScript['answers'][number] = {
    ...(categories.length > 0 && { categories: [...categories] }),
    times: how.times ?? 1,
    status: how.status ?? 429,
    headers: { 'X-Sentry-Rate-Limits': limit.join(':') },
  }
  return answerSchema.parse(given)
}

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
