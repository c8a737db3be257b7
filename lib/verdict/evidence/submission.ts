import type { Submission } from './evidence'

/** The same as it comes from a collector: its body in base64. */
export interface Base64Submission extends Omit<Submission, 'body'> {
  readonly body: string
}

/**
 * What a collector answers, as it is judged.
 * @param recorded one of `GET /query/recorded`, which was parsed as that: its body is base64.
 */
export function submissionOf(recorded: Base64Submission): Submission {
  const letters = atob(recorded.body)
  const body = new Uint8Array(letters.length)
  for (let at = 0; at < letters.length; at++) body[at] = letters.charCodeAt(at)
  return { ...recorded, body }
}
