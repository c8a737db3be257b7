import type { Dsn } from '../../lib/protocol/dsn'
import type { RecordedEnvelope } from '../index/stored-record'
import { faultPoint } from '../runtime/fault-point'
import { type Attempt, EVERY_ITEM, type StoredLimit } from '../spool/submission'
import { decide, limitsOfPost, type Verdict } from './decide'
import { storedLimits } from './limits'
import { post } from './post'
import type { Prepared } from './prepare'
import type { Send } from './send'

/** One post takes so long at most, everything together. */
const TIMEOUT_MS = 10_000

/** What a person sees of a header; all of it is obeyed. */
const SHOWN_HEADER = 4096

/** What came of a post, ready to be written down. */
export interface Attempted {
  readonly kind: 'attempted'
  readonly attempt: Attempt
  /** `not now` also where no answer came. */
  readonly verdict: Verdict['kind']
  readonly limits: readonly StoredLimit[]
}

/** Posts what was prepared of a record, and judges the answer. The post starts before this returns its promise. */
export async function attempt(given: {
  readonly seq: number
  readonly dsn: Dsn
  /** Host and project of the upstream. */
  readonly label: string
  readonly record: RecordedEnvelope
  readonly prepared: Extract<Prepared, { kind: 'post' }>
  readonly send: Send
  readonly now: () => number
  readonly signal: AbortSignal
}): Promise<Attempted> {
  const { seq, dsn, label, record, prepared, now } = given
  const { body, form, leftOut, removed } = prepared
  const startedAt = now()
  const posted = await post({
    upstream: dsn,
    endpoint: record.endpoint,
    body,
    facts: record.facts,
    send: given.send,
    timeoutMs: TIMEOUT_MS,
    signal: given.signal,
  })
  if (posted.status !== null) faultPoint('relayed')
  const endedAt = now()
  const answer = posted.status === null ? null : { ...posted, status: posted.status }
  const told = answer === null ? [] : limitsOfPost(answer, endedAt)
  const verdict: Verdict =
    answer === null ? { kind: 'not now' } : decide(answer.status, told, record.quantities, leftOut)
  return {
    kind: 'attempted',
    verdict: verdict.kind,
    limits: storedLimits(told, dsn, seq, endedAt),
    attempt: {
      seq,
      upstream: label,
      startedAt,
      endedAt,
      ...posted,
      rateLimits: posted.rateLimits?.slice(0, SHOWN_HEADER) ?? null,
      retryAfter: posted.retryAfter?.slice(0, SHOWN_HEADER) ?? null,
      form,
      bytes: body.length,
      leftOut,
      removed,
      decision: verdict.kind === 'final' ? verdict.decision : null,
      dead: verdict.kind === 'dead',
      // What was cut is cut for good only once the rest is answered for good.
      toReport: verdict.kind === 'final' ? prepared.toReport : [],
    },
  }
}

/** What there is to say of a record that cannot be posted: its bytes are lost, and nothing mends that. */
export const attemptAtDamaged = (seq: number, upstream: string, at: number, why: string): Attempted => ({
  kind: 'attempted',
  verdict: 'final',
  limits: [],
  attempt: {
    seq,
    upstream,
    startedAt: at,
    endedAt: at,
    status: null,
    error: why,
    rateLimits: null,
    retryAfter: null,
    answer: null,
    form: ['received'],
    sha256: '',
    bytes: 0,
    maybeDelivered: false,
    leftOut: [],
    removed: [],
    decision: [{ item: EVERY_ITEM, outcome: 'invalid', reason: 'damaged_record' }],
    dead: false,
    toReport: [],
  },
})
