import * as z from 'zod'
import { overviewSchema } from './overview'
import { storageSchema } from './storage'

/**
 * `GET /query/standing`: is there room, and is what is pending on its way? What every page says under its header, in one
 * answer that counts nothing.
 */
export const standingSchema = z.object({
  now: z.number(),
  room: storageSchema.pick({ state: true, trouble: true }),
  /** Errors wait for the end of their limit, and are not cut. */
  holdErrors: z.boolean(),
  ...overviewSchema.pick({ upstreams: true, stranded: true, script: true, limits: true }).shape,
})
export type Standing = z.infer<typeof standingSchema>
