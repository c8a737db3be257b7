import * as z from 'zod'

/** Operations are of this time. */
export const SLOW_MINUTES = 60

const operationSchema = z.object({
  /** `browser`, `server`, or the SDK's platform. */
  service: z.string(),
  op: z.string().nullable(),
  /** Without ids and numbers. */
  name: z.string(),
  project: z.string(),
  p95Us: z.number(),
  /** Segments that were compared: the newest 200 of the operation. */
  count: z.number(),
  /** True below 5, where a p95 says little. */
  isFew: z.boolean(),
  /** Their last 12 durations, the oldest first. */
  lastUs: z.array(z.number()),
  /** The slowest of them. */
  slowest: z.object({ traceId: z.string(), segmentId: z.string() }),
})
export type SlowOperation = z.infer<typeof operationSchema>

/** `GET /query/slow`: the slowest operations of the last hour, without own telemetry. */
export const slowSchema = z.object({
  /** The end of the last hour, in ms: the time of the answer; in a saved run, the receipt of its newest envelope. */
  now: z.number(),
  /** The 3 with the highest p95; those with fewer than 5 segments come after all others. */
  operations: z.array(operationSchema),
  /** Page loads and navigations of browsers; `null` without any. */
  pageLoads: z
    .object({
      p95Us: z.number(),
      count: z.number(),
      /** The p95 of each minute by receipt, the oldest first; `null` without page loads. */
      minutes: z.array(z.number().nullable()).length(SLOW_MINUTES),
    })
    .nullable(),
  /** True when only the newest 5,000 segments of the time were read. */
  isPart: z.boolean(),
})
export type Slow = z.infer<typeof slowSchema>
