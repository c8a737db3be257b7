import type { Problem } from '../lib/wire/errors'

/** A refusal in the shape that every reader of the collector parses. */
export const problem = (status: number, detail: string, causes: readonly string[] = []): Response =>
  Response.json({ detail, causes: [...causes] } satisfies Problem, {
    status,
    headers: { 'cache-control': 'no-store' },
  })
