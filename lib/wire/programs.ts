import * as z from 'zod'

/** Programs are of this time. */
export const PROGRAM_MINUTES = 60

const programSchema = z.object({
  /** `browser`, `server`, or the SDK's platform. */
  service: z.string(),
  /** Name and version. */
  sdk: z.string().nullable(),
  project: z.string(),
  /** The newest one that it named. */
  release: z.string().nullable(),
  environment: z.string().nullable(),
  /** Receipt of its newest telemetry, ms since the epoch. */
  lastSeen: z.number(),
  /** Misconfigurations that the stored rows prove, as `waystation doctor` says them. */
  problems: z.array(z.object({ found: z.string(), fix: z.string() })),
})
export type Program = z.infer<typeof programSchema>

/** `GET /query/programs`: the programs that sent spans, errors, logs or metrics in the last hour, own telemetry left out. */
export const programsSchema = z.object({
  /** The end of the last hour, in ms: the time of the answer; in a saved run, the receipt of its newest envelope. */
  now: z.number(),
  /** The last seen first; at most 50. */
  programs: z.array(programSchema),
  /** True when only the newest telemetry of the time was read. */
  isPart: z.boolean(),
})
export type Programs = z.infer<typeof programsSchema>
