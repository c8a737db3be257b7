import type { Quantity } from '../../lib/protocol/data-category'
import type { Endpoint } from '../../lib/protocol/record'
import type { SubmissionFacts } from './submission'

export interface RecordedEnvelope {
  readonly receivedAt: number
  readonly endpoint: Endpoint
  readonly receipt: string
  readonly stamp: string | null
  readonly facts: SubmissionFacts
  readonly quantities: readonly Quantity[]
  readonly body: Uint8Array
}

/** The same with facts and quantities as the stored JSON, which is cheaper to pass between threads. */
export interface StoredRecord extends Pick<RecordedEnvelope, 'receivedAt' | 'endpoint' | 'receipt' | 'stamp' | 'body'> {
  readonly facts: string
  readonly quantities: string
}

export function recordFrom({ facts, quantities, ...stored }: StoredRecord): RecordedEnvelope {
  const pairs = JSON.parse(quantities) as [string, number][]
  return {
    receivedAt: stored.receivedAt,
    endpoint: stored.endpoint,
    receipt: stored.receipt,
    stamp: stored.stamp,
    facts: JSON.parse(facts) as SubmissionFacts,
    quantities: pairs.map(([category, quantity]) => ({ category, quantity })),
    body: stored.body,
  }
}

/** Larger bodies are not listed; the relay reads them one by one. */
export const MAX_INLINE_BODY_BYTES = 64 * 1024

export interface PendingRecord {
  readonly seq: number
  readonly bytes: number
}

/** A pending record, with its body where that is small. */
export interface ListedPending extends PendingRecord {
  /** Omitted when the body is large or damaged. */
  readonly stored?: StoredRecord
}

/** The record from the list; `undefined` when it has to be read. */
export const inlineRecord = ({ stored }: ListedPending): RecordedEnvelope | undefined =>
  stored === undefined ? undefined : recordFrom(stored)
