import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { StartTimer } from '../../lib/time'
import type { ScriptedAnswer } from '../../lib/wire/stand-in'

/** The most posts that wait for an answer at once. The connection of the next one is reset. */
export const MAX_UNANSWERED = 200

export function perform(
  response: ServerResponse,
  answer: ScriptedAnswer,
  tools: { readonly unanswered: UnansweredPosts; readonly later: StartTimer },
): void {
  if (answer.delayMs === 0) {
    act(response, answer, tools.unanswered)
    return
  }
  if (!tools.unanswered.add(response)) return
  const cancel = tools.later(() => act(response, answer, tools.unanswered), answer.delayMs)
  response.once('close', cancel)
}

function act(response: ServerResponse, answer: ScriptedAnswer, unanswered: UnansweredPosts): void {
  const { does, status, headers, body, gzip } = answer
  if (does === 'hang') {
    unanswered.add(response)
  } else if (does === 'reset') {
    reset(response)
  } else {
    response.writeHead(status, { ...headers, ...(gzip && { 'content-encoding': 'gzip' }) })
    response.end(gzip ? gzipSync(body) : body)
  }
}

/** Posts that hang or are delayed. Each one keeps a connection open, so their number is limited. */
export class UnansweredPosts {
  readonly #responses = new Set<ServerResponse>()
  #hasEnded = false

  /** @returns false where the post may not wait: its connection is reset. */
  add(response: ServerResponse): boolean {
    if (this.#responses.has(response)) return true
    if (this.#hasEnded || this.#responses.size >= MAX_UNANSWERED) {
      reset(response)
      return false
    }
    this.#responses.add(response)
    response.once('close', () => this.#responses.delete(response))
    return true
  }

  /** Resets all of them, and each later one. */
  end(): void {
    this.#hasEnded = true
    for (const response of this.#responses) reset(response)
  }
}

/** Ends a connection without an answer, as a crashed server does. */
function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy()
}
