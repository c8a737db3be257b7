import { moveSentAt } from '../../lib/protocol/envelope'
import type { Endpoint } from '../../lib/protocol/record'

/** Relay moves the times of what is sent by the drift of its `sent_at` where that is more than 55 minutes. */
const LATE_MS = 50 * 60 * 1000

/**
 * An envelope that is posted late says when it was sent as if it had only just been: what is told of its times would
 * else be moved by the time that it waited here.
 * @returns the same bytes where it is not late, or says no time.
 */
export function withoutWait(endpoint: Endpoint, body: Uint8Array, waitedMs: number): Uint8Array {
  if (waitedMs <= LATE_MS || endpoint === 'store' || endpoint === 'security') return body
  const newline = body.indexOf(0x0a)
  const headerEnd = newline < 0 ? body.length : newline
  const moved = moveSentAt(body.subarray(0, headerEnd), waitedMs)
  return moved === null ? body : Buffer.concat([moved, body.subarray(headerEnd)])
}
