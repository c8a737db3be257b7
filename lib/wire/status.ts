import * as z from 'zod'
import { overviewSchema } from './overview'
import { storageSchema } from './storage'

/** `GET /query/status`: disk space and delivery, for the status banner on every page. One cheap query that counts nothing. */
export const statusSchema = z.object({
  now: z.number(),
  storage: storageSchema.pick({ state: true, trouble: true }),
  /** Errors wait until their limit ends; they are not cut. */
  holdErrors: z.boolean(),
  ...overviewSchema.pick({ upstreams: true, stranded: true, script: true, limits: true }).shape,
})
export type Status = z.infer<typeof statusSchema>
