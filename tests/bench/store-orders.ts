/** The store that a process of the benchmark opens. */
export interface StoreAddress {
  readonly engine: 'SQLite' | 'PostgreSQL'
  /** A URL, or a folder for SQLite. */
  readonly at: string
  /** Of the collector. */
  readonly name: string
  readonly lanes: number
}

/** An order to a process that writes to a store. It answers each with what it did; `open` and `take` with zeros. */
export type StoreOrder =
  | { readonly open: StoreAddress }
  /** In groups of 64 calls; with PostgreSQL two of them in turn, so that one gathers while the other is stored. */
  | { readonly append: number; readonly withResults: boolean }
  | { readonly perSecond: number; readonly seconds: number }
  /** Takes its share of the lanes, and gives back what it has beyond. */
  | { readonly take: true }
  /** Stores an accepted attempt of each pending record of its lanes: of those that it reads with their bodies, page by page, or of all at once. */
  | { readonly deliver: 'pages' | 'numbers' }

export interface StoreWork {
  readonly records: number
  readonly ms: number
  readonly batches: number
  /** Of the lanes that this process has. */
  readonly lanes: number
  /** With a rate: the number of each record, when it was due, and when its append was answered; ms since the epoch. */
  readonly times: readonly (readonly [seq: number, due: number, stored: number])[]
}

/** An order to the process with a mirror, which follows from the first fact on, as one that was away. */
export type MirrorOrder =
  | { readonly follow: string; readonly folder: string }
  /** Answers once the mirror has this record, with the time at which it had each one since `follow`; ms since the epoch. */
  | { readonly until: number }
  /** Answers once the mirror has so many records. */
  | { readonly records: number }

export interface MirrorWork {
  readonly records: number
  readonly times: readonly (readonly [seq: number, mirrored: number])[]
}
