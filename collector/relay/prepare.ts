import { categoryOf } from '../../lib/protocol/data-category'
import type { Dsn } from '../../lib/protocol/dsn'
import { type EnvelopeItemFrame, moveSentAt } from '../../lib/protocol/envelope'
import { type Endpoint, frameRecord } from '../../lib/protocol/record'
import { takes } from '../../lib/protocol/upstream-answer'
import type { LeftOut, Removed } from '../../lib/wire/delivery'
import type { RecordedEnvelope } from '../index/stored-record'
import { StoppingError } from '../runtime/stopping'
import { UnscrubbedError } from '../runtime/unscrubbed'
import type { Attempt, Discard, StoredLimit } from '../spool/submission'
import { cutsOf, leftOutOf, toReportOf, withoutCut } from './cut'
import type { RateLimits } from './rate-limits'

/** Takes out what must not leave; the bytes are the same where it takes out nothing. */
export type Scrub = (
  endpoint: Endpoint,
  body: Uint8Array,
) => Promise<{ readonly body: Uint8Array; readonly removed: readonly Removed[] }>

export interface Preparing {
  readonly record: RecordedEnvelope
  /** Of the upstream that it is posted to. */
  readonly dsn: Pick<Dsn, 'publicKey' | 'projectId'>
  readonly limits: Pick<RateLimits, 'activeFor'>
  /** Errors wait for the end of their limit instead of being cut. */
  readonly holdErrors: boolean
  /** `null` where nothing is scrubbed. */
  readonly scrub: Scrub | null
  /** ms since the epoch. */
  readonly now: number
}

/** What to do with a record that is pending. What is cut is decided anew at each attempt. */
export type Prepared =
  /** What is left out ends `rate_limited` once upstream's answer to the rest is final. */
  | {
      readonly kind: 'post'
      readonly body: Uint8Array
      readonly form: Attempt['form']
      readonly leftOut: readonly LeftOut[]
      readonly removed: readonly Removed[]
      readonly toReport: readonly Discard[]
    }
  /** Nothing is left to post: every item ends `rate_limited`. */
  | { readonly kind: 'settled'; readonly leftOut: readonly LeftOut[]; readonly toReport: readonly Discard[] }
  /** It cannot be told what of it is secret. */
  | { readonly kind: 'unscrubbed' }
  /** An error waits for the end of its limit. @see until ms since the epoch. */
  | { readonly kind: 'hold'; readonly until: number }

const NOTHING = { leftOut: [], removed: [], toReport: [] } as const

/** Makes what is posted of a record: without what upstream limits just now, scrubbed, and with the time of a late one. */
export async function prepare(given: Preparing): Promise<Prepared> {
  const { record, dsn, scrub, now } = given
  const cut = cutFrom(record, given.limits.activeFor(dsn.publicKey, dsn.projectId), given.holdErrors)
  if (cut.kind !== 'post') return cut
  const scrubbed =
    scrub === null
      ? { body: cut.body, removed: [] }
      : await scrub(record.endpoint, cut.body).catch((error: Error) => notScrubbed(error, now))
  if ('kind' in scrubbed) return scrubbed
  const isScrubbed = scrubbed.body !== cut.body && Buffer.compare(scrubbed.body, cut.body) !== 0
  const waited = now - record.receivedAt + (record.facts.keptMs ?? 0)
  const body = withoutWait(record.endpoint, scrubbed.body, waited)
  const form: Attempt['form'] = [
    ...(cut.leftOut.length > 0 ? (['cut'] as const) : []),
    ...(isScrubbed ? (['scrubbed'] as const) : []),
    ...(body !== scrubbed.body ? (['late'] as const) : []),
  ]
  return {
    ...cut,
    body,
    form: form.length === 0 ? ['received'] : form,
    removed: inRecord(scrubbed.removed, cut.leftOut, record.quantities.length),
  }
}

/** Where the collector stops, nothing is wrong with it: it stays pending. */
function notScrubbed(error: Error, now: number): Extract<Prepared, { kind: 'unscrubbed' | 'hold' }> {
  if (error instanceof StoppingError) return { kind: 'hold', until: now }
  if (error.name !== UnscrubbedError.NAME) throw error
  return { kind: 'unscrubbed' }
}

function cutFrom(record: RecordedEnvelope, limits: readonly StoredLimit[], holdErrors: boolean): Prepared {
  const whole: Prepared = { kind: 'post', body: record.body, form: ['received'], ...NOTHING }
  // As it goes almost always: nothing is looked at.
  if (limits.length === 0) return whole
  const framed = frameRecord(record.endpoint, record.body)
  if (!framed.ok) return whole
  const { items } = framed.value
  const until = holdErrors ? endOfErrors(items, limits) : null
  if (until !== null) return { kind: 'hold', until }
  const cuts = cutsOf(items, (category) => limits.some((limit) => takes(limit.category, category)))
  const leftOut = leftOutOf(items, record.quantities, cuts)
  if (leftOut.length === 0) return whole
  const toReport = toReportOf(items, leftOut)
  if (leftOut.length === items.length) return { kind: 'settled', leftOut, toReport }
  return { ...whole, body: withoutCut(record.body, framed.value, cuts), leftOut, toReport }
}

/** When the last limit that takes an error of these items ends; `null` where none does. */
function endOfErrors(items: readonly EnvelopeItemFrame[], limits: readonly StoredLimit[]): number | null {
  if (!items.some(({ header }) => categoryOf(header.type) === 'error')) return null
  const ends = limits.filter(({ category }) => takes(category, 'error')).map(({ until }) => until)
  return ends.length === 0 ? null : Math.max(...ends)
}

/** What was removed, by the numbers that items have in the record: those of the posted bytes are others after a cut. */
function inRecord(removed: readonly Removed[], leftOut: readonly LeftOut[], many: number): readonly Removed[] {
  if (removed.length === 0 || leftOut.length === 0) return removed
  const gone = new Set(leftOut.map(({ item }) => item))
  const kept = Array.from({ length: many }, (_, item) => item).filter((item) => !gone.has(item))
  return removed.map((one) => ({
    ...one,
    path: one.path.replace(/^\d+/, (index) => String(kept[Number(index)] ?? index)),
  }))
}

/** Relay moves the times of what is sent by the drift of its `sent_at` where that is more than 55 minutes. */
const LATE_MS = 50 * 60 * 1000

/**
 * An envelope that is posted late says when it was sent as if it had only just been: what is told of its times would
 * else be moved by the time that it waited here.
 * @returns the same bytes where it is not late, or says no time.
 */
function withoutWait(endpoint: Endpoint, body: Uint8Array, waitedMs: number): Uint8Array {
  if (waitedMs <= LATE_MS || endpoint === 'store' || endpoint === 'security') return body
  const newline = body.indexOf(0x0a)
  const headerEnd = newline < 0 ? body.length : newline
  const moved = moveSentAt(body.subarray(0, headerEnd), waitedMs)
  return moved === null ? body : Buffer.concat([moved, body.subarray(headerEnd)])
}
