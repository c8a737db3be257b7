import type { RunData } from '../verdict/compare/run-data'
import type { CheckPlan } from '../verdict/expectations/check-plan'
import type { EnvelopeStatus } from '../verdict/expectations/losses-in-window'
import type { Case } from '../verdict/rules/rule'
import type { Losses } from '../wire/losses'
import type { CollectorClient } from '../wire/query-client'

/** A verb cannot answer: a sentence with the value that was read and the valid ones. */
export class AskError extends Error {
  override readonly name = 'AskError'

  /** @param isMissing true where the arguments are valid, and nothing has this id */
  constructor(
    message: string,
    readonly isMissing = false,
  ) {
    super(message)
  }
}

/** A part of the recording, as it is judged. */
export interface RecordedPart {
  readonly given: Case
  readonly losses: Losses
  /** Of each envelope that is not evicted; empty when all was read from the beginning. */
  readonly statuses: readonly EnvelopeStatus[]
  /** Why envelopes are still pending; `null` when that is unknown. */
  readonly pendingBecause: string | null
  /** The newest fact when reading began; later items are not in it. */
  readonly journal: number
  /** Why the part is incomplete. */
  readonly gaps: readonly string[]
}

/** A check of the path from the SDK to upstream. */
export interface DoctorCheck {
  readonly id: string
  readonly title: string
  readonly state: 'ok' | 'broken' | 'skipped'
  readonly found: string
  readonly fix: string | null
}

/** Everything that the verbs read. The caller passes it, so that they start nothing and know no process. */
export interface AskSources {
  /** @throws CollectorError on every refusal, and without an answer */
  readonly client: CollectorClient
  /** Address of the collector. */
  readonly url: string
  /** Address of the boards. */
  readonly boardsUrl: string
  /**
   * The journal number after which something counts as new, of a mark, a number, a time, an age, or `now`.
   * @throws AskError for any other text
   */
  readonly journalOf: (since: string) => Promise<number>
  /** Reads what arrived after a journal number; `null` reads from the beginning. */
  readonly recorded: (of: { readonly after: number | null; readonly stamp: string | null }) => Promise<RecordedPart>
  /** The plan of the nearest configuration. @throws AskError for a wrong one */
  readonly plan: () => Promise<CheckPlan>
  /** @param of.app address of an app whose page and tunnel are requested; `null` sends nothing */
  readonly doctor: (of: {
    readonly app: string | null
    readonly tunnel: string | null
    readonly dsn: string | null
  }) => Promise<readonly DoctorCheck[]>
  /** Reads a run, by the path of its file or folder. @throws AskError when it cannot be opened */
  readonly run: (path: string) => Promise<RunData>
  /** ms since the epoch. */
  readonly now: () => number
  /** The longest wait of one call in ms. */
  readonly mostWaitMs: number
  readonly signal: AbortSignal
}
