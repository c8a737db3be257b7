import type { OtlpEncoding, OtlpSignal } from '../../lib/otlp/signals'
import { type Quantity, quantityOf } from '../../lib/protocol/data-category'
import { type Envelope, type EnvelopeError, intakeError, parseHeaderOf } from '../../lib/protocol/envelope'
import { nameEvent } from '../../lib/protocol/event-id'
import { sumReports } from '../../lib/protocol/items/client-report'
import { parseRecord } from '../../lib/protocol/record'
import { type Endpoint, isDirect } from '../../lib/protocol/request'
import { fail, type Result } from '../../lib/protocol/result'
import { limitOf, SIZE_LIMITS, type SizeLimits } from '../../lib/protocol/size-limits'
import type { Discard } from '../../lib/protocol/submission'
import type { Refusal } from '../runtime/problem'
import { crashId } from './direct'
import { describeLimit } from './refusal'

/** A body in the framing of an envelope. One that is no envelope is a single item, and its header is empty. */
export interface ParsedBody extends Envelope {
  /** Only of a request of OpenTelemetry. */
  readonly exported?: Exported
}

/** The entries of an export request, without the decoded request: that takes many times the memory of its bytes. */
export interface Exported {
  readonly signal: OtlpSignal
  readonly encoding: OtlpEncoding
  /** Of the valid entries; empty without one. */
  readonly quantities: readonly Quantity[]
  /** `null` when all entries are valid. */
  readonly rejected: { readonly count: number; readonly message: string } | null
  /** The stamp that all entries have; `null` without one. */
  readonly stamp: string | null
}

/** The parts of a body that the record and its ledger store. */
export interface Contents {
  /** As the body names it, or assigned; `null` without event or transaction. */
  readonly eventId: string | null
  /** The same bytes, unless an event id was assigned. */
  readonly body: Uint8Array
  readonly quantities: readonly Quantity[]
  /** Empty for a copy, because the original carries the same reports. */
  readonly discards: readonly Discard[]
  /** `sent_at` of the header, in ms since the epoch; absent if there is none. */
  readonly sentAt?: number
  /** When its client reports were written, in ms since the epoch: the latest time, by the clock of the sender. */
  readonly countedAt?: number
}

/** @returns a refusal with 400 for a malformed body, with 413 for a body or an item over a limit */
export function parseBody(
  endpoint: Endpoint,
  bytes: Uint8Array,
  sizeLimits: SizeLimits = SIZE_LIMITS,
  target: string | null = null,
): Result<ParsedBody, Refusal> {
  const framed = parseRecord(endpoint, bytes, sizeLimits, target)
  if (!framed.ok) return fail(framingRefusal(framed.error, sizeLimits))
  const unlikeRelay = intakeError(bytes, framed.value)
  if (unlikeRelay !== null) return fail(framingRefusal(unlikeRelay, sizeLimits))
  const tooLarge = framed.value.items.find(({ header, payload }) => payload.length > sizeLimits[limitOf(header.type)])
  if (tooLarge === undefined) return framed
  const { header, payload } = tooLarge
  const type = header.type.slice(0, MAX_TYPE_LENGTH)
  return fail({
    status: 413,
    reason: 'payload_too_large',
    detail: `envelope exceeded size limits for type '${type}' ${describeLimit(sizeLimits, limitOf(header.type), payload.length)}`,
  })
}

/** Senders choose item types freely; a refusal repeats only this much of one. */
const MAX_TYPE_LENGTH = 64

/** Framing errors that mean a limit, with its name. `event`: at /store and /security the body is one event. */
const LIMIT_OF_ERROR: Partial<Record<EnvelopeError['code'], keyof SizeLimits>> = {
  header_too_long: 'header_line',
  too_many_items: 'items',
  payload_too_large: 'event',
}

/** Parses the header of an envelope of which only the start has arrived; `null` while that is too short to tell. */
export function parseStart(start: Uint8Array, sizeLimits: SizeLimits): Result<Envelope['header'], Refusal> | null {
  const header = parseHeaderOf(start, sizeLimits)
  return header === null || header.ok ? header : fail(framingRefusal(header.error, sizeLimits))
}

function framingRefusal({ code, message, at }: EnvelopeError, sizeLimits: SizeLimits): Refusal {
  const limit = LIMIT_OF_ERROR[code]
  return {
    status: limit === undefined ? 400 : 413,
    reason: code,
    detail: limit === undefined ? message : `${message} ${describeLimit(sizeLimits, limit)}`,
    causes: [`at byte ${at}`],
  }
}

/** @param newId returns 32 hex digits for an event without an id, the same for a repeated request */
export function readContents(
  endpoint: Endpoint,
  parsed: ParsedBody,
  bytes: Uint8Array,
  sizeLimits: SizeLimits,
  newId: () => string,
): Contents {
  const { header, items, exported } = parsed
  const sentAt = typeof header.sent_at === 'string' ? Date.parse(header.sent_at) : Number.NaN
  return {
    ...(isDirect(endpoint)
      ? { eventId: crashId(endpoint, bytes, newId), body: bytes }
      : nameEvent(endpoint, parsed, bytes, newId)),
    quantities: exported?.quantities ?? items.map(quantityOf),
    ...(endpoint === 'stream' ? { discards: [] } : sumReports(items, sizeLimits)),
    ...(!Number.isNaN(sentAt) && { sentAt }),
  }
}
