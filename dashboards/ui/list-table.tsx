'use client'

import { Fragment, memo, type ReactNode, type TdHTMLAttributes } from 'react'
import type { FilterName } from '../../lib/wire/filter'
import styles from './list-table.module.css'
import { printable } from './printable'
import type { Narrow } from './use-query'

type DataAttributes = { readonly [name: `data-${string}`]: string | number | boolean | null }

export type { Narrow }

export interface Column<Row> {
  readonly heading: string
  readonly title?: string
  readonly right?: boolean
  readonly headingClass?: string | undefined
  readonly cellClass?: string | undefined
  readonly cellProps?: (row: Row) => TdHTMLAttributes<HTMLTableCellElement> & DataAttributes
  readonly cell: (row: Row, narrow: Narrow) => ReactNode
}

interface ListTableProps<Row> {
  readonly caption: string
  readonly className: string | undefined
  /** The same array and functions each time: rows are memoised by them. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly rowProps: (row: Row) => DataAttributes
  readonly narrow: Narrow
  /** A further table row below a row; `null` for none. */
  readonly detail?: (row: Row) => ReactNode
}

/** The table of a live list. Each row has one link marked `data-row-link`, which opens it. */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const { columns, rows, keyOf, rowProps, narrow, detail } = props
  return (
    <table className={`${styles.table} ${props.className}`}>
      <caption className="visually-hidden">{props.caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th
              key={column.heading}
              scope="col"
              className={classes(column.right && styles.right, column.headingClass)}
              title={column.title}
            >
              {column.heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Fragment key={keyOf(row)}>
            <ListRow row={row} columns={columns} rowProps={rowProps} narrow={narrow} />
            {detail?.(row)}
          </Fragment>
        ))}
      </tbody>
    </table>
  )
}

type ListRowProps<Row> = Pick<ListTableProps<Row>, 'columns' | 'rowProps' | 'narrow'> & { readonly row: Row }

const ListRow = memo(function ListRow<Row>({ row, columns, rowProps, narrow }: ListRowProps<Row>) {
  return (
    <tr {...rowProps(row)}>
      {columns.map((column) => (
        <td
          key={column.heading}
          className={classes(column.right && styles.right, column.cellClass)}
          {...column.cellProps?.(row)}
        >
          {column.cell(row, narrow)}
        </td>
      ))}
    </tr>
  )
}) as <Row>(props: ListRowProps<Row>) => ReactNode

/** A word in a frame after a row's name. */
export function RowMark({ children, title, tone }: RowMarkProps) {
  return (
    <span className={`toned ${styles.mark}`} data-tone={tone} title={title}>
      {children}
    </span>
  )
}

interface RowMarkProps {
  readonly children: ReactNode
  readonly title?: string
  readonly tone?: 'bad' | undefined
}

interface NarrowButtonProps {
  readonly name: FilterName
  readonly value: string
  readonly narrow: Narrow
  /** The word that is shown, if it is not the value: people say it to their computer. */
  readonly says?: string
  readonly children: ReactNode
}

/** A value in a row that narrows the list to it. No tab stop: the menus above the list do the same by keyboard. */
export function NarrowButton({ name, value, narrow, says, children }: NarrowButtonProps) {
  const label = `Only where ${name} is ${printable(value)}`
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles.narrow}
      aria-label={says === undefined ? label : `${says}: ${label}`}
      title={`${label}; with Alt: without it`}
      onClick={(event) => narrow(name, value, event.altKey)}
    >
      {children}
    </button>
  )
}

const classes = (...names: readonly (string | false | undefined)[]): string | undefined =>
  names.filter(Boolean).join(' ') || undefined
