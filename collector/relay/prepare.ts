import { categoryOfItem } from '../../lib/protocol/data-category'
import { type EnvelopeItemFrame, moveSentAt } from '../../lib/protocol/envelope'
import { limitAppliesTo } from '../../lib/protocol/rate-limits'
import { type Endpoint, parseRecord } from '../../lib/protocol/record'
import { isEnvelope } from '../../lib/protocol/request'
import type { Discard, SubmissionContent } from '../../lib/protocol/submission'
import type { UpstreamIdentity } from '../../lib/protocol/upstream-address'
import { type Uptime, waitedMs } from '../../lib/protocol/waited'
import type { LeftOut, Removed } from '../../lib/wire/delivery'
import { StoppingError, UnscrubbedError } from '../runtime/thread-errors'
import { type Attempt, type Decision, EVERY_ITEM, type StoredLimit } from '../spool/spool'
import { cutsOf, leftOutOf, toReportOf, withoutCut } from './cut'
import { decisionOfCut } from './post-outcome'
import type { RateLimits } from './running-limits'

/** Sentry's Relay shifts the times of an envelope whose `sent_at` is off by more than 55 minutes. */
const LATE_MS = 50 * 60 * 1000

/** Removes secrets. Returns the same bytes where it removes nothing. */
export type Scrub = (
  endpoint: Endpoint,
  body: Uint8Array,
  contentType: string | null,
) => Promise<{ readonly body: Uint8Array; readonly removed: readonly Removed[] }>

export interface Preparing {
  readonly record: SubmissionContent
  readonly upstream: UpstreamIdentity
  readonly rateLimits: Pick<RateLimits, 'activeFor'>
  readonly holdErrors: boolean
  readonly scrub: Scrub | null
  readonly now: number
  readonly uptime: Uptime
}

/** The next action for a pending record. Each attempt decides again which items are cut. */
type Prepared =
  /** Items in `leftOut` end `rate_limited` with upstream's final answer to the others. */
  | {
      readonly kind: 'post'
      readonly body: Uint8Array
      readonly form: Attempt['form']
      readonly leftOut: readonly LeftOut[]
      readonly removed: readonly Removed[]
      readonly toReport: readonly Discard[]
    }
  | { readonly kind: 'withoutAttempt'; readonly decision: NonNullable<Decision>; readonly toReport: readonly Discard[] }
  /** It waits for the end of a limit, ms since the epoch. */
  | { readonly kind: 'defer'; readonly until: number }

const NOTHING = { leftOut: [], removed: [], toReport: [] } as const

/** Makes the body to post: without items that upstream limits now, scrubbed, and with `sent_at` shifted when it is late. */
export async function prepare(given: Preparing): Promise<Prepared> {
  const { record, upstream, scrub, now } = given
  const cut = cutLimited(
    record,
    given.rateLimits.activeFor(upstream.publicKey, upstream.projectId, record.stamp),
    given.holdErrors,
  )
  if (cut.kind !== 'post') return cut

  const scrubbed =
    scrub === null
      ? { body: cut.body, removed: [] }
      : await scrub(record.endpoint, cut.body, record.facts.contentType).catch((error: Error) =>
          withoutScrub(error, now),
        )
  if ('kind' in scrubbed) return scrubbed
  const isScrubbed = scrubbed.body !== cut.body && Buffer.compare(scrubbed.body, cut.body) !== 0

  const { receivedAt, facts } = record
  const here = waitedMs({ ...facts, at: receivedAt }, { ...given.uptime, at: now })
  const body = here === null ? scrubbed.body : shiftSentAt(record.endpoint, scrubbed.body, here + (facts.keptMs ?? 0))
  const form: Attempt['form'] = [
    ...(cut.leftOut.length > 0 ? (['cut'] as const) : []),
    ...(isScrubbed ? (['scrubbed'] as const) : []),
    ...(body !== scrubbed.body ? (['late'] as const) : []),
  ]
  return {
    ...cut,
    body,
    form: form.length === 0 ? ['received'] : form,
    removed: withRecordItems(scrubbed.removed, cut.leftOut, record.quantities.length),
  }
}

function cutLimited(record: SubmissionContent, rateLimits: readonly StoredLimit[], holdErrors: boolean): Prepared {
  const whole: Prepared = { kind: 'post', body: record.body, form: ['received'], ...NOTHING }
  // The usual case: the record is not parsed.
  if (rateLimits.length === 0) return whole
  const framed = parseRecord(record.endpoint, record.body)
  if (!framed.ok) return whole
  const { items } = framed.value
  const until = holdErrors ? endOfErrorLimits(items, rateLimits) : null
  if (until !== null) return { kind: 'defer', until }
  const cuts = cutsOf(items, (category) => rateLimits.some((limit) => limitAppliesTo(limit.category, category)))
  const leftOut = leftOutOf(items, record.quantities, cuts)
  if (leftOut.length === 0) return whole
  const toReport = toReportOf(items, leftOut)
  if (leftOut.length === items.length) return { kind: 'withoutAttempt', decision: decisionOfCut(leftOut), toReport }
  return { ...whole, body: withoutCut(record.body, framed.value, cuts), leftOut, toReport }
}

/** When the last limit that applies to an error of these items ends; `null` where none applies. */
function endOfErrorLimits(items: readonly EnvelopeItemFrame[], rateLimits: readonly StoredLimit[]): number | null {
  if (!items.some(({ header }) => categoryOfItem(header) === 'error')) return null
  const ends = rateLimits.filter(({ category }) => limitAppliesTo(category, 'error')).map(({ until }) => until)
  return ends.length === 0 ? null : Math.max(...ends)
}

/** A record that cannot be scrubbed is not posted. When the scrubber failed because the collector stops, it stays pending. */
function withoutScrub(error: Error, now: number): Extract<Prepared, { kind: 'withoutAttempt' | 'defer' }> {
  if (error instanceof StoppingError) return { kind: 'defer', until: now }
  if (error.name !== UnscrubbedError.NAME) throw error
  const decision = [{ item: EVERY_ITEM, outcome: 'filtered', reason: 'unscrubbed' }] as const
  return { kind: 'withoutAttempt', decision, toReport: [] }
}

/**
 * Adds the time that a late envelope waited here: Relay would shift all its timestamps by that time. Returns the same
 * bytes where it is not late, or has no `sent_at`.
 */
function shiftSentAt(endpoint: Endpoint, body: Uint8Array, ms: number): Uint8Array {
  if (ms <= LATE_MS || !isEnvelope(endpoint)) return body
  const newline = body.indexOf(0x0a)
  const headerEnd = newline < 0 ? body.length : newline
  const moved = moveSentAt(body.subarray(0, headerEnd), ms)
  return moved === null ? body : Buffer.concat([moved, body.subarray(headerEnd)])
}

/** Replaces item numbers of the posted body by those of the record: they differ after a cut. */
function withRecordItems(removed: readonly Removed[], leftOut: readonly LeftOut[], items: number): readonly Removed[] {
  if (removed.length === 0 || leftOut.length === 0) return removed
  const gone = new Set(leftOut.map(({ item }) => item))
  const kept = Array.from({ length: items }, (_, item) => item).filter((item) => !gone.has(item))
  return removed.map((one) => ({
    ...one,
    path: one.path.replace(/^\d+/, (index) => String(kept[Number(index)] ?? index)),
  }))
}
