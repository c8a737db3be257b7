import * as z from 'zod'

/** Marks that a collector stores; the next one is refused until one is deleted. */
export const MOST_MARKS = 100

/** Begins with a letter, so that no name is a journal number, a time or an age; and has no slash, as files have. */
const MARK_NAME = /^[a-z][\w.-]{0,63}$/i
/** Text that means a time or a trace. */
const TAKEN = /^(?:now|[0-9a-f]{32})$/i

export const MARK_NAME_FORMAT =
  '1 to 64 letters, digits or _ - . that begin with a letter; not "now", and not 32 hex digits, which are a trace'

export const isMarkName = (text: string): boolean => MARK_NAME.test(text) && !TAKEN.test(text)

export const markSchema = z.object({
  name: z.string(),
  /** The newest journal number at that time: what arrived afterwards has a higher one. */
  journal: z.number(),
  /** ms since the epoch. */
  at: z.number(),
})
export type Mark = z.infer<typeof markSchema>

/** `GET /query/marks`, oldest first. */
export const marksSchema = z.object({ marks: z.array(markSchema), most: z.number() })
export type Marks = z.infer<typeof marksSchema>

/** `POST /control/marks`: names this moment, also with a name that is used already; or deletes a mark. */
export const markOrderSchema = z.strictObject({
  name: z.string().refine(isMarkName),
  do: z.enum(['set', 'delete']).default('set'),
})
export type MarkOrder = z.input<typeof markOrderSchema>

export const markDoneSchema = z.object({
  /** `null` after a deletion. */
  mark: markSchema.nullable(),
  /** The mark of this name before; `null` when there was none. */
  before: markSchema.nullable(),
})
export type MarkDone = z.infer<typeof markDoneSchema>
