import * as z from 'zod'

/** Where a finding stands, so that a board can open it. */
const foundAtSchema = z.object({
  seq: z.number(),
  item: z.number(),
  traceId: z.string().nullish(),
  eventId: z.string().nullish(),
  spanId: z.string().nullish(),
})

const findingSchema = z.object({
  about: z.string(),
  at: foundAtSchema.nullable(),
  path: z.string(),
  actual: z.string(),
  expected: z.string(),
})
export type ContractFinding = z.infer<typeof findingSchema>

const verdictSchema = z.discriminatedUnion('verdict', [
  z.object({ verdict: z.literal('pass'), judged: z.number() }),
  /** `found` altogether, the first 50 of them as `findings`. */
  z.object({ verdict: z.literal('fail'), judged: z.number(), found: z.number(), findings: z.array(findingSchema) }),
  z.object({ verdict: z.literal('incomplete'), why: z.string() }),
])

const judgedRuleSchema = z.object({
  id: z.string(),
  title: z.string(),
  why: z.string(),
  fix: z.string(),
  severity: z.enum(['error', 'warning']),
  verdict: verdictSchema,
})
export type JudgedRule = z.infer<typeof judgedRuleSchema>

const judgedSettingSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** As a person reads it, unit included. */
  value: z.string(),
  setBy: z.string(),
  judgedFrom: z.array(z.enum(['telemetry', 'transport', 'probe', 'stated'])),
  holds: z.string(),
  /** Empty where nothing that is recorded can break it: then `observed` says what was observed. */
  rules: z.array(judgedRuleSchema),
  observed: z.string().nullable(),
})
export type JudgedSetting = z.infer<typeof judgedSettingSchema>

/** `GET /query/contract?stamp=&after=`: each setting of the runtime contract with its verdict on what is recorded. */
export const contractSchema = z.object({
  stamp: z.string().nullable(),
  after: z.number(),
  /** What it was judged from. */
  from: z.object({
    submissions: z.number(),
    items: z.number(),
    /** Of the first and the last submission, ms since the epoch; `null` where there is none. */
    first: z.number().nullable(),
    last: z.number().nullable(),
    /** More was recorded than is judged: these are the newest. */
    isPart: z.boolean(),
    /** Submissions among these whose bytes cannot be read any more. */
    damaged: z.array(z.number()),
  }),
  settings: z.array(judgedSettingSchema),
  /** Rules that come from no setting. */
  beyond: z.array(judgedRuleSchema),
})
export type Contract = z.infer<typeof contractSchema>

export interface ContractOptions {
  /** Only what carries this stamp. */
  readonly stamp?: string
  /** Only what came after this journal number. */
  readonly after?: number
  readonly signal?: AbortSignal
}

/** The same as the query of an address, with its question mark. */
export function contractQuery({ stamp, after }: ContractOptions = {}): string {
  const given = Object.entries({ stamp, after }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}
