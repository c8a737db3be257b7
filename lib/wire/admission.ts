import * as z from 'zod'

/** `GET /query/admission?key=K&project=P`: would an envelope with this key and project be let in? Nothing is sent or counted. */
export const admissionSchema = z.object({
  admitted: z.boolean(),
  /** Everybody is let in: there is no upstream whose key and project they would have to have. */
  localOnly: z.boolean(),
})
export type Admission = z.infer<typeof admissionSchema>
