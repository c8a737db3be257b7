import * as z from 'zod'

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
