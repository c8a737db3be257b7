import { type Quantity, quantityOf } from '../../lib/protocol/data-category'
import { parseDsn } from '../../lib/protocol/dsn'
import type { Envelope, EnvelopeError } from '../../lib/protocol/envelope'
import { hex32 } from '../../lib/protocol/json'
import { LIMITS, type Limits, limitOf } from '../../lib/protocol/limits'
import { type Endpoint, frameRecord } from '../../lib/protocol/record'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { Discard } from '../spool/submission'
import { discardsOf } from './discards'
import { limitWords } from './limit-words'
import type { Refusal } from './refusal'

/** Who an envelope says it is for, from the request and from its own header. */
export interface Claim {
  /** From the path; `null` at the tunnel. */
  readonly project: string | null
  /** From header or query; `null` when only the envelope names one. */
  readonly key: string | null
}

export interface Admitted {
  readonly publicKey: string
  readonly project: string
  /** For the answer `{ "id": … }`. */
  readonly eventId: string | null
  readonly quantities: readonly Quantity[]
  /** What its client reports say; a copy's say nothing that the path does not. */
  readonly discards: readonly Discard[]
}

export type AdmitsProject = (sent: { readonly publicKey: string; readonly projectId: string }) => boolean

/**
 * Decides at the endpoint. Key and project are compared exactly; host, path and secret of a received DSN are never used.
 * @returns a refusal for what is broken (400), larger than the limits (413), names nobody (401) or somebody else (403).
 */
export function admit(
  endpoint: Endpoint,
  bytes: Uint8Array,
  claim: Claim,
  admits: AdmitsProject,
  limits: Limits = LIMITS,
): Result<Admitted, Refusal> {
  const parsed = frameRecord(endpoint, bytes, limits)
  if (!parsed.ok) {
    const { code, message, at } = parsed.error
    const limit = BEYOND_A_LIMIT[code]
    return fail({
      status: limit === undefined ? 400 : 413,
      reason: code,
      detail: limit === undefined ? message : `${message} ${limitWords(limits, limit)}`,
      causes: [`at byte ${at}`],
    })
  }
  const tooLarge = parsed.value.items.find(({ header, payload }) => payload.length > limits[limitOf(header.type)])
  if (tooLarge !== undefined) {
    const { header, payload } = tooLarge
    return fail({
      status: 413,
      reason: 'payload_too_large',
      detail: `envelope exceeded size limits for type '${header.type.slice(0, LONGEST_NAME)}' ${limitWords(limits, limitOf(header.type), payload.length)}`,
    })
  }
  const identity = identify(parsed.value, claim)
  if (!identity.ok) return identity
  if (!admits({ publicKey: identity.value.publicKey, projectId: identity.value.project }))
    return fail({
      status: 403,
      reason: 'unknown_project',
      detail: `project ${identity.value.project} with this key is not one that Waystation relays; use the local DSN it prints at start`,
    })
  return succeed({
    ...identity.value,
    eventId: hex32(parsed.value.header.event_id),
    quantities: parsed.value.items.map(quantityOf),
    discards: endpoint === 'stream' ? [] : discardsOf(parsed.value.items, limits),
  })
}

/** A type is the sender's word: of a long one the beginning is repeated. */
const LONGEST_NAME = 64
/** The limit that a code of framing speaks of: a payload is framed by one where the body is a single event. */
const BEYOND_A_LIMIT: Partial<Record<EnvelopeError['code'], keyof Limits>> = {
  header_too_long: 'header_line',
  too_many_items: 'items',
  payload_too_large: 'event',
}

/** The path is the sender's word too: locally only everybody is admitted, but not under every name. */
const PROJECT = /^\d{1,20}$/

function identify(envelope: Envelope, claim: Claim): Result<{ publicKey: string; project: string }, Refusal> {
  const { dsn } = envelope.header
  if (claim.project !== null && !PROJECT.test(claim.project))
    return fail({
      status: 400,
      reason: 'malformed_project',
      detail: 'the project in the path is not a numeric project id',
    })
  if (dsn === undefined) {
    if (claim.key === null || claim.project === null)
      return fail({
        status: 401,
        reason: 'no_key',
        detail: 'no public key: send sentry_key by X-Sentry-Auth or query, or a dsn in the envelope header',
      })
    return succeed({ publicKey: claim.key, project: claim.project })
  }
  const parsed = typeof dsn === 'string' ? parseDsn(dsn) : fail('the dsn of the envelope header is not text')
  if (!parsed.ok) return fail({ status: 400, reason: 'malformed_dsn', detail: parsed.error })
  const { publicKey, projectId } = parsed.value
  if ((claim.key !== null && claim.key !== publicKey) || (claim.project !== null && claim.project !== projectId))
    return fail({
      status: 400,
      reason: 'dsn_mismatch',
      detail: 'the dsn of the envelope header names another key or project than the request',
    })
  return succeed({ publicKey, project: projectId })
}
