import type { Discard, SubmissionContent } from '../../lib/protocol/submission'
import { addressOf, isDsn, type Upstream } from '../../lib/protocol/upstream-address'
import type { ReadUptime } from '../../lib/tunnel/uptime'
import { faultPoint } from '../runtime/fault-point'
import { SpoolDamagedError } from '../runtime/sqlite-errors'
import type { PendingSubmission, Spool } from '../spool/spool'
import { type Attempt, BodyDamagedError, type Decision, EVERY_ITEM, type StoredLimit } from '../spool/spool'
import type { Send } from './http-sender'
import { storedLimits } from './limit-headers'
import type { Turn } from './open-posts'
import { limitsOfPost, outcomeOfPost, type PostOutcome } from './post-outcome'
import { post } from './post-record'
import { prepare, type Scrub } from './prepare'
import type { RateLimits } from './running-limits'
import { type SessionOrder, sessionsOf } from './session-order'

/** The longest time one post may take: connect, send and read the answer. */
const TIMEOUT_MS = 10_000

/** Characters of a response header that are stored for people. The relay obeys the whole header. */
const STORED_HEADER_CHARS = 4096

export interface DeliveryTools {
  readonly spool: Pick<Spool, 'recordAttempt' | 'storeLimits' | 'decideWithoutAttempt'>
  readonly reader: Pick<Spool, 'record'>
  readonly rateLimits: Pick<RateLimits, 'activeFor' | 'add'>
  /** Defer errors until their limit ends, instead of cutting them. */
  readonly holdErrors: boolean
  /** Removes secrets; `null` where scrubbing is off. */
  readonly scrub: Scrub | null
  readonly send: Send
  readonly now: () => number
  readonly uptime: ReadUptime
}

interface DeliveryContext {
  readonly upstream: Upstream
  readonly label: string
  readonly standIn: boolean
  readonly tools: DeliveryTools
  /** The position of this record in spool order: posts start in that order. */
  readonly turn: Turn
  readonly sessions: SessionOrder
  /** Whether posts may start: its relay has not ended, and the breaker is closed. */
  readonly mayPost: () => boolean
  readonly signal: AbortSignal
  /** The conclusion of an earlier delivery that could not be written. */
  readonly unwritten: Conclusion | undefined
  /** Called when upstream needs nothing more of this record. The commit is still to come. */
  readonly onConcluded: () => void
}

/** The result for a record: one attempt to post it, or a decision without a post. */
export type Conclusion =
  | {
      readonly kind: 'attempted'
      readonly attempt: Attempt
      /** `unavailable` also where no answer came. */
      readonly outcome: PostOutcome['kind']
      /** Limits to store; those of a stamp are not. */
      readonly rateLimits: readonly StoredLimit[]
    }
  | { readonly kind: 'withoutAttempt'; readonly decision: NonNullable<Decision>; readonly toReport: readonly Discard[] }

export type DeliveryResult =
  /** The record was evicted or cleared after it was listed. */
  | { readonly kind: 'gone' }
  /** An earlier update of one of its sessions goes first. */
  | { readonly kind: 'parked' }
  /** The circuit breaker opened while the record was prepared. */
  | { readonly kind: 'blocked' }
  | { readonly kind: 'deferred'; readonly until: number }
  /** `writeError` is `null` when the conclusion was written. */
  | { readonly kind: 'concluded'; readonly conclusion: Conclusion; readonly writeError: string | null }

/**
 * Reads it, prepares the body (cut limited items, scrub, shift `sent_at`), waits for its turn, posts, decides from the
 * answer, writes the attempt. Rejects only for bugs and failures of our own disk or threads.
 */
export async function deliverRecord(queued: PendingSubmission, context: DeliveryContext): Promise<DeliveryResult> {
  const { upstream, label, tools, turn } = context
  const { rateLimits, now } = tools
  const { seq } = queued
  const conclude = async (conclusion: Conclusion): Promise<DeliveryResult> => {
    turn.passed()
    if (!staysPending(conclusion)) context.onConcluded()
    return { kind: 'concluded', conclusion, writeError: await write(tools.spool, seq, conclusion) }
  }
  // The record was posted already: only the write is repeated.
  if (context.unwritten !== undefined) return conclude(context.unwritten)

  const record = queued.content ?? (await readRecord(tools.reader, seq))
  if (record === null) return { kind: 'gone' }
  if (record instanceof Error) return conclude(damagedRecord(seq, label, now(), record))

  const { holdErrors, scrub } = tools
  const address = addressOf(upstream)
  const prepared = await prepare({
    record,
    upstream,
    rateLimits,
    holdErrors,
    scrub,
    now: now(),
    uptime: tools.uptime(),
  })

  await turn.ready
  // The record keeps its position among the updates of its sessions, also when it is deferred or retried.
  if (!context.sessions.enter(queued, sessionsOf(record))) return { kind: 'parked' }
  if (!context.mayPost()) return { kind: 'blocked' }
  if (prepared.kind === 'defer') return { kind: 'deferred', until: prepared.until }
  // Only Sentry accepts client reports.
  if (prepared.kind === 'withoutAttempt') return conclude(isDsn(address) ? prepared : { ...prepared, toReport: [] })

  const { body, form, leftOut, removed } = prepared
  const startedAt = now()
  const posting = post({
    address,
    endpoint: record.endpoint,
    body,
    facts: record.facts,
    stamp: context.standIn ? record.stamp : null,
    send: tools.send,
    timeoutMs: TIMEOUT_MS,
    signal: context.signal,
  })
  turn.passed() // The next record starts after this post has started, not after its answer.
  const { limitsStamp, ...posted } = await posting
  if (posted.status !== null) faultPoint('relayed')
  const endedAt = now()

  const answer = posted.status === null ? null : { ...posted, status: posted.status }
  const reported = answer === null ? [] : limitsOfPost(answer, endedAt)
  const outcome: PostOutcome =
    answer === null
      ? { kind: 'unavailable' }
      : outcomeOfPost(answer.status, reported, record.quantities, leftOut, record.endpoint)
  const answered = storedLimits(reported, upstream, seq, endedAt)
  rateLimits.add(limitsStamp === null ? answered : answered.map((limit) => ({ ...limit, stamp: limitsStamp })))

  return conclude({
    kind: 'attempted',
    outcome: outcome.kind,
    rateLimits: limitsStamp === null ? answered : [],
    attempt: {
      seq,
      upstream: label,
      startedAt,
      endedAt,
      ...posted,
      rateLimits: posted.rateLimits?.slice(0, STORED_HEADER_CHARS) ?? null,
      retryAfter: posted.retryAfter?.slice(0, STORED_HEADER_CHARS) ?? null,
      form,
      bytes: body.length,
      leftOut,
      removed,
      decision: outcome.kind === 'decided' ? outcome.decision : null,
      dead: outcome.kind === 'envelopeRefused',
      // A retry decides again which items are cut, so a cut counts only with a final answer.
      toReport: outcome.kind === 'decided' ? prepared.toReport : [],
    },
  })
}

const staysPending = (conclusion: Conclusion): boolean =>
  conclusion.kind === 'attempted' && (conclusion.outcome === 'unavailable' || conclusion.outcome === 'dsnRefused')

/** @returns the record; `null` when it is gone; an error when its stored bytes are damaged. */
const readRecord = (reader: Pick<Spool, 'record'>, seq: number): Promise<SubmissionContent | Error | null> =>
  reader.record(seq).catch((error: Error) => {
    if (error.name !== BodyDamagedError.NAME && error.name !== SpoolDamagedError.NAME) throw error
    return error
  })

/** Ends a record whose bytes are damaged, so that later records of its sessions can follow. */
const damagedRecord = (seq: number, upstream: string, at: number, error: Error): Conclusion => ({
  kind: 'attempted',
  outcome: 'decided',
  rateLimits: [],
  attempt: {
    seq,
    upstream,
    startedAt: at,
    endedAt: at,
    status: null,
    error: error.message,
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
    unreadable: error.name === SpoolDamagedError.NAME,
    toReport: [],
  },
})

/**
 * Writes a conclusion. A full disk must not end the process: the record stays pending and the write is repeated.
 * @returns why it could not be written; `null` when it was.
 */
async function write(spool: DeliveryTools['spool'], seq: number, conclusion: Conclusion): Promise<string | null> {
  try {
    if (conclusion.kind === 'withoutAttempt') {
      await spool.decideWithoutAttempt(seq, conclusion.decision, conclusion.toReport)
      return null
    }
    if (conclusion.rateLimits.length > 0) await spool.storeLimits(conclusion.rateLimits)
    await spool.recordAttempt(conclusion.attempt)
    return null
  } catch (error) {
    return `the result could not be written: ${error instanceof Error ? error.message : String(error)}`
  }
}
