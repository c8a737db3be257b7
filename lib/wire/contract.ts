import * as z from 'zod'

/** The position of a finding, which a board links to. */
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
  /** `found` is the total; `findings` has the first 50. */
  z.object({ verdict: z.literal('fail'), judged: z.number(), found: z.number(), findings: z.array(findingSchema) }),
  z.object({ verdict: z.literal('incomplete'), why: z.string() }),
])

const judgedRuleSchema = z.object({
  id: z.string(),
  title: z.string(),
  why: z.string(),
  fix: z.string(),
  /** For any app. `off`: a check judges it only with `preset: 'contract'`, or if it is named. */
  severity: z.enum(['error', 'warning', 'off']),
  verdict: verdictSchema,
})
export type JudgedRule = z.infer<typeof judgedRuleSchema>

const judgedSettingSchema = z.object({
  id: z.string(),
  title: z.string(),
  /** Text with its unit. */
  value: z.string(),
  setBy: z.string(),
  judgedFrom: z.array(z.enum(['telemetry', 'transport', 'probe', 'stated'])),
  holds: z.string(),
  /** Empty when recorded telemetry cannot violate the setting; then `observed` has the observed value. */
  rules: z.array(judgedRuleSchema),
  observed: z.string().nullable(),
})
export type JudgedSetting = z.infer<typeof judgedSettingSchema>

/** `GET /query/contract?stamp=&after=`: each setting with its verdict on recorded telemetry. */
export const contractSchema = z.object({
  stamp: z.string().nullable(),
  after: z.number(),
  from: z.object({
    submissions: z.number(),
    items: z.number(),
    /** Time of the first and last submission, ms since the epoch; `null` when there is none. */
    first: z.number().nullable(),
    last: z.number().nullable(),
    /** True when only the newest part of the recorded telemetry was judged. */
    isPart: z.boolean(),
    damaged: z.array(z.number()),
  }),
  settings: z.array(judgedSettingSchema),
  /** Rules that belong to no setting. */
  beyond: z.array(judgedRuleSchema),
})
export type Contract = z.infer<typeof contractSchema>

export interface ContractOptions {
  readonly stamp?: string
  readonly after?: number
  readonly signal?: AbortSignal
}
