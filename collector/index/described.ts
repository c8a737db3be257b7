import { NO_ERRORS } from '../../lib/protocol/trace/segment'
import type { BoundRow } from './contributions'
import { termsOf } from './terms'
import type { Status, Wanted } from './wanted'

/** What a sender's word says: of the static lifecycle's many all that are no success are errors. */
export function statusOf(word: string | null): Status {
  if (word === null || word === 'unset') return 'unset'
  return NO_ERRORS.some((fine) => fine === word) ? 'ok' : 'error'
}

/** A trace in which an error was reported went wrong, whatever its segments say. */
export function hasStatus(
  status: Status,
  trace: { readonly status: string | null; readonly errorCount: number },
): boolean {
  return status === (trace.status ?? 'unset') || (status === 'error' && trace.errorCount > 0)
}

/** Both bounds are included. */
export const isOfDuration = (us: number, { minDurationUs, maxDurationUs }: Wanted): boolean =>
  (minDurationUs === undefined || us >= minDurationUs) && (maxDurationUs === undefined || us <= maxDurationUs)

const STATUSES = ['ok', 'error', 'unset'] as const

/**
 * @param trace as its row has it.
 * @param texts where words are looked for: its name, those of its segments, the titles of its errors.
 */
export const traceTerms = (
  trace: {
    readonly op: string | null
    readonly name: string
    readonly status: string | null
    readonly errorCount: number
    readonly environment: string | null
    readonly release: string | null
    readonly services: readonly string[]
    readonly stamps: readonly string[]
    readonly startUs: number
    readonly endUs: number
  },
  texts: readonly string[],
): string =>
  termsOf({
    ...trace,
    statuses: STATUSES.filter((status) => hasStatus(status, trace)),
    durationUs: trace.endUs - trace.startUs,
    texts,
  })

interface SegmentColumns extends BoundRow {
  readonly op: string | null
  readonly name: string
  readonly status: string | null
  readonly environment: string | null
  readonly release: string | null
  readonly service: string
  readonly stamp: string | null
  readonly lifecycle: string
  readonly startUs: number
  readonly endUs: number
}

/** @param row of a segment, as its table has it. */
export function segmentTerms(row: BoundRow): string {
  const segment = row as SegmentColumns
  return termsOf({
    ...segment,
    statuses: [statusOf(segment.status)],
    services: [segment.service],
    stamps: segment.stamp === null ? [] : [segment.stamp],
    durationUs: segment.endUs - segment.startUs,
    texts: [segment.name],
  })
}
