import type { Quantity } from '../../lib/protocol/data-category'
import type { Endpoint } from '../../lib/protocol/record'
import type { SubmissionFacts } from '../spool/submission'

/** The record itself: bytes exactly as received, and the facts beside them. */
export interface RecordedEnvelope {
  readonly receivedAt: number
  readonly endpoint: Endpoint
  readonly receipt: string
  readonly facts: SubmissionFacts
  readonly quantities: readonly Quantity[]
  readonly body: Uint8Array
}

/** The same with its facts and quantities as the texts that are stored: so it crosses threads for less. */
export interface StoredRecord extends Pick<RecordedEnvelope, 'receivedAt' | 'endpoint' | 'receipt' | 'body'> {
  readonly facts: string
  readonly quantities: string
}

export function recordFrom({ receivedAt, endpoint, receipt, facts, quantities, body }: StoredRecord): RecordedEnvelope {
  const pairs = JSON.parse(quantities) as [string, number][]
  return {
    receivedAt,
    endpoint,
    receipt,
    facts: JSON.parse(facts) as SubmissionFacts,
    quantities: pairs.map(([category, quantity]) => ({ category, quantity })),
    body,
  }
}

/** What is larger is read when its turn comes. */
export const MAX_INLINE_BODY_BYTES = 64 * 1024

export interface PendingRecord {
  readonly seq: number
  readonly bytes: number
}

/** A record that is pending, as it crosses threads. */
export interface ListedPending extends PendingRecord {
  /** Left out where it is large, or cannot be read as it was stored. */
  readonly stored?: StoredRecord
}

/** The record that came with its number, if it did. */
export const inlineRecord = ({ stored }: ListedPending): RecordedEnvelope | undefined =>
  stored === undefined ? undefined : recordFrom(stored)
