import * as z from 'zod'

/** The body of every refusal: the error in one sentence, and its causes, nearest first. */
export const problemSchema = z.object({ detail: z.string(), causes: z.array(z.string()) })
export type Problem = z.infer<typeof problemSchema>

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
  ) {
    super(message, options)
    this.name = 'CollectorError'
  }
}

/** Reads the error of an unsuccessful answer. */
export async function readRefusal(response: Response): Promise<CollectorError> {
  const body = problemSchema.safeParse(await response.json().catch(() => null))
  return new CollectorError(
    response.status,
    body.success ? body.data.detail : `the collector answered ${response.status}`,
  )
}
