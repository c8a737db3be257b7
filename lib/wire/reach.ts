import * as z from 'zod'

/** How far back the lists of a collector reach, while it does not have all of a record that several collectors share. */
export const reachSchema = z.object({
  /** Journal number of the oldest fact that it has: the collector has everything from here on. */
  from: z.number(),
  /** Time of that fact, ms since the epoch. */
  since: z.number(),
  /** The part of the shared journal that it has, 0 to 99. */
  percent: z.number(),
  /** `full`: older records do not fit its disk budget, so they are not fetched. */
  state: z.enum(['fetching', 'full']),
})
export type Reach = z.infer<typeof reachSchema>
