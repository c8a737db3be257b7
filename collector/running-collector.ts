import type { Overview } from '../lib/wire/overview'

/** The collector as its process knows it: what it tells whoever started it, and how it ends. */
export interface RunningCollector {
  readonly url: string
  readonly localDsn: string
  /** Each with the DSN by which an SDK sends to its project. */
  readonly upstreams: readonly { readonly label: string; readonly standIn: boolean; readonly localDsn: string }[]
  /** What an earlier life left to keys and projects that are not configured. */
  readonly stranded: Overview['stranded']
  /** What the stand-in plays from an earlier life, in words; `null` where it plays nothing. */
  readonly script: string | null
  /** Takes nothing more, gives open posts a moment, folds the logs, ends its threads. */
  readonly stop: () => Promise<void>
}
