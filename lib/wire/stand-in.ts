import * as z from 'zod'
import { parseRateLimits } from '../protocol/rate-limits'
import { isStamp, STAMP_FORMAT } from '../protocol/request'

export const BEHAVIOURS = ['answer', 'hang', 'reset'] as const

/** The server sets these headers itself, to match the body. */
const FRAMING = new Set(['connection', 'content-length', 'trailer', 'transfer-encoding'])

const headersSchema = z
  .record(
    z.string().regex(/^[A-Za-z0-9-]{1,128}$/, 'a header name has letters, digits and hyphens'),
    z
      .string()
      .max(65_536)
      .regex(/^[\t\x20-\x7e]*$/, 'a header value is one line of printable ASCII'),
  )
  .refine((headers) => Object.keys(headers).length <= 50, 'at most 50 headers')
  .refine(
    (headers) => !Object.keys(headers).some((name) => FRAMING.has(name.toLowerCase())),
    `${[...FRAMING].join(', ')} are set by the server: leave them out`,
  )

/** The first rule that matches a post and is not used up answers it. A post without a matching rule is answered 200. */
export const answerSchema = z.strictObject({
  /** Matches posts that contain an item of one of these data categories; every post when left out. */
  categories: z.array(z.string().min(1).max(64)).min(1).max(30).optional(),
  /** How many posts it answers; unlimited when left out. */
  times: z.number().int().min(1).max(1_000_000).optional(),
  /** How long it is in force, from when the script is loaded; unlimited when left out. */
  forMs: z
    .number()
    .int()
    .min(1)
    .max(24 * 60 * 60 * 1000)
    .optional(),
  /** `hang`: no answer, the connection stays open. `reset`: the connection is reset. */
  does: z.enum(BEHAVIOURS).default('answer'),
  status: z.number().int().min(200).max(599).default(200),
  headers: headersSchema.default({}),
  body: z.string().max(65_536).default(''),
  /** Compresses the body and sets Content-Encoding. */
  gzip: z.boolean().default(false),
  /** Waits this long before it acts. */
  delayMs: z.number().int().min(0).max(120_000).default(0),
})
export type ScriptedAnswer = z.infer<typeof answerSchema>

/**
 * `POST /control/upstream`. An empty list answers 200 to every post. With a stamp, the rules answer only posts of that stamp,
 * limits in their answers apply only to it, and the script replaces only its earlier rules; without one it replaces the rules
 * that apply to all posts.
 */
export const scriptSchema = z.strictObject({
  answers: z.array(answerSchema).max(100),
  stamp: z.string().refine(isStamp, STAMP_FORMAT).optional(),
})
export type Script = z.infer<typeof scriptSchema>
/** A script as a person or a test writes it: fields with a default may be left out. */
export type GivenScript = z.input<typeof scriptSchema>

/** A rule that is not used up: `times` counts down, `endsAt` (ms since the epoch) is the end of `forMs`. */
export const playedAnswerSchema = z.object({
  ...answerSchema.shape,
  endsAt: z.number().nullable(),
  /** The stamp whose posts it answers; left out for all posts. */
  stamp: z.string().optional(),
})
export type PlayedAnswer = z.infer<typeof playedAnswerSchema>

export const playedScriptSchema = z.object({
  now: z.number(),
  answers: z.array(playedAnswerSchema),
})
export type PlayedScript = z.infer<typeof playedScriptSchema>

/** `GET /control/upstream`: the script and the posts that the stand-in received. */
export const standInStateSchema = z.object({
  ...playedScriptSchema.shape,
  /** Newest first, at most 200; `GET /control/upstream/received/{n}` returns the bytes. */
  received: z.array(
    z.object({
      n: z.number(),
      at: z.number(),
      path: z.string(),
      /** The data categories of its items, each once. */
      categories: z.array(z.string()),
      bytes: z.number(),
      sha256: z.string(),
      status: z.number().nullable(),
    }),
  ),
})
export type StandInState = z.infer<typeof standInStateSchema>

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
  const given: GivenScript['answers'][number] = {
    ...(categories.length > 0 && { categories: [...categories] }),
    times: how.times ?? 1,
    status: how.status ?? 429,
    headers: { 'X-Sentry-Rate-Limits': limit.join(':') },
  }
  return answerSchema.parse(given)
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
