import * as z from 'zod'

const refusedFieldSchema = z.object({
  /**
   * `invalid`: the value is not valid. `conflict`: it contradicts another parameter. `unknown`: there is no such parameter.
   * `repeated`, `empty`, and `malformed` for bytes that are not UTF-8.
   */
  reason: z.enum(['invalid', 'conflict', 'unknown', 'repeated', 'empty', 'malformed']),
  /** The parameter, or the kind of id in the path. */
  field: z.string(),
  /** The value as received, at most 40 characters. */
  value: z.string(),
  /** A valid value that is similar, or a similar parameter for `unknown`. */
  suggestion: z.string().nullable(),
  /** For `conflict`: the other parameter. */
  conflictsWith: z.string().optional(),
})
/** A parameter that the collector refused with 400. */
export type RefusedField = z.infer<typeof refusedFieldSchema>

/** The body of every refusal: the error in one sentence, and its causes, nearest first. A refused parameter has more fields. */
export const problemSchema = z.object({ detail: z.string(), causes: z.array(z.string()) })
export type Problem = z.infer<typeof problemSchema> & Partial<RefusedField>

/** Builds a refusal that every client of the collector can parse. */
export const problemResponse = (status: number, detail: string, causes: readonly string[] = []): Response =>
  Response.json({ detail, causes: [...causes] } satisfies Problem, {
    status,
    headers: { 'cache-control': 'no-store' },
  })

/** The collector refused a request (`status`), or did not answer (`status` is null). */
export class CollectorError extends Error {
  constructor(
    readonly status: number | null,
    message: string,
    options?: ErrorOptions,
    /** The refused parameter, if the status is 400 and the collector names one. */
    readonly refused: RefusedField | null = null,
  ) {
    super(message, options)
    this.name = 'CollectorError'
  }
}

/** Reads the error of an unsuccessful answer. */
export async function readRefusal(response: Response): Promise<CollectorError> {
  const body: unknown = await response.json().catch(() => null)
  const { data } = problemSchema.safeParse(body)
  const message = data?.detail ?? `the collector answered ${response.status}`
  return new CollectorError(response.status, message, undefined, refusedFieldSchema.safeParse(body).data ?? null)
}
