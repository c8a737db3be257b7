import * as z from 'zod'
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
