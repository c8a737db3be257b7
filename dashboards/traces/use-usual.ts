'use client'

import { useMemo } from 'react'
import { operationKey } from '../../lib/protocol/trace/operations'
import type { Segment, UsualDurations } from '../../lib/wire/trace'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import { client } from '../ui/client'
import { useAnswer } from '../ui/use-answer'
import { type Comparison, compare } from './comparison'
import type { TraceData } from './trace-data'

/** An answer is used again for 10 s: several parts of a page ask for one segment. */
const KEPT_MS = 10_000
const MOST_KEPT = 50

/** Reads each key at most once in 10 s. A failed read is not kept. @param now ms of a clock that never goes back */
export function keepAnswers<Of>(read: (key: string) => Promise<Of>, now: () => number): (key: string) => Promise<Of> {
  const kept = new Map<string, { readonly at: number; readonly answer: Promise<Of> }>()
  return async (key) => {
    const known = kept.get(key)
    if (known !== undefined && now() - known.at < KEPT_MS) return known.answer
    if (kept.size >= MOST_KEPT) kept.clear()
    const answer = read(key)
    kept.set(key, { at: now(), answer })
    try {
      return await answer
    } catch (error) {
      kept.delete(key)
      throw error
    }
  }
}

const readUsual = keepAnswers<UsualDurations | null>(
  (key) => {
    const [traceId = '', segmentId = ''] = key.split('/')
    return client.usual(traceId, segmentId)
  },
  () => performance.now(),
)

/** The segment that names a trace: its start and name are those of the summary. */
export const mainSegment = ({ segments, summary }: TraceData): Segment | undefined =>
  segments.find(({ name, op }) => name === summary.name && op === summary.op)

/** A segment among the newest ones of its operation. */
export interface Usual {
  readonly comparison: Comparison
  /** There are more than those that are compared. */
  readonly isCut: boolean
}

/** Compares a segment with the newest ones of its operation; `null` until they are read, and without a segment. */
export function useUsual(segment: Segment | undefined): Usual | null {
  const { traceId, segmentId, startUs = 0, endUs = 0 } = segment ?? {}
  const key = segmentId === undefined ? null : `${traceId}/${segmentId}`
  const { answer } = useAnswer(key, () => readUsual(key ?? ''))
  return useMemo(
    () =>
      answer == null
        ? null
        : { comparison: compare(Math.max(0, endUs - startUs), answer.durationsUs), isCut: answer.isCut },
    [answer, startUs, endUs],
  )
}

/** Compares a span with the others of its operation in the trace. */
export function useWithinTrace(span: TraceSpan | undefined, spans: readonly TraceSpan[]): Comparison | null {
  return useMemo(() => (span === undefined ? null : compareWithin(span, spans)), [span, spans])
}

/** @param spans of the trace; the span itself is left out */
export function compareWithin(span: TraceSpan, spans: readonly TraceSpan[]): Comparison {
  const key = operationKey(span)
  const others = spans.filter(
    (one) =>
      one.op === span.op && one.service === span.service && one.spanId !== span.spanId && operationKey(one) === key,
  )
  return compare(lengthOf(span), others.map(lengthOf))
}

const lengthOf = ({ startUs, endUs }: TraceSpan): number => Math.max(0, endUs - startUs)
