/** A table of things that may be told more than once. */
export interface RowTable {
  readonly name: string
  /** Columns that make two rows the same thing. */
  readonly key: readonly string[]
  /** In camel case, the column that says which of two is shown. */
  readonly rank: string
  readonly columns: readonly string[]
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

export const SEGMENTS: RowTable = {
  name: 'segments',
  key: ['trace_id', 'segment_id'],
  rank: 'endUs',
  columns:
    words(`trace_id segment_id seq item place list_place copy parent_span_id name op status start_us end_us lifecycle
    service environment release sdk stamp`),
}

export const EVENTS: RowTable = {
  name: 'events',
  key: ['event_id'],
  rank: 'timestampUs',
  columns: words(`event_id journal seq item place copy received_at trace_id span_id timestamp_us level platform service
    title handled mechanism transaction environment release digest`),
}

export const SIGNALS: RowTable = {
  name: 'signals',
  key: ['kind', 'key'],
  rank: 'rank',
  columns:
    words(`kind key journal seq item place copy rank received_at timestamp_us trace_id span_id event_id name level
    service environment release fields`),
}
