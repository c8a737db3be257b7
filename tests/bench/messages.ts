/** What the bench asks of the process that sends, and what it is told. */
export interface SendOrder {
  readonly url: string
  /** With the key in its query. */
  readonly path: string
  readonly connections: number
  /** Raw connections, or Node's own `fetch`, which takes several times the CPU of the bare handler that it posts to. */
  readonly via: 'socket' | 'fetch'
  readonly seconds: number
  /** Envelopes that are due in a second; `null` sends the next as soon as one is answered. */
  readonly perSecond: number | null
  /** Parts of the time, in s from the start, that are also told of alone. */
  readonly windows: readonly Window[]
}

export type Window = readonly [from: number, to: number]

export interface Waits {
  readonly answered: number
  readonly perSecond: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly longest: number
}

export interface Sent {
  readonly sent: number
  /** Of all bodies. */
  readonly bytes: number
  /** How often each status came, and what ended a connection. */
  readonly answers: Readonly<Record<string, number>>
  readonly whole: Waits
  readonly windows: readonly Waits[]
  /** How far behind its due times it was itself, in ms. */
  readonly late: { readonly p50: number; readonly p99: number }
  /** Due and never begun, because every connection waited for its answer. */
  readonly unsent: number
  /** Of one core, 0 to 1: what the sender used, and what it waited for a core. */
  readonly busy: number
  readonly starved: number | null
}

/** What the floor is told first: where it stores, and the port of its upstream. */
export interface FloorOrder {
  readonly file: string
  readonly upstream: number
}

/** What the bare client is told first: whose bodies, to which port, and how many at once. */
export interface PostOrder {
  readonly file: string
  readonly port: number
  readonly open: number
}

/** How many bodies the floor is done with. */
export interface FloorCount {
  readonly stored: number
  readonly parsed: number
  readonly relayed: number
}

/** What the process that plays upstream is asked. @see skip so many more posts, and then the time is taken anew */
export interface CountOrder {
  readonly skip?: number
}

/** What the process that plays upstream tells. */
export interface UpstreamCount {
  readonly posts: number
  readonly bytes: number
  /** Requests that it could not read. */
  readonly strange: number
  /** ms of its own clock: when it had the first post whole from which on the time is taken, and when the last one. */
  readonly firstAt: number
  readonly lastAt: number
}
