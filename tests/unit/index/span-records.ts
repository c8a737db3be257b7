import type { SubmissionRow } from '../../../collector/spool/read/read-submissions'
import { recordOf } from './random-records'

/** The trace of all spans. */
export const TRACE = 'a'.repeat(32)
const START = 1_795_000_000
export const microsAt = (seconds: number): number => (START + seconds) * 1_000_000

export const id = (n: number): string => n.toString(16).padStart(16, '0')

export interface SpanTimes {
  readonly span: number
  /** Seconds after the start of the trace. */
  readonly from?: number
  readonly to?: number
  readonly segment?: number
}

/** A record with a container of spans. */
export function container(
  seq: number,
  spans: readonly SpanTimes[],
  endpoint: SubmissionRow['endpoint'] = 'tunnel',
): SubmissionRow {
  const items = spans.map(({ span, from = 0, to = 1, segment }) => ({
    trace_id: TRACE,
    span_id: id(span),
    name: `span ${span}`,
    start_timestamp: START + from,
    end_timestamp: START + to,
    ...(segment !== undefined && {
      is_segment: segment === span,
      attributes: { 'sentry.segment.id': { value: id(segment), type: 'string' } },
    }),
  }))
  return recordOf(`{}\n{"type":"span"}\n${JSON.stringify({ items })}`, seq, endpoint)
}

/** A container of 1000 spans, each starting a millisecond after the one before. */
export const thousand = (seq: number, first: number): SubmissionRow =>
  container(
    seq,
    Array.from({ length: 1000 }, (_, n) => ({ span: first + n, from: (first + n) / 1000, to: 1000 })),
  )
