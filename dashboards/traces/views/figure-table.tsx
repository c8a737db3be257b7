'use client'

import { type ReactNode, useMemo, useState } from 'react'
import { formatCount, formatDurationUs } from '../../../lib/format'
import { printable } from '../../ui/printable'
import { Received, ServiceName } from '../../ui/received'
import { colour, properties, useFirstRows } from './view-frame'
import styles from './view-frame.module.css'

/** A column of figures. `share` is a time with a bar, compared with the longest one. */
export interface Column<Row> {
  readonly kind: 'service' | 'op' | 'name' | 'count' | 'errors' | 'time' | 'share'
  readonly label: string
  /** Text for the first three kinds. */
  readonly value: (row: Row) => string | number
}

interface Order {
  /** Index of the column. */
  readonly by: number
  readonly isAscending: boolean
}

interface FigureTableProps<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  /** The first one is a service. */
  readonly columns: readonly Column<Row>[]
  /** Index of the column that names a row. */
  readonly header: number
  readonly first: Order
  readonly keyOf: (row: Row) => string
  readonly isSelected?: (row: Row) => boolean
  /** A click on a row. @see title */
  readonly onOpen: (row: Row) => void
  readonly title: string
}

const isText = ({ kind }: Pick<Column<never>, 'kind'>): boolean =>
  kind === 'service' || kind === 'op' || kind === 'name'

/** Sorts by a column. Equal rows keep their order. */
export function sortRows<Row>(rows: readonly Row[], { value }: Column<Row>, isAscending: boolean): readonly Row[] {
  const sign = isAscending ? 1 : -1
  return rows.toSorted((one, other) => {
    const [a, b] = [value(one), value(other)]
    return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : a < b ? -1 : a > b ? 1 : 0)
  })
}

/** A table that sorts by each of its columns: numbers from the largest, texts from A. A click on a row opens it. */
export function FigureTable<Row>({ label, rows, columns, header, keyOf, ...props }: FigureTableProps<Row>) {
  const [order, setOrder] = useState(props.first)
  const column = columns[order.by]
  const sorted = useMemo(
    () => (column === undefined ? rows : sortRows(rows, column, order.isAscending)),
    [rows, column, order.isAscending],
  )
  const [shown, more] = useFirstRows(sorted)
  const longest = columns.map((one) => (one.kind === 'share' ? Math.max(1, ...rows.map((row) => +one.value(row))) : 1))
  return (
    <>
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map((one, at) => (
              <th
                key={one.label}
                scope="col"
                data-number={!isText(one) || undefined}
                aria-sort={order.by === at ? (order.isAscending ? 'ascending' : 'descending') : undefined}
              >
                <button
                  type="button"
                  onClick={() => setOrder({ by: at, isAscending: order.by === at ? !order.isAscending : isText(one) })}
                >
                  {one.label}
                  {order.by === at && <span aria-hidden="true">{order.isAscending ? ' ↑' : ' ↓'}</span>}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr
              key={keyOf(row)}
              data-selected={props.isSelected?.(row)}
              style={properties(colour(String(columns[0]?.value(row))))}
            >
              {columns.map((one, at) => {
                const cell = cellOf(one.kind, one.value(row), longest[at] ?? 1)
                if (at !== header) {
                  return (
                    <td key={one.label} data-number={!isText(one) || undefined} data-column={one.label}>
                      {cell}
                    </td>
                  )
                }
                return (
                  <th key={one.label} scope="row" data-kind={one.kind}>
                    <button type="button" data-row title={props.title} onClick={() => props.onOpen(row)}>
                      {cell}
                    </button>
                  </th>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </>
  )
}

function cellOf(kind: Column<never>['kind'], value: string | number, longest: number): ReactNode {
  if (typeof value === 'string') {
    if (kind === 'service') return <ServiceName service={value} />
    if (kind === 'op') return <Received className="mono faint" text={value} />
    return <bdi title={printable(value)}>{printable(value) || 'no name'}</bdi>
  }
  if (kind === 'count') return formatCount(value)
  if (kind === 'errors') return value === 0 ? '0' : <span className={styles.bad}>{formatCount(value)}</span>
  if (kind === 'time') return formatDurationUs(value)
  return (
    <>
      {formatDurationUs(value)}
      <span className={styles.share} style={properties({ '--w': value / longest })} />
    </>
  )
}
