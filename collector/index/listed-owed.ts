import { type RecordedEnvelope, recordFrom, type StoredRecord } from './stored-record'

/** What is larger is read when its turn comes. */
export const LARGEST_AT_HAND_BYTES = 64 * 1024

export interface Owed {
  readonly seq: number
  readonly bytes: number
}

/** A record that is owed, as it crosses threads. */
export interface ListedOwed extends Owed {
  /** Left out where it is large, or cannot be read as it was stored. */
  readonly stored?: StoredRecord
}

/** The record that came with its number, if it did. */
export const recordIn = ({ stored }: ListedOwed): RecordedEnvelope | undefined =>
  stored === undefined ? undefined : recordFrom(stored)
