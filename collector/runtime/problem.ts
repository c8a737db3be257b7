import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Behind, Problem, RefusedField } from '../../lib/wire/errors'

export interface Refusal {
  readonly status: ContentfulStatusCode
  /** A fixed name. It never contains received text. */
  readonly reason: string
  readonly detail: string
  readonly causes?: readonly string[]
  /** Only when a copy of a shared record is incomplete, or the record is away. */
  readonly behind?: Behind
}

/** Answers a refusal as JSON. The `X-Sentry-Error` header repeats the detail, because SDKs log that header. */
export function problem(c: Context, refusal: Omit<Refusal, 'reason'>, refused?: RefusedField): Response {
  const { detail, causes = [], behind } = refusal
  const body: Problem = { detail, causes: [...causes], ...(behind !== undefined && { behind }), ...refused }
  c.header('X-Sentry-Error', headerText(refusal.detail))
  return c.json(body, refusal.status)
}

/** Header values are printable ASCII. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 400)

/** Of a HEAD request, the framework drops the body of the answer. */
export const hasNoBody = (c: Context): boolean => c.req.method === 'GET' || c.req.method === 'HEAD'
