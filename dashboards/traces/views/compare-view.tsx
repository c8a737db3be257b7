'use client'

import { Fragment, useMemo, useState } from 'react'
import { formatBytes, formatCount, formatDurationUs, plural } from '../../../lib/format'
import {
  type ComparedRow,
  type ComparedSide,
  changedWithAbove,
  compareTraces,
} from '../../../lib/protocol/trace/compare-traces'
import {
  byteDifferenceText,
  type ComparedHead,
  changeText,
  comparisonMarkdown,
  differenceText,
  sideText,
} from '../../../lib/protocol/trace/comparison-text'
import { buildSpanTree } from '../../../lib/protocol/trace/span-tree'
import { timeTree } from '../../../lib/protocol/trace/time-tree'
import { CopyButton } from '../../ui/facts'
import { Received, ServiceName } from '../../ui/received'
import type { TraceData } from '../trace-data'
import type { TraceFile } from '../trace-file'
import { AttributeChanges } from './attribute-changes'
import styles from './compare-view.module.css'
import { OtherTraceField, useOtherTrace } from './other-trace'
import type { ViewProps } from './other-view'
import { colour, EmptyView, properties, useFirstRows, ViewFrame } from './view-frame'
import frame from './view-frame.module.css'

/** A deeper row is indented no further. */
const MOST_INDENT = 12

/** The trace compared with another one: which spans are new, gone, slower or faster. */
export function CompareView({ trace, analysis, selected, onSelect }: ViewProps) {
  const { summary } = trace
  const { other, file, text, ...choice } = useOtherTrace(trace)
  const [showsAll, setShowsAll] = useState(false)
  const compared = useMemo(() => {
    if (other === null) return null
    const tree = timeTree(buildSpanTree(other.spans).roots)
    const [a, b] = [
      { tree, startUs: other.summary.startUs },
      { tree: analysis.tree, startUs: summary.startUs },
    ]
    return compareTraces(a, b)
  }, [other, analysis.tree, summary.startUs])
  const changed = useMemo(() => changedWithAbove(compared ?? []), [compared])
  const heads = other && {
    a: { ...other.summary, bytes: file === null ? bytesOf(other) : null },
    b: { ...summary, bytes: bytesOf(trace) },
  }
  return (
    <ViewFrame
      bar={
        <>
          <OtherTraceField {...choice} />
          {other !== null && compared !== null && heads !== null && (
            <>
              <span className="num">
                {formatDurationUs(other.summary.durationUs)} → {formatDurationUs(summary.durationUs)},{' '}
                {differenceText(other.summary.durationUs, summary.durationUs)}; {formatCount(other.spans.length)} →{' '}
                {plural(trace.spans.length, 'span')}
              </span>
              {compared.length > changed.length && (
                <label>
                  <input type="checkbox" checked={showsAll} onChange={({ target }) => setShowsAll(target.checked)} />{' '}
                  also the {formatCount(compared.length - changed.length)} that did not change
                </label>
              )}
              <CopyButton
                text={comparisonMarkdown(heads, compared)}
                label="the differences as Markdown"
                word="Copy as Markdown"
              />
              {file === null && <a href={`/traces/${other.summary.traceId}`}>Open the other</a>}
              {text !== null && <span>{text}</span>}
            </>
          )}
        </>
      }
    >
      {heads !== null && other !== null && compared !== null ? (
        <>
          {other.summary.name !== summary.name && (
            <p className={frame.none}>
              The names differ: A is <Received text={other.summary.name} />, B is <Received text={summary.name} />.
            </p>
          )}
          <CompareTable
            rows={showsAll ? compared : changed}
            heads={heads}
            file={file}
            isPartial={[other, trace].some(({ gaps }) => gaps.some(({ of }) => of === 'spans' || of === 'submissions'))}
            selected={selected}
            onSelect={onSelect}
          />
        </>
      ) : (
        <EmptyView>{text ?? 'Loading …'}</EmptyView>
      )}
    </ViewFrame>
  )
}

/** The bytes of its envelopes. A copy repeats what another envelope has; they count when there is nothing else. */
export function bytesOf({ submissions }: Pick<TraceData, 'submissions'>): number {
  const received = submissions.filter(({ copy }) => !copy)
  return (received.length > 0 ? received : submissions).reduce((sum, { bytes }) => sum + bytes, 0)
}

interface CompareTableProps {
  readonly rows: readonly ComparedRow[]
  readonly heads: Readonly<Record<'a' | 'b', ComparedHead>>
  /** The first trace, if it is from a file: it has no envelopes. */
  readonly file: TraceFile | null
  readonly isPartial: boolean
  readonly selected: string | null
  readonly onSelect: (spanId: string) => void
}

function CompareTable({ rows, heads: { a, b }, file, isPartial, selected, onSelect }: CompareTableProps) {
  const [shown, more] = useFirstRows(rows)
  // Both traces start at 0 on one axis.
  const axisUs = Math.max(1, a.durationUs, b.durationUs)
  return (
    <>
      {isPartial && (
        <p className={frame.none}>A trace has more spans or envelopes than are read; the others are not compared.</p>
      )}
      {rows.length === 0 && <p className={frame.none}>No differences: neither in structure, nor by 20 % and 1 ms.</p>}
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
          {a.bytes !== null && b.bytes !== null && (
            <tr>
              <th scope="row">Envelope bytes</th>
              <td data-number>{formatBytes(a.bytes)}</td>
              <td data-number>{formatBytes(b.bytes)}</td>
              <td>{byteDifferenceText(a.bytes, b.bytes)}</td>
              <td aria-hidden="true" />
            </tr>
          )}
          {shown.map((row) => {
            const pair = selected === null ? null : pairOf(row, selected)
            return (
              <Fragment key={row.key}>
                <tr
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
                {pair !== null && (
                  <tr>
                    <td colSpan={5} className={styles.opened}>
                      {pair.text !== null && <p>{pair.text}</p>}
                      <AttributeChanges
                        key={pair.b}
                        a={{ traceId: a.traceId, spanId: pair.a }}
                        b={{ traceId: b.traceId, spanId: pair.b }}
                        file={file}
                      />
                    </td>
                  </tr>
                )}
              </Fragment>
            )
          })}
        </tbody>
      </table>
      {more}
    </>
  )
}

/** The span of the other trace that stands at the position of the selected one in a row, else the last one there. */
function pairOf({ a, b }: ComparedRow, selected: string) {
  const at = b?.spanIds.indexOf(selected) ?? -1
  if (a === null || b === null || at < 0) return null
  const other = Math.min(at, a.count - 1)
  const isSingle = a.count === 1 && b.count === 1
  const text = `Span ${other + 1} of ${formatCount(a.count)} in A, span ${at + 1} of ${formatCount(b.count)} in B.`
  return { a: a.spanIds[other] ?? '', b: selected, text: isSingle ? null : text }
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
