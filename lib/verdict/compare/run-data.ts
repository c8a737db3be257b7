import type { RunFacts } from '../../wire/run'

/** A run as it is compared with others. */
export interface RunData {
  /** The file or folder, as the person gave it. */
  readonly label: string
  /** `null` for a folder that no command recorded. */
  readonly facts: RunFacts | null
  readonly traces: readonly TraceCounts[]
  /** Events of level error or fatal: their number by name, see `stableName`. */
  readonly errors: ReadonlyMap<string, number>
  /** Empty when nothing was judged. */
  readonly checks: readonly RunCheck[]
  readonly amounts: readonly Amount[]
}

/** The spans of one trace. */
export interface TraceCounts {
  /** The name of its root span. Traces with the same key are compared with each other. */
  readonly key: string
  /** By name of span: the duration of each, in milliseconds. */
  readonly spans: ReadonlyMap<string, readonly number[]>
}

export interface RunCheck {
  readonly id: string
  readonly verdict: 'pass' | 'fail' | 'incomplete'
  readonly severity: 'warning' | 'error'
}

/** Received items of a data category. */
export interface Amount {
  readonly category: string
  readonly items: number
  readonly bytes: number
}
