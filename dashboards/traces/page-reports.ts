'use client'

import { useMemo } from 'react'
import { formatCount } from '../../lib/format'
import { groupBy } from '../../lib/group-by'
import { countedDiscard } from '../../lib/protocol/outcome'
import type { SignalRow } from '../../lib/wire/signal'
import type { TraceSummary } from '../../lib/wire/trace'
import { client } from '../ui/client'
import { useAnswer } from '../ui/use-answer'
import type { TraceData } from './trace-data'

/** A client report of a page of the trace, about the time since the page's previous report. */
export interface PageReport {
  readonly key: string
  readonly seq: number
  readonly atUs: number
  /** The previous report; `null` when this is the first one. */
  readonly sinceUs: number | null
  readonly discards: readonly { readonly category: string; readonly reason: string; readonly quantity: number }[]
}

/** Pages whose reports are read, and rows of each: a row is one reason and category. */
const MOST_PAGES = 5
const MOST_ROWS = 200

/** The reports of one page that may count losses of a trace. @param rows all of the page, or its newest */
export function reportsDuring(
  rows: readonly SignalRow[],
  { startUs, durationUs }: Pick<TraceSummary, 'startUs' | 'durationUs'>,
): readonly PageReport[] {
  const byReport = groupBy(
    rows.filter(({ copy }) => copy !== 'only'),
    ({ seq, item }) => `${seq}.${item}`,
  )
  const reports = [...byReport]
    .map(([key, all]) => ({
      key,
      seq: all[0]?.seq ?? 0,
      atUs: all[0]?.timestampUs ?? 0,
      discards: all.flatMap(({ fields: { category, reason, quantity } }) => {
        const counted = countedDiscard({ category, reason, quantity })
        return counted === null ? [] : [counted]
      }),
    }))
    .sort((a, b) => a.atUs - b.atUs)
  return reports
    .map((report, at) => ({ ...report, sinceUs: reports[at - 1]?.atUs ?? null }))
    .filter(({ atUs, sinceUs }) => atUs >= startUs && (sinceUs === null || sinceUs < startUs + durationUs))
}

/** `6 span queue_overflow, 7 log_item ratelimit_backoff` */
export const discardsText = ({ discards }: PageReport): string =>
  discards.map(({ category, reason, quantity }) => `${formatCount(quantity)} ${category} ${reason}`).join(', ')

const NONE: readonly PageReport[] = []

/** The client reports of the trace's pages. A sender that names no page has none: its reports are about the whole program. */
export function usePageReports({ submissions, summary, isWhole, journal }: TraceData): readonly PageReport[] {
  const pages = useMemo(
    () => [...new Set(submissions.flatMap(({ page }) => page ?? []))].slice(0, MOST_PAGES),
    [submissions],
  )
  const { answer } = useAnswer(
    isWhole && pages.length > 0 ? pages.join('\n') : null,
    (signal) =>
      Promise.all(
        pages.map((page) =>
          client.signals('client_report', { filter: { page, own: 'show' }, limit: MOST_ROWS, signal }),
        ),
      ),
    `${journal}`,
  )
  return useMemo(
    () =>
      answer?.flatMap(({ signals, next }) =>
        // Of a cut list the report before the oldest one is not known.
        reportsDuring(signals, summary).filter(({ sinceUs }) => next === null || sinceUs !== null),
      ) ?? NONE,
    [answer, summary],
  )
}
