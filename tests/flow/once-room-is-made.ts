import { EvictionTimeoutError } from '../../collector/spool/budget-keeper'
import { problemSchema } from '../../lib/wire/errors'
import { type CollectorProcess, postEnvelope } from './collector-process'

const TIMED_OUT = new EvictionTimeoutError().message
/** If eviction does not free the space by then, it never will. */
const LONGEST_MS = 60_000

/** Says this 503 that room was not made in time? Then nothing is stored. */
async function isOutOfTime(answer: Response): Promise<boolean> {
  return answer.status === 503 && problemSchema.parse(await answer.clone().json()).causes.includes(TIMED_OUT)
}

/** Posts, and posts again while the answer is that room could not be made in time. Any other answer is given back. */
export async function onceRoomIsMade(post: () => Promise<Response>): Promise<Response> {
  for (const deadline = Date.now() + LONGEST_MS; ; ) {
    const answer = await post()
    if (Date.now() > deadline || !(await isOutOfTime(answer))) return answer
  }
}

/** Posts an envelope to a full store, of which nobody knows how fast it makes room. */
export const postForRoom = (collector: Pick<CollectorProcess, 'url'>, body: string | Uint8Array): Promise<Response> =>
  onceRoomIsMade(() => postEnvelope(collector, body))
