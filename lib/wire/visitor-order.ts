import * as z from 'zod'
import { isVisitorHash } from '../protocol/request'
import { MOST_VISITORS } from './visitor-limits'

/** `POST /control/visitor`: deletes all records of the visitor. */
export const visitorOrderSchema = z.strictObject({
  do: z.literal('delete'),
  visitors: z.array(z.string().refine(isVisitorHash)).min(1).max(MOST_VISITORS),
})
