import { EvictionTimeoutError } from '../../collector/spool/disk/budget-keeper'
import { isProblem } from '../../lib/wire/errors'
import { type CollectorProcess, postEnvelope } from './collector-process'

/** Longest time for one eviction. */
const MAX_EVICTION_MS = 60_000
const TIMED_OUT = new EvictionTimeoutError().message

/** True for a 503 because eviction timed out. Then nothing was stored. */
async function isEvictionTimeout(answer: Response): Promise<boolean> {
  const isJson = answer.headers.get('content-type')?.includes('json') === true
  if (answer.status !== 503 || !isJson) return false
  const body: unknown = await answer.clone().json()
  return isProblem(body) && body.causes.includes(TIMED_OUT)
}

/** Repeats a post while the answer is that eviction timed out. Returns any other answer. */
export async function retryWhileEvicting(post: () => Promise<Response>): Promise<Response> {
  for (const deadline = Date.now() + MAX_EVICTION_MS; ; ) {
    const answer = await post()
    if (Date.now() > deadline || !(await isEvictionTimeout(answer))) return answer
  }
}

/** Posts an envelope to a full store, whose eviction may be slow. */
export const postWhileEvicting = (
  collector: Pick<CollectorProcess, 'url'>,
  body: string | Uint8Array,
): Promise<Response> => retryWhileEvicting(() => postEnvelope(collector, body))
