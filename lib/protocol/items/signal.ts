import type { Envelope, EnvelopeItemFrame } from '../envelope'
import type { EpochUs, JsonObject } from '../json'
import type { Limits } from '../limits'
import { type Result, succeed } from '../result'

/** One thing that an item tells, in the shape that all kinds share; what only its kind has stands in `fields`. */
export interface Signal {
  readonly kind: SignalKind
  /**
   * What makes two of a kind the same thing (`sid` of a session, id of a check-in): told again, it is one row. `null`
   * where each is its own (a log).
   */
  readonly key: string | null
  /** Of several that are the same thing the one with the highest rank is shown; most often its time in µs. */
  readonly rank: number
  /** `null` where the item names no time: the time of its arrival is shown. */
  readonly timestampUs: EpochUs | null
  readonly traceId: string | null
  readonly spanId: string | null
  readonly eventId: string | null
  /** What the list shows: a log's body, a metric's name, a file's name. At most 1000 characters. */
  readonly name: string
  /** `info`, `ok`, `crashed`: one word, as sent. */
  readonly level: string | null
  readonly environment: string | null
  readonly release: string | null
  readonly fields: JsonObject
}

/** An item with what its envelope says beside it. */
export interface SignalItem {
  readonly header: EnvelopeItemFrame['header']
  readonly payload: Uint8Array
  readonly index: number
  readonly envelope: Envelope
  /** Of the envelope's header; 32 hex digits. */
  readonly eventId: string | null
  /** Of more entries the first so many are read: each becomes a row, and an empty one takes two bytes to send. */
  readonly most: number
}

/** What an item says of who sent it; `null` where it does not. */
export interface Sender {
  readonly platform: string | null
  readonly sdk: string | null
  /** One SDK name serves browser and server, so that only the item can tell them apart. */
  readonly inBrowser: boolean | null
}

export const NO_SENDER: Sender = { platform: null, sdk: null, inBrowser: null }

export interface Signals {
  readonly signals: readonly Signal[]
  readonly sender: Sender
  /** Entries that could not be read. */
  readonly unreadable: number
  /** Entries beyond those that are read. */
  readonly beyond: number
}

export type ReadLimits = Pick<Limits, 'depth' | 'tags'>

/** Reads one item; a sentence says why it cannot be. Pure: the same item gives the same signals for ever. */
export type ParseSignals = (item: SignalItem, limits: ReadLimits) => Result<Signals, string>

/** What all kinds leave out alike. */
export const NOTHING_SAID = {
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
/** An id that the sender made up may be of any length; what is beyond this tells no two things apart. */
export const cutKey = (key: string): string => key.slice(0, 200)

/** The commonest answer: one item, one signal. */
export const oneSignal = (signal: Signal, sender: Sender = NO_SENDER): Result<Signals, string> =>
  succeed({ signals: [signal], unreadable: 0, beyond: 0, sender })

/** What people look for besides errors and spans. */
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
