import * as z from 'zod'

/** `GET /query/values?list=traces&key=service`: the values of a key with their counts, the most frequent first. */
export const valueCountsSchema = z.object({
  list: z.string(),
  key: z.string(),
  /** At most 100. */
  values: z.array(z.object({ value: z.string(), count: z.number() })),
  /** False when there are more values than these. */
  isWhole: z.boolean(),
  /** The newest rows, of which the values are: at most 1,000. */
  rows: z.number(),
  journal: z.number(),
})
export type ValueCounts = z.infer<typeof valueCountsSchema>

/** Rows that the first page of a list does not show. */
export const leftOutSchema = z.object({
  /** Rows of own telemetry; of events and signals their envelopes. */
  own: z.number(),
  /** There are more of them: counting ends at 1,000. */
  ownIsAtLeast: z.boolean(),
  /** Rows of the list without any filter; of envelopes counting ends at 5,000. */
  stored: z.number(),
  /** Of an answer without rows and without `next`: rows that the filter hides, besides own telemetry; else `null`. */
  hidden: z.number().nullable(),
  /** Records that were deleted for disk space or age, over the life of the data folder. */
  evicted: z.number(),
  /** Receipt of the oldest stored record, ms since the epoch: older ones were evicted, if any; `null` without records. */
  oldest: z.number().nullable(),
})
export type LeftOut = z.infer<typeof leftOutSchema>
