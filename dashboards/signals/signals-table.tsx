'use client'

import { Fragment, type MouseEvent, memo } from 'react'
import type { SignalKind } from '../../lib/protocol/items/signal'
import type { SignalRow } from '../../lib/wire/signal'
import { ShortMoment } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { signalsHref } from '../ui/links'
import list from '../ui/list-table.module.css'
import { type Narrow, NarrowButton } from '../ui/narrow-button'
import { printable } from '../ui/printable'
import { Received, ServiceName, TraceLink } from '../ui/received'
import { levelTone, ownColumns, type SignalColumn } from './signal-columns'
import { SignalDetail } from './signal-detail'
import { kindWords } from './signal-kinds'
import styles from './signals-table.module.css'

interface SignalsTableProps {
  readonly kind: SignalKind
  readonly signals: readonly SignalRow[]
  /** Key of the row that shows all its fields. */
  readonly open: string | null
  readonly onOpen: (key: string | null) => void
  readonly onNarrow: Narrow
}

/** Time, name, service, trace, envelope and status, which all kinds have. */
const COMMON_COLUMNS = 6

export function SignalsTable({ kind, signals, open, onOpen, onNarrow }: SignalsTableProps) {
  const { what, level, noun } = kindWords(kind)
  const own = ownColumns(kind)
  const columns = COMMON_COLUMNS + own.length + (level === null ? 0 : 1)
  return (
    <table className={`${list.table} ${styles.table}`}>
      <caption className="visually-hidden">{noun}, newest arrival first</caption>
      <thead>
        <tr>
          <th
            scope="col"
            className={styles.time}
            title="The time it carries; the list is in the order of arrival, the newest first"
          >
            Time
          </th>
          {level !== null && (
            <th scope="col" className={styles.level}>
              {level}
            </th>
          )}
          <th scope="col">{what}</th>
          {own.map((column) => (
            <th key={column.head} scope="col" className={classOf(column)}>
              {column.head}
            </th>
          ))}
          <th scope="col" className={`${styles.service} ${styles.wide}`}>
            Service
          </th>
          <th scope="col" className={`${styles.trace} ${styles.middling}`}>
            Trace
          </th>
          <th scope="col" className={`${styles.envelope} ${styles.middling}`}>
            Envelope
          </th>
          <th scope="col" className={`${styles.status} ${styles.middling}`}>
            Delivery
          </th>
        </tr>
      </thead>
      <tbody>
        {signals.map((signal) => (
          <Fragment key={signal.key}>
            <SignalLine signal={signal} isOpen={signal.key === open} onOpen={onOpen} onNarrow={onNarrow} />
            {signal.key === open && (
              <tr className={styles.detail} data-detail={signal.key}>
                <td colSpan={columns}>
                  <SignalDetail signal={signal} />
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  )
}

interface SignalLineProps {
  readonly signal: SignalRow
  readonly isOpen: boolean
  readonly onOpen: (key: string | null) => void
  readonly onNarrow: Narrow
}

const SignalLine = memo(function SignalLine({ signal, isOpen, onOpen, onNarrow }: SignalLineProps) {
  const { kind, key, name, level, timestampUs, service, traceId, seq } = signal
  const toggle = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    onOpen(isOpen ? null : key)
  }
  return (
    <tr data-signal={key} data-open={isOpen}>
      <td className={styles.timeCell}>
        <ShortMoment atMs={timestampUs / 1000} />
      </td>
      {kindWords(kind).level !== null && (
        <td className={styles.levelCell} data-tone={levelTone(level)}>
          {level === null ? '–' : <Received text={level} />}
        </td>
      )}
      <td>
        <a data-row-link href={signalsHref(kind, { open: key })} aria-expanded={isOpen} onClick={toggle}>
          {name === '' ? '(no text)' : <Received text={name} />}
        </a>
        {signal.copy === 'only' && <span className={list.mark}>seen, not sent</span>}
      </td>
      {ownColumns(kind).map((column) => (
        <OwnCell key={column.head} column={column} signal={signal} />
      ))}
      <td className={styles.wide}>
        {service === null ? (
          '–'
        ) : (
          <NarrowButton name="service" value={service} onNarrow={onNarrow}>
            <ServiceName service={service} />
          </NarrowButton>
        )}
      </td>
      <td className={styles.middling}>
        <TraceLink traceId={traceId} />
      </td>
      <td className={styles.middling}>
        <a className="num" href={`/envelopes/${seq}`}>
          {seq}
        </a>
      </td>
      <td className={styles.middling}>
        <DeliveryStatusMark deliveryStatus={signal.deliveryStatus} />
      </td>
    </tr>
  )
})

function OwnCell({ column, signal }: { readonly column: SignalColumn; readonly signal: SignalRow }) {
  const text = column.text(signal)
  return (
    <td className={`${styles.own} ${classOf(column)}`} title={text === null ? undefined : printable(text)}>
      {text === null ? '–' : <Received text={text} />}
    </td>
  )
}

function classOf({ width, right, keeps }: SignalColumn): string {
  const parts = [styles[width], right === true && list.right, keeps !== true && styles.middling]
  return parts.filter(Boolean).join(' ')
}
