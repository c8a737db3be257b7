import type { RunFacts } from '../../wire/run'
import { withoutIds } from '../profile/count-evidence'

/** A run as it is compared with others. */
export interface RunData {
  /** The file or folder, as the person gave it. */
  readonly label: string
  /** `null` for a folder that no command recorded. */
  readonly facts: RunFacts | null
  readonly traces: readonly TraceCounts[]
  /** Events of level error or fatal: their number by key. */
  readonly errors: ReadonlyMap<string, number>
  /** Empty when nothing was judged. */
  readonly checks: readonly RunCheck[]
  readonly amounts: readonly Amount[]
}

/** The spans of one trace. */
export interface TraceCounts {
  /** The key of its root span. Traces with the same key are compared with each other. */
  readonly key: string
  /** By key of span: the duration of each, in milliseconds. */
  readonly spans: ReadonlyMap<string, readonly number[]>
}

export interface RunCheck {
  readonly id: string
  readonly verdict: 'pass' | 'fail' | 'incomplete'
}

/** Received items of a data category. */
export interface Amount {
  readonly category: string
  readonly items: number
  readonly bytes: number
}

/** Values of a query: `?page=2&q=shoes`. A placeholder of SQL, `= ?`, stays. */
const QUERY = /\?[\w.~%[\]-]+=.*$/s

/** A span or an error without what differs from run to run: ids and numbers are `*`, and there is no query. */
export function keyOf(service: string, operation: string | null, name: string): string {
  const text = withoutIds(name.replace(QUERY, '')).replaceAll(/\s+/g, ' ').trim()
  return [service, operation ?? '', text].filter((part) => part !== '').join(' ')
}
