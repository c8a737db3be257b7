import { type RecordedEnvelope, recordFrom, type StoredRecord } from './stored-record'

/** What is larger is read when its turn comes. */
export const LARGEST_AT_HAND_BYTES = 64 * 1024

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
export const recordIn = ({ stored }: ListedPending): RecordedEnvelope | undefined =>
  stored === undefined ? undefined : recordFrom(stored)
