'use client'

import { useMemo } from 'react'
import { plural } from '../../../lib/format'
import { timesOnPath } from '../../../lib/protocol/trace/critical-path'
import { type Operation, operationsOf } from '../../../lib/protocol/trace/operations'
import type { AnalysedSpan } from '../../../lib/protocol/trace/time-tree'
import type { TraceAnalysis } from '../use-analysis'
import { type Column, FigureTable } from './figure-table'
import type { ViewProps } from './other-view'
import { EmptyView, ViewFrame } from './view-frame'

/** A row of the table by operation. */
interface OperationRow extends Operation {
  /** Time on the critical path, in µs. */
  readonly pathUs: number
}

const COLUMNS: readonly Column<OperationRow>[] = [
  { kind: 'service', label: 'Service', value: ({ service }) => service },
  { kind: 'op', label: 'Op', value: ({ op }) => op ?? '' },
  { kind: 'name', label: 'Name', value: ({ name }) => name },
  { kind: 'count', label: 'Count', value: ({ count }) => count },
  { kind: 'time', label: 'Total', value: ({ totalUs }) => totalUs },
  { kind: 'time', label: 'Self', value: ({ selfUs }) => selfUs },
  { kind: 'time', label: 'p50', value: ({ p50Us }) => p50Us },
  { kind: 'time', label: 'p95', value: ({ p95Us }) => p95Us },
  { kind: 'time', label: 'Slowest', value: ({ slowestUs }) => slowestUs },
  { kind: 'errors', label: 'Errors', value: ({ errors }) => errors },
  { kind: 'share', label: 'On critical path', value: ({ pathUs }) => pathUs },
]

/** The operations of spans with their time on the critical path of the trace. */
export function operationRows(
  spans: readonly AnalysedSpan[],
  { selfUs, path }: Pick<TraceAnalysis, 'selfUs' | 'path'>,
): readonly OperationRow[] {
  const pathUs = timesOnPath(path)
  return operationsOf(spans, selfUs()).map((operation) => {
    return { ...operation, pathUs: operation.spanIds.reduce((sum, id) => sum + (pathUs.get(id) ?? 0), 0) }
  })
}

/** The spans of a trace by service, op and name. A click on a row selects its slowest span. */
export function OperationsView({ trace, analysis, within, selected, onSelect }: ViewProps) {
  const rows = useMemo(
    () =>
      operationRows(
        trace.spans.filter(({ spanId }) => within === null || within.has(spanId)),
        analysis,
      ),
    [trace.spans, within, analysis],
  )
  return (
    <ViewFrame
      bar={`${plural(rows.length, 'operation')}: spans with one service, op and name, without ids and numbers. A click shows the slowest span.`}
    >
      {rows.length === 0 ? (
        <EmptyView>No spans yet. They arrive after they end; spans that are alike then share a row here.</EmptyView>
      ) : (
        <FigureTable
          label="Operations of this trace"
          rows={rows}
          columns={COLUMNS}
          header={2}
          first={{ by: COLUMNS.length - 1, isAscending: false }}
          keyOf={({ key }) => key}
          isSelected={({ spanIds }) => selected !== null && spanIds.includes(selected)}
          onOpen={({ slowestId }) => onSelect(slowestId)}
          title="Show the slowest span"
        />
      )}
    </ViewFrame>
  )
}
