import * as z from 'zod'

/** A server process that follows the collector, so that the collector can request a flush (`waystation/server`). */
const serviceSchema = z.object({
  /** e.g. `server process 4711`. */
  name: z.string(),
  /** Whether its connection is open: the process runs. */
  open: z.boolean(),
  /** `never`; `earlier`: its SDK may have buffered more since; `last`: it flushed when it ended. */
  flushed: z.enum(['never', 'earlier', 'last']),
})
export type Service = z.infer<typeof serviceSchema>

/** `GET /control/services`, in the order of their start. */
export const servicesSchema = z.object({ services: z.array(serviceSchema) })

/** `POST /control/flush`: the services that flushed, and those that did not within the time-out. */
export const flushedSchema = z.object({ flushed: z.array(z.string()), unanswered: z.array(z.string()) })
export type Flushed = z.infer<typeof flushedSchema>

/** The body of `POST /control/services/flushed`; `last` when the process is about to end. */
export const flushReportSchema = z.strictObject({ service: z.number(), last: z.boolean() })

/** Why logs and spans that a service buffered are unknown; `null` when it flushed them. */
export function whyUnknown({ name, open, flushed }: Service): string | null {
  if (open || flushed === 'last') return null
  return flushed === 'never' ? `${name} ended and never flushed` : `${name} ended without a flush after its last one`
}
