'use client'

import { type MouseEvent, type ReactNode, useMemo, useState } from 'react'
import type { SignalKind } from '../../lib/protocol/items/signal'
import type { SignalCounts, SignalRow } from '../../lib/wire/signal'
import { Empty } from '../ui/board'
import board from '../ui/board.module.css'
import { client } from '../ui/client'
import { ShortTime } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { CopyButton } from '../ui/facts'
import { KIND_PARAM, OPEN_PARAM, SIGNALS_PARAMS, signalsHref } from '../ui/links'
import { type Column, ListTable, type Narrow, NarrowButton, RowMark } from '../ui/list-table'
import { LiveList } from '../ui/live-list'
import { changeSearch, useSearchParam } from '../ui/page-address'
import { printable } from '../ui/printable'
import { Received, ServiceName, TraceLink } from '../ui/received'
import { HAS_LAB } from '../ui/standalone'
import { LinkTabs } from '../ui/tabs'
import { TopBar } from '../ui/top-bar'
import type { ListSource } from '../ui/use-live-list'
import { NO_QUERY } from '../ui/use-query'
import { levelTone, ownColumns, type SignalColumn, textField } from './signal-columns'
import { SignalDetail } from './signal-detail'
import { kindTabs, kindText, shownKind } from './signal-kinds'
import styles from './signals-board.module.css'

/** `/vitals`: metrics, newest first. */
export const MetricsBoard = () => <SignalList kind="metric" onCounts={ignoreCounts} tabs={null} />

const ignoreCounts = (): void => undefined

/** `/logs`: logs, sessions and others, one list per kind, newest first. */
export function LogsBoard() {
  const [named] = useSearchParam(KIND_PARAM)
  const [counts, setCounts] = useState<SignalCounts['counts'] | null>(null)
  const shown = shownKind(named)
  const tabs = (
    <LinkTabs
      label="Kinds of signals"
      tabs={kindTabs(counts).map(({ kind, count }) => ({
        id: kind,
        href: signalsHref(kind),
        label: kindText(kind).name,
        count,
      }))}
      current={'kind' in shown ? shown.kind : null}
      onChoose={(kind) => changeSearch({ ...NO_QUERY, [OPEN_PARAM]: null, [KIND_PARAM]: kind }, 'step')}
    />
  )
  if ('kind' in shown) return <SignalList key={shown.kind} kind={shown.kind} onCounts={setCounts} tabs={tabs} />
  return (
    <>
      <TopBar title="Logs" />
      {tabs}
      <UnknownKind named={named ?? ''} nearest={shown.nearest} />
    </>
  )
}

interface SignalListProps {
  readonly kind: SignalKind
  readonly onCounts: (counts: SignalCounts['counts']) => void
  readonly tabs: ReactNode
}

function SignalList({ kind, onCounts, tabs }: SignalListProps) {
  const source = useMemo(() => sourceOf(kind, onCounts), [kind, onCounts])
  const { name, noun, level, filterHint } = kindText(kind)
  const facets = useMemo(() => (level === null ? [] : [{ key: 'level', label: level }]), [level])
  return (
    <LiveList
      title={name}
      tabs={tabs}
      noun={noun}
      source={source}
      facets={facets}
      filterHint={filterHint}
      ownParams={SIGNALS_PARAMS}
      empty={<NoSignals kind={kind} />}
      table={(signals, narrow) => <SignalsTable kind={kind} signals={signals} narrow={narrow} />}
    />
  )
}

/** @param onCounts receives the counts of all kinds whenever the first page is read */
const sourceOf = (kind: SignalKind, onCounts: SignalListProps['onCounts']): ListSource<SignalRow> => ({
  list: 'signals',
  kind,
  readPage: async (request) => {
    const [page, counted] = await Promise.all([
      client.signals(kind, request),
      request.cursor === null ? client.signalCounts(request.signal) : null,
    ])
    if (counted !== null) onCounts(counted.counts)
    return { rows: page.signals, next: page.next, head: page.journal, leftOut: page.leftOut }
  },
  keyOf: (signal) => signal.key,
  orderOf: (signal) => signal.journal,
  // A received envelope gets rows when it is digested; a refused one never does.
  concerns: (fact) => fact.kind !== 'received' && fact.kind !== 'refused',
})

interface SignalsTableProps {
  readonly kind: SignalKind
  readonly signals: readonly SignalRow[]
  readonly narrow: Narrow
}

function SignalsTable({ kind, signals, narrow }: SignalsTableProps) {
  const [open, setOpen] = useSearchParam(OPEN_PARAM)
  const columns = useMemo(() => columnsOf(kind, open, setOpen), [kind, open, setOpen])
  const rowProps = useMemo(
    () => (signal: SignalRow) => ({ 'data-signal': signal.key, 'data-open': String(signal.key === open) }),
    [open],
  )
  return (
    <ListTable
      caption={`${kindText(kind).noun}, newest arrival first`}
      className={styles.table}
      columns={columns}
      rows={signals}
      keyOf={(signal) => signal.key}
      rowProps={rowProps}
      narrow={narrow}
      detail={(signal) =>
        signal.key === open && (
          <tr className={styles.detail} data-detail={signal.key}>
            <td colSpan={columns.length}>
              <SignalDetail signal={signal} />
            </td>
          </tr>
        )
      }
    />
  )
}

function columnsOf(
  kind: SignalKind,
  open: string | null,
  onOpen: (key: string | null) => void,
): readonly Column<SignalRow>[] {
  const { heading, level } = kindText(kind)
  const toggle = (key: string) => (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    onOpen(key === open ? null : key)
  }
  return [
    {
      heading: 'Time',
      title: 'The timestamp of the signal. The list is in order of arrival, newest first.',
      headingClass: styles.time,
      cellClass: styles.timeCell,
      cell: ({ timestampUs }) => <ShortTime atMs={timestampUs / 1000} />,
    },
    ...(level === null ? [] : [levelColumn(level)]),
    {
      heading,
      cell: ({ key, name, copy, fields }) => (
        <>
          <a data-row-link href={signalsHref(kind, { open: key })} aria-expanded={key === open} onClick={toggle(key)}>
            {name === '' ? '(no text)' : <Received text={name} />}
          </a>
          {kind === 'log' && <EventName name={textField(fields, 'eventName')} />}
          {copy === 'only' && <RowMark>copy only</RowMark>}
        </>
      ),
    },
    ...ownColumns(kind).map(tableColumn),
    {
      heading: 'Service',
      headingClass: `${styles.service} ${styles.wide}`,
      cellClass: styles.wide,
      cell: ({ service }, narrow) =>
        service === null ? (
          '–'
        ) : (
          <NarrowButton name="service" value={service} narrow={narrow}>
            <ServiceName service={service} />
          </NarrowButton>
        ),
    },
    {
      heading: 'Trace',
      headingClass: `${styles.trace} ${styles.middling}`,
      cellClass: styles.middling,
      cell: ({ traceId }) => <TraceLink traceId={traceId} />,
    },
    {
      heading: 'Envelope',
      headingClass: `${styles.envelope} ${styles.middling}`,
      cellClass: styles.middling,
      cell: ({ seq }) => (
        <a className="num" href={`/envelopes/${seq}`}>
          {seq}
        </a>
      ),
    },
    {
      heading: 'Delivery',
      headingClass: `${styles.status} ${styles.middling}`,
      cellClass: styles.middling,
      cell: ({ deliveryStatus }) => <DeliveryStatusMark deliveryStatus={deliveryStatus} />,
    },
  ]
}

/** The event name of a log record of OpenTelemetry. */
function EventName({ name }: { readonly name: string | null }) {
  if (name === null) return null
  return (
    <RowMark title="Event name">
      <Received text={name} />
    </RowMark>
  )
}

const levelColumn = (heading: string): Column<SignalRow> => ({
  heading,
  headingClass: styles.level,
  cellClass: styles.levelCell,
  cellProps: ({ level }) => ({ 'data-tone': levelTone(level) }),
  cell: ({ level }) => (level === null ? '–' : <Received text={level} />),
})

function tableColumn(column: SignalColumn): Column<SignalRow> {
  const { heading, width, right = false, onPhone = false } = column
  const shared = `${styles[width]} ${onPhone ? '' : styles.middling}`
  return {
    heading,
    right,
    headingClass: shared,
    cellClass: `${styles.own} ${shared}`,
    cellProps: (signal) => {
      const text = column.text(signal)
      return { title: text === null ? undefined : printable(text) }
    },
    cell: (signal) => {
      const text = column.text(signal)
      return text === null ? '–' : <Received text={text} />
    },
  }
}

function UnknownKind({ named, nearest }: { readonly named: string; readonly nearest: SignalKind }) {
  return (
    <div className={`${board.none} ${styles.missing}`}>
      <h2>Unknown kind of signal</h2>
      <p>
        The address names <code>{printable(named.slice(0, 80))}</code>. Did you mean{' '}
        <a href={signalsHref(nearest)}>{kindText(nearest).name.toLowerCase()}</a> (<code>{nearest}</code>)? The tabs
        above list all kinds.
      </p>
    </div>
  )
}

function NoSignals({ kind }: { readonly kind: SignalKind }) {
  const { noun, when, code } = kindText(kind)
  return (
    <Empty title={`No ${noun} yet`} what="list">
      <p>{when} This line sends one:</p>
      <div className={styles.code}>
        <code>{code}</code>
        <CopyButton quiet text={code} label="this line" />
      </div>
      <p>
        The board <a href="/">Live</a> shows the local DSN
        {HAS_LAB && (
          <>
            ; <a href="/lab">the lab</a> can send some of them
          </>
        )}
        .
      </p>
    </Empty>
  )
}
