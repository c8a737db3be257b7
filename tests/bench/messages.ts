/** The bodies that the sender makes: envelopes with a transaction, a mixture of envelopes, or OTLP requests with 512 spans. */
export type SentBody = 'envelope' | 'mixed' | 'otlp'

/** An order to the sender. */
export interface SendOrder {
  readonly url: string
  /** Connections are shared evenly between `url` and these. */
  readonly furtherUrls?: readonly string[]
  readonly body: SentBody
  /** Contains the key in its query string. */
  readonly path: string
  readonly connections: number
  readonly seconds: number
  /** Envelopes per second; null sends the next as soon as one is answered. */
  readonly perSecond: number | null
  /** Parts of the load, in s from its start, with separate figures. */
  readonly windows: readonly Window[]
}

export type Window = readonly [from: number, to: number]

/** Answer times in ms. */
export interface Waits {
  readonly answered: number
  readonly perSecond: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly longest: number
}

/** The sender's answer to an order. */
export interface Sent {
  readonly sent: number
  /** Of all bodies. */
  readonly bytes: number
  /** Counts by status, or by the error that ended a connection. */
  readonly answers: Readonly<Record<string, number>>
  readonly whole: Waits
  readonly windows: readonly Waits[]
  /** Delay of the sender behind its due times, in ms. */
  readonly late: { readonly p50: number; readonly p99: number }
  /** Due but not sent, because every connection waited for an answer. */
  readonly unsent: number
  /** Shares of the time, 0 to 1: the sender used a core, and waited for one (null where the system does not report it). */
  readonly busy: number
  readonly starved: number | null
}

/** The first message to the floor program: its database, and the port of upstream. */
export interface FloorOrder {
  readonly file: string
  readonly upstream: number
}

/** The first message to the bare client: the database with the bodies, the port, and the number of connections. */
export interface PostOrder {
  readonly file: string
  readonly port: number
  readonly open: number
}

/** The progress of the floor program, in bodies. */
export interface FloorCount {
  readonly stored: number
  readonly parsed: number
  readonly relayed: number
}

/** A message to an upstream server. With `skip` it restarts the timing after that many further posts. */
export interface CountOrder {
  readonly skip?: number
}

/** The answer of an upstream server. */
export interface UpstreamCount {
  readonly posts: number
  readonly bytes: number
  /** Requests without a length, which it cannot read. */
  readonly strange: number
  /** Times in ms of its own clock, of the first post of the timing and of the last post. */
  readonly firstAt: number
  readonly lastAt: number
}
