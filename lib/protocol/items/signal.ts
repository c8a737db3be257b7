import type { Envelope, EnvelopeItemFrame } from '../envelope'
import type { JsonObject } from '../json-value'
import { type Result, succeed } from '../result'
import type { SizeLimits } from '../size-limits'
import type { EpochUs } from '../timestamp'

/** One signal (a log, a metric, a session, …) in the shape of all kinds; `fields` holds the fields of its kind. */
export interface Signal {
  readonly kind: SignalKind
  /** `sid` of a session, id of a check-in: equal keys are one row. `null` when each signal is separate (a log). */
  readonly key: string | null
  /** Of signals with the same key, the one with the highest rank is shown. Usually the time in µs. */
  readonly rank: number
  /** `null` when the item has no time; the time of receipt is shown instead. */
  readonly timestampUs: EpochUs | null
  readonly traceId: string | null
  readonly spanId: string | null
  readonly eventId: string | null
  /** The text in lists: the body of a log, the name of a metric or file. At most 1000 characters. */
  readonly name: string
  /** As sent: `info`, `ok`, `crashed`. */
  readonly level: string | null
  readonly environment: string | null
  readonly release: string | null
  readonly fields: JsonObject
}

export interface SignalItem {
  readonly header: EnvelopeItemFrame['header']
  readonly payload: Uint8Array
  readonly index: number
  readonly envelope: Envelope
  readonly eventId: string | null
  /** The maximum number of entries to read: each becomes a row, and an empty entry takes only two bytes to send. */
  readonly most: number
}

/** The sender, as far as an item names it. */
interface SignalSender {
  readonly platform: string | null
  readonly sdk: string | null
  /** Some SDKs have the same name in browser and server; then only the item shows the difference. */
  readonly inBrowser: boolean | null
}

export const NO_SENDER: SignalSender = { platform: null, sdk: null, inBrowser: null }

export interface Signals {
  readonly signals: readonly Signal[]
  readonly sender: SignalSender
  readonly unreadable: number
  /** The number of entries over the limit, which are not read. */
  readonly beyond: number
}

export type ReadLimits = Pick<SizeLimits, 'depth' | 'tags'>

/** Parses one item, or returns an error message. Pure: the same item always gives the same signals. */
export type ParseSignals = (item: SignalItem, sizeLimits: ReadLimits) => Result<Signals, string>

/** Defaults of the fields that most signals do not have. */
export const NO_FIELDS = {
  key: null,
  rank: 0,
  timestampUs: null,
  traceId: null,
  spanId: null,
  eventId: null,
  level: null,
  environment: null,
  release: null,
} as const satisfies Partial<Signal>

export const cutName = (name: string): string => name.slice(0, 1000)
/** Cuts an id that the sender chose and that may have any length. */
export const cutKey = (key: string): string => key.slice(0, 200)

export const oneSignal = (signal: Signal, sender: SignalSender = NO_SENDER): Result<Signals, string> =>
  succeed({ signals: [signal], unreadable: 0, beyond: 0, sender })

/** The kinds of signals: telemetry other than errors and spans. */
export const SIGNAL_KINDS = [
  'log',
  'metric',
  'session',
  'client_report',
  'attachment',
  'feedback',
  'replay',
  'profile',
  'check_in',
  'security',
] as const
export type SignalKind = (typeof SIGNAL_KINDS)[number]
