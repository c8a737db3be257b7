/** What the tunnel says, before it is a `Response` (mounted in an app) or an SDK transport's answer (called without HTTP). */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
}

/** At most so much of what was received is ever repeated in an answer. */
const MAX_ECHO = 80

/** A refusal: what was read and what was meant in one sentence, and its causes from near to far. */
export function problem(
  status: number,
  detail: string,
  causes: readonly string[] = [],
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    // A header is one line of printable ASCII; the body has the sentence as it is.
    headers: { ...headers, 'x-sentry-error': detail.replace(/[^\x20-\x7e]/g, '?').slice(0, 500) },
    body: JSON.stringify({ detail, causes }),
  }
}

/** Kept in the lifeboat, or accepted by a collector that had nothing to say. */
export const accepted: Answer = { status: 200, headers: {}, body: '{}' }

export function toResponse(answer: Answer): Response {
  // RFC 9110 §15.3.5: a 204 or 205 has no content, and the Response constructor throws when given any.
  const body = answer.status === 204 || answer.status === 205 ? null : answer.body
  return new Response(body, {
    status: answer.status,
    headers: { ...answer.headers, ...(body !== null && { 'content-type': 'application/json' }) },
  })
}

/** Quotes received text for an answer, never more than `MAX_ECHO` characters of it. */
export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_ECHO ? `${text.slice(0, MAX_ECHO)}…` : text)
}
