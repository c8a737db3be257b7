import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Problem } from '../../lib/wire/errors'

/** A refusal at the endpoint or at a query: a status, a sentence, and what it is counted under. */
export interface Refusal {
  readonly status: ContentfulStatusCode
  /** For the books: a word, never what was received. */
  readonly reason: string
  readonly detail: string
  readonly causes?: readonly string[]
}

/** Every refusal is answered in the same shape; SDKs and people find the sentence in the header too. */
export function problem(c: Context, refusal: Omit<Refusal, 'reason'>): Response {
  const body: Problem = { detail: refusal.detail, causes: [...(refusal.causes ?? [])] }
  c.header('X-Sentry-Error', headerText(refusal.detail))
  return c.json(body, refusal.status)
}

/** Header values are printable ASCII. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 400)
