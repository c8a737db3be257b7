'use client'

import { useMemo, useState } from 'react'
import { formatCount, formatDurationUs, plural } from '../../../lib/format'
import { hex32 } from '../../../lib/protocol/ids'
import {
  type ComparedRow,
  type ComparedSide,
  compareTraces,
  isChanged,
} from '../../../lib/protocol/trace/compare-traces'
import { changeText, comparisonMarkdown, differenceText, sideText } from '../../../lib/protocol/trace/comparison-text'
import { buildSpanTree } from '../../../lib/protocol/trace/span-tree'
import { timeTree } from '../../../lib/protocol/trace/time-tree'
import type { TraceSummary } from '../../../lib/wire/trace'
import { client } from '../../ui/client'
import { CopyButton } from '../../ui/facts'
import { useSearchParam } from '../../ui/page-address'
import { printable } from '../../ui/printable'
import { Received, ServiceName } from '../../ui/received'
import { formatDateTime } from '../../ui/times'
import { useAnswer } from '../../ui/use-answer'
import { type TraceData, TraceStore } from '../trace-data'
import styles from './compare-view.module.css'
import type { ViewProps } from './other-view'
import { colour, EmptyView, properties, useFirstRows, ViewFrame } from './view-frame'
import frame from './view-frame.module.css'

/** The parameter of the address that names the other trace. */
const OTHER_PARAM = 'with-trace'
/** Traces of the same name that are offered. */
const MOST_OFFERED = 20
/** A deeper row is indented no further. */
const MOST_INDENT = 12

/** The trace compared with another one of its name: which spans are new, gone, slower or faster. */
export function CompareView({ trace, analysis, selected, onSelect }: ViewProps) {
  const { summary, journal } = trace
  const [otherId, choose] = useSearchParam(OTHER_PARAM)
  const [showsAll, setShowsAll] = useState(false)
  const offered = useAnswer(`${summary.name}/${journal}`, (signal) => tracesLike(summary, signal))
  const isId = hex32(otherId) !== null
  const { answer: other, failure } = useAnswer(isId ? otherId : null, (signal) => readTrace(otherId ?? '', signal))
  const compared = useMemo(() => {
    if (!other) return null
    const tree = timeTree(buildSpanTree(other.spans).roots)
    const [a, b] = [
      { tree, startUs: other.summary.startUs },
      { tree: analysis.tree, startUs: summary.startUs },
    ]
    return compareTraces(a, b)
  }, [other, analysis.tree, summary.startUs])
  const changed = useMemo(() => compared?.filter(isChanged) ?? [], [compared])
  return (
    <ViewFrame
      bar={
        <>
          <label className={styles.choice}>
            Compare with{' '}
            <select className="field" value={otherId ?? ''} onChange={({ target }) => choose(target.value || null)}>
              <option value="">choose a trace</option>
              {options(offered.answer ?? [], otherId).map(([id, text]) => (
                <option key={id} value={id}>
                  {text}
                </option>
              ))}
            </select>
          </label>
          {other && compared !== null && (
            <>
              <span className="num">
                {formatDurationUs(other.summary.durationUs)} → {formatDurationUs(summary.durationUs)},{' '}
                {differenceText(other.summary.durationUs, summary.durationUs)}; {formatCount(other.spans.length)} →{' '}
                {plural(trace.spans.length, 'span')}
              </span>
              <label>
                <input type="checkbox" checked={showsAll} onChange={({ target }) => setShowsAll(target.checked)} /> also
                the {formatCount(compared.length - changed.length)} that did not change
              </label>
              <CopyButton
                text={comparisonMarkdown(summary.name, { a: other.summary, b: summary }, compared)}
                label="the differences as Markdown"
                word="Copy as Markdown"
              />
              <a href={`/traces/${other.summary.traceId}`}>Open the other</a>
            </>
          )}
        </>
      }
    >
      {other && compared !== null ? (
        <CompareTable
          rows={showsAll ? compared : changed}
          durations={[other.summary.durationUs, summary.durationUs]}
          isPartial={[other, trace].some(({ gaps }) => gaps.some(({ of }) => of === 'spans'))}
          selected={selected}
          onSelect={onSelect}
        />
      ) : (
        <EmptyView>{emptyText(otherId, isId, failure !== null, other, offered.answer)}</EmptyView>
      )}
    </ViewFrame>
  )
}

function emptyText(
  otherId: string | null,
  isId: boolean,
  hasFailed: boolean,
  other: TraceData | null | undefined,
  offered: readonly TraceSummary[] | undefined,
): string {
  if (otherId !== null && !isId)
    return `${OTHER_PARAM}=${printable(otherId)}: must be a trace id, which has 32 hexadecimal digits.`
  if (hasFailed) return 'The other trace could not be read. Choose it again when the collector answers.'
  if (other === null) return 'The other trace is not stored (any more): it was evicted or cleared.'
  if (otherId !== null) return 'Loading …'
  return offered?.length === 0
    ? 'No other trace of this name is stored. Do again what caused this one, and then compare the two.'
    : 'Choose an earlier or later trace of this name above. Spans are matched by service, op and name, without ids and numbers, along the path from the root.'
}

interface CompareTableProps {
  readonly rows: readonly ComparedRow[]
  readonly durations: readonly [number, number]
  readonly isPartial: boolean
  readonly selected: string | null
  readonly onSelect: (spanId: string) => void
}

function CompareTable({ rows, durations, isPartial, selected, onSelect }: CompareTableProps) {
  const [shown, more] = useFirstRows(rows)
  // Both traces start at 0 on one axis.
  const axisUs = Math.max(1, ...durations)
  return (
    <>
      {isPartial && <p className={frame.none}>A trace has more spans than are read; the others are not compared.</p>}
      {rows.length === 0 && <p className={frame.none}>No differences: neither in structure, nor by 20 % and 1 ms.</p>}
      {rows.length > 0 && (
        <table className={`${frame.table} ${styles.table}`} aria-label="Differences of two traces">
          <thead>
            <tr>
              <th scope="col">Operation</th>
              <th scope="col" data-number>
                A: the other
              </th>
              <th scope="col" data-number>
                B: this one
              </th>
              <th scope="col">Change</th>
              <th scope="col">Both from 0 to {formatDurationUs(axisUs)}, A above B</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr
                key={row.key}
                data-change={row.change}
                data-selected={selected !== null && row.b?.spanIds.includes(selected)}
                style={properties({ ...colour(row.service), '--depth': Math.min(row.depth, MOST_INDENT) })}
              >
                <th scope="row">
                  <Operation row={row} onSelect={onSelect} />
                </th>
                <td data-number>{sideText(row.a)}</td>
                <td data-number>{sideText(row.b)}</td>
                <td className={styles.change}>{changeText(row)}</td>
                <td className={styles.bars} aria-hidden="true">
                  <Bar side={row.a} axisUs={axisUs} />
                  <Bar side={row.b} axisUs={axisUs} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {more}
    </>
  )
}

/** The operation of a row; opens its first span in this trace, if there is one. */
function Operation({ row, onSelect }: { readonly row: ComparedRow; readonly onSelect: (spanId: string) => void }) {
  const first = row.b?.spanIds[0]
  const text = (
    <>
      <ServiceName service={row.service} /> {row.op !== null && <Received className="mono faint" text={row.op} />}{' '}
      <Received text={row.name === '' ? 'no name' : row.name} />
    </>
  )
  if (first === undefined) return text
  return (
    <button type="button" data-row title="Show its first span" onClick={() => onSelect(first)}>
      {text}
    </button>
  )
}

function Bar({ side, axisUs }: { readonly side: ComparedSide | null; readonly axisUs: number }) {
  const at = (us: number): number => Math.min(1, Math.max(0, us / axisUs))
  if (side === null) return <span />
  return <span data-bar style={properties({ '--from': at(side.fromUs), '--to': at(side.toUs) })} />
}

/** The newest traces with this name, without itself. */
async function tracesLike({ name, traceId }: TraceSummary, signal: AbortSignal): Promise<readonly TraceSummary[]> {
  const { traces } = await client.traces({ filter: { name, own: 'show' }, limit: MOST_OFFERED + 1, signal })
  return traces.filter((one) => one.traceId !== traceId).slice(0, MOST_OFFERED)
}

/** Another trace is read once: it is no longer growing. @returns `null` when it is not stored */
async function readTrace(traceId: string, signal: AbortSignal): Promise<TraceData | null> {
  const store = new TraceStore()
  for await (const piece of client.traceColumns(traceId, {}, signal)) store.add(piece)
  return store.snapshot()
}

/** Ids and labels, with that of the chosen trace also when it is not among those that are offered. */
function options(offered: readonly TraceSummary[], chosen: string | null): readonly (readonly [string, string])[] {
  const known = offered.map(({ traceId, startUs, durationUs, spanCount, errorCount }): readonly [string, string] => [
    traceId,
    [
      formatDateTime(startUs / 1000),
      formatDurationUs(durationUs),
      plural(spanCount, 'span'),
      ...(errorCount > 0 ? [plural(errorCount, 'error')] : []),
      traceId.slice(0, 8),
    ].join(' · '),
  ])
  return chosen === null || known.some(([id]) => id === chosen) ? known : [[chosen, printable(chosen)], ...known]
}
