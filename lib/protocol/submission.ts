import type { Quantity } from './data-category'
import type { Outcome } from './outcome'
import type { Endpoint } from './request'
import type { Uptime } from './waited'

export interface SubmissionFacts extends Partial<Uptime> {
  readonly method: string
  readonly contentType: string | null
  readonly contentEncoding: string | null
  readonly userAgent: string | null
  /** Client hints (`sec-ch-ua…`), passed on upstream. */
  readonly clientHints: Readonly<Record<string, string>>
  readonly origin: string | null
  /** The client's address, from a trusted hop only. */
  readonly forwardedFor: string | null
  readonly page: string | null
  /** Caused by the lab: relayed to another machine only if a person enables it. */
  readonly lab: boolean
  /** SHA-256 of the cookie of the visitor who sent it; absent if no trusted tunnel named one. */
  readonly visitor?: string
  /** The visitor forbids passing it on; absent otherwise. */
  readonly consent?: 'kept'
  /** Sent by Waystation's own app: not relayed unless `WAYSTATION_RELAY_OWN` is on. */
  readonly own?: true
  /** `sentry_client` and `sentry_version` of the sender, passed on upstream. */
  readonly client?: string
  readonly version?: string
  /** Ms in the lifeboat of the tunnel; absent if it was passed on at once, so that its sender reads the answer. */
  readonly keptMs?: number
  /** Query parameters of a report endpoint: `sentry_release`, `sentry_environment`. */
  readonly query?: Readonly<Record<string, string>>
  /** Of a crash report, check-in, network report or file: its address after the project, with `{key}` for the key. */
  readonly target?: string
  /** Secrets that scrubbing removed before the body was stored, by rule and path; absent if none. */
  readonly scrubbed?: readonly RemovedSecret[]
}

/** Facts that say nothing about a request and its sender. */
export const NO_REQUEST: SubmissionFacts = {
  method: 'POST',
  contentType: null,
  contentEncoding: null,
  userAgent: null,
  clientHints: {},
  origin: null,
  forwardedFor: null,
  page: null,
  lab: false,
}

/** Secrets of one rule at one path, which scrubbing removed. */
export interface RemovedSecret {
  readonly rule: string
  readonly path: string
}

export interface Discard extends Quantity {
  readonly reason: string
}

/** One received request, to be stored. Times are ms since the epoch. */
export interface Submission {
  readonly receipt: string
  readonly receivedAt: number
  readonly endpoint: Endpoint
  readonly project: string
  readonly publicKey: string
  readonly stamp: string | null
  readonly facts: SubmissionFacts
  /** One entry per item, in order. */
  readonly quantities: readonly Quantity[]
  /** Of all its client reports together. */
  readonly discards: readonly Discard[]
  /** Limits that its answer reports; empty if nothing is limited. */
  readonly reportedLimits: readonly ReportedLimit[]
  readonly body: Uint8Array
  /** `sent_at` of the envelope, in ms since the epoch by the clock of the sender. */
  readonly sentAt?: number
  /** When its client reports were written, in ms since the epoch by the clock of the sender: the latest time. */
  readonly countedAt?: number
  /** The sender was gone before any answer: a tunnel stores such an envelope and delivers it later. */
  readonly answerUnseen?: true
  /** `pending` for delivery, `kept`, or `copy` (a Spotlight duplicate, never counted). */
  readonly deliveryStatus: 'pending' | 'copy' | { readonly outcome: Outcome; readonly reason: string }
}

export interface ReportedLimit {
  /** As upstream names it; `all` for every category. */
  readonly category: string
  /** ms since the epoch. */
  readonly until: number
}

/** The part of a submission that is relayed, and that a page shows. */
export type SubmissionContent = Pick<
  Submission,
  'receivedAt' | 'endpoint' | 'receipt' | 'stamp' | 'facts' | 'quantities' | 'body'
>

/** A submission on record, with the facts about its request that verdicts depend on. */
export interface StoredSubmission {
  readonly seq: number
  /** Journal number of its `received` fact. */
  readonly journal: number
  /** ms since the epoch. */
  readonly receivedAt: number
  readonly endpoint: Endpoint
  readonly project: string
  readonly publicKey: string
  readonly stamp: string | null
  /** The sender's page header, random per page load; `null` without one. */
  readonly page: string | null
  readonly userAgent: string | null
  readonly origin: string | null
  /** Content-Type of the request: requests of OpenTelemetry are parsed by it. */
  readonly contentType?: string | null | undefined
  /** Ms in the lifeboat of the tunnel; absent if it was passed on at once. */
  readonly keptMs?: number | undefined
  /** Of a check-in that is no envelope: the address that names its monitor. */
  readonly target?: string | null | undefined
  readonly body: Uint8Array
}
