import * as z from 'zod'

/**
 * A page of a list, newest first: its rows, and `next`, the cursor of older ones (`null` at the end). `journal` is the
 * head when it was read. A page may have fewer rows than requested and still have a `next`, because its scan is limited.
 */
export const pageSchema = <Rows extends Readonly<Record<string, z.ZodType>>>(rows: Rows) =>
  z.object({ ...rows, next: z.string().nullable(), journal: z.number() })
