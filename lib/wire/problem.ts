import * as z from 'zod'

/** Every refusal has this shape: what went wrong in one sentence, and its causes from near to far. */
export const problemSchema = z.object({ detail: z.string(), causes: z.array(z.string()) })
export type Problem = z.infer<typeof problemSchema>
