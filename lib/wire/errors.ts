import * as z from 'zod'

/** Every refusal has this shape: what went wrong in one sentence, and its causes from near to far. */
export const problemSchema = z.object({ detail: z.string(), causes: z.array(z.string()) })
export type Problem = z.infer<typeof problemSchema>

/** The collector answered with a refusal, or did not answer at all (`status` null). */
export class CollectorError extends Error {
  constructor(
    readonly status: number | null,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'CollectorError'
  }
}

/** What an answer that is no success says. */
export async function refusal(response: Response): Promise<CollectorError> {
  const body = problemSchema.safeParse(await response.json().catch(() => null))
  return new CollectorError(
    response.status,
    body.success ? body.data.detail : `the collector answered ${response.status}`,
  )
}
