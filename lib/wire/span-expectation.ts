import * as z from 'zod'

const matchedSpanSchema = z.object({
  /** Op and name. */
  label: z.string(),
  service: z.string(),
  traceId: z.string(),
  spanId: z.string(),
  seq: z.number(),
  item: z.number(),
})

/** `GET /query/expect?pattern=P&stamp=S&trace=T&after=N&wait=25`: whether a trace contains these spans, as soon as one does. */
export const spanExpectationSchema = z.object({
  pattern: z.string(),
  stamp: z.string().nullable(),
  /** `nothing recorded`: no envelope, or only copies. */
  answer: z.enum(['match', 'no match', 'nothing recorded']),
  /** The spans of the match, or of the nearest miss up to the first missing step; outermost first. */
  matched: z.array(matchedSpanSchema),
  /** The nearest miss in several lines; empty for a match. */
  message: z.string(),
  from: z.object({
    submissions: z.number(),
    /** True when only the newest part of the recorded telemetry was searched. */
    isPart: z.boolean(),
  }),
})
export type SpanExpectation = z.infer<typeof spanExpectationSchema>

export interface SpanExpectationOptions {
  readonly pattern: string
  /** `null`: everything recorded. */
  readonly stamp: string | null
  /** The only trace that is searched. */
  readonly trace?: string
  /** A journal number: only later submissions are searched. */
  readonly after?: number
  /** Seconds to wait for a match, at most 60. */
  readonly wait: number
  readonly signal?: AbortSignal
}
