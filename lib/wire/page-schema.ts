import * as z from 'zod'
import { leftOutSchema } from './values'

/** A term of `q=` that does not apply: its place in the query, and a sentence. */
const problemSchema = z.object({
  at: z.number(),
  length: z.number(),
  message: z.string(),
  suggestion: z.string().nullable(),
})

/**
 * A page of a list, newest first: its rows, and `next`, the cursor of older ones (`null` at the end). `journal` is the
 * head when it was read. A page may have fewer rows than requested and still have a `next`, because its scan is limited.
 * `problems`: terms of `q=` that do not apply; `leftOut` is in the first page.
 */
export const pageSchema = <Rows extends Readonly<Record<string, z.ZodType>>>(rows: Rows) =>
  z.object({
    ...rows,
    next: z.string().nullable(),
    journal: z.number(),
    problems: z.array(problemSchema).optional(),
    leftOut: leftOutSchema.optional(),
  })
