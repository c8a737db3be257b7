'use client'

import { useMemo, useState } from 'react'
import { formatCount, plural } from '../../lib/format'
import type { ErrorGroup } from '../../lib/wire/error-groups'
import { Empty } from '../ui/board'
import { client } from '../ui/client'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { Glyph } from '../ui/glyph'
import { type Column, ListTable, NarrowButton, RowMark } from '../ui/list-table'
import { LiveList } from '../ui/live-list'
import { useSearchParam } from '../ui/page-address'
import { printable } from '../ui/printable'
import { hasTerm } from '../ui/query-terms'
import { Received, ServiceName } from '../ui/received'
import { LinkSegments } from '../ui/segments'
import type { ListSource } from '../ui/use-live-list'
import { Bars } from './bars'
import { ErrorViews, FirstErrorSteps } from './error-views'
import styles from './errors-board.module.css'
import { handledText } from './group-text'
import { GroupMark, GroupTitle } from './group-title'

const ONLY_MUTED = 'muted:only'
const UNKNOWN: { readonly open: number | null; readonly muted: number | null } = { open: null, muted: null }

const SORT_PARAM = 'sort'
const OWN_PARAMS: readonly string[] = [SORT_PARAM]

/** `/errors`: error events in groups, the group with the newest arrival or, on request, with the most events first. */
export function ErrorsBoard() {
  const [counts, setCounts] = useState(UNKNOWN)
  const [query] = useSearchParam('q')
  const [sort] = useSearchParam(SORT_PARAM)
  const byCount = sort === 'count'
  const source = useMemo(
    () => groupSource(byCount, (read) => setCounts((before) => ({ ...before, ...read }))),
    [byCount],
  )
  const muted = counts.muted ?? 0
  const isMutedShown = hasTerm(query ?? '', ONLY_MUTED)
  return (
    <LiveList
      // Rows of one order do not merge with rows of the other.
      key={String(byCount)}
      order={byCount ? 'most events first' : 'newest first'}
      ownParams={OWN_PARAMS}
      title="Errors"
      noun="error groups"
      source={source}
      filterHint="type, message, file, handled:false …"
      empty={<NoGroups muted={muted} />}
      endNote={
        query === null &&
        muted > 0 && (
          <>
            All open error groups are shown. <MutedNote muted={muted} />
          </>
        )
      }
      tabs={
        <div className={styles.segments}>
          <LinkSegments
            label="Order"
            current={byCount ? 'count' : 'last'}
            segments={[
              { id: 'last', label: 'Newest', href: errorsHref(query, false) },
              { id: 'count', label: 'Most events', href: errorsHref(query, true) },
            ]}
          />
          <LinkSegments
            label="Muted or not"
            current={isMutedShown ? 'muted' : 'open'}
            segments={[
              { id: 'open', label: 'Open', href: errorsHref(null, byCount), count: counts.open },
              { id: 'muted', label: 'Muted', href: errorsHref(ONLY_MUTED, byCount), count: counts.muted },
            ]}
          />
          <ErrorViews current="groups" />
        </div>
      }
      table={(groups, narrow) => (
        <ListTable
          caption={`Groups of errors, ${byCount ? 'most events' : 'newest arrival'} first`}
          className={styles.table}
          columns={byCount ? BY_COUNT : COLUMNS}
          rows={groups}
          keyOf={keyOf}
          rowProps={rowProps}
          narrow={narrow}
        />
      )}
    />
  )
}

/** The list of groups with a query and an order. */
function errorsHref(query: string | null, byCount: boolean): string {
  const search = new URLSearchParams({ ...(query !== null && { q: query }), ...(byCount && { [SORT_PARAM]: 'count' }) })
  return `/errors${search.size === 0 ? '' : `?${search}`}`
}

const keyOf = ({ hash }: ErrorGroup): string => hash
const rowProps = ({ hash, muted }: ErrorGroup) => ({ 'data-group': hash, 'data-muted': muted })

function groupSource(byCount: boolean, onCounts: (counts: Partial<typeof UNKNOWN>) => void): ListSource<ErrorGroup> {
  return {
    list: 'errors',
    readPage: async (request) => {
      const page = await client.errors({ ...request, sort: byCount ? 'count' : 'last' })
      // A query counts a part of the open groups.
      const isWhole = request.cursor === null && page.next === null && request.q === ''
      onCounts({ muted: page.mutedCount, ...(isWhole && { open: page.groups.length }) })
      return { rows: page.groups, next: page.next, head: page.journal }
    },
    keyOf,
    orderOf: ({ count, lastJournal }) => (byCount ? count : lastJournal),
    concerns: (fact) => fact.kind !== 'received' && fact.kind !== 'refused',
  }
}

/** The class of a column, for its heading and its cells. */
const as = (name: string | undefined) => ({ headingClass: name, cellClass: name })

const COLUMNS: readonly Column<ErrorGroup>[] = [
  { heading: 'Error', cell: (group) => <ErrorCell group={group} /> },
  { heading: 'Last hour', ...as(styles.bars), cell: ({ bars }) => <Bars bars={bars} /> },
  {
    heading: 'Events',
    right: true,
    ...as(styles.count),
    cellProps: ({ count }) => ({ 'data-unit': count === 1 ? 'event' : 'events' }),
    cell: ({ count }) => formatCount(count),
  },
  {
    heading: 'Traces',
    title: 'Traces with an event of this group',
    right: true,
    ...as(styles.traces),
    cell: ({ traces }) => (traces === 0 ? '–' : formatCount(traces)),
  },
  {
    heading: 'Where',
    title: 'Service and transaction of the newest event, and whether the errors were handled',
    ...as(styles.where),
    cell: ({ services, transaction, ...group }, narrow) => {
      const [service] = services.values
      return (
        <>
          <div className={`cut ${styles.line}`} title={transaction === null ? undefined : printable(transaction)}>
            {service !== undefined && (
              <NarrowButton name="service" value={service.value} narrow={narrow}>
                <ServiceName service={service.value} />
              </NarrowButton>
            )}
            {services.distinct > 1 && <span className="faint"> +{services.distinct - 1}</span>}
            {transaction !== null && <Received className={`mono ${styles.transaction}`} text={transaction} />}
          </div>
          <div className={`toned cut ${styles.below}`} data-tone={group.unhandled > 0 ? 'bad' : undefined}>
            {handledText(group) ?? 'handling unknown'}
          </div>
        </>
      )
    },
  },
  {
    heading: 'Seen ↓',
    title: 'Last and first event. The list is in order of arrival.',
    ...as(styles.seen),
    cell: ({ firstSeenUs, lastSeenUs }) => (
      <>
        <div className={`cut ${styles.line}`}>
          <Age atMs={lastSeenUs / 1000} ago />
        </div>
        <div className={`cut ${styles.below}`}>
          first <Age atMs={firstSeenUs / 1000} ago />
        </div>
      </>
    ),
  },
  {
    heading: 'Release',
    ...as(styles.release),
    cell: ({ releases }, narrow) => {
      const [first] = releases.values
      if (first === undefined) return '–'
      return (
        <>
          <div className={`cut ${styles.line}`}>
            <NarrowButton name="release" value={first.value} narrow={narrow}>
              <Received text={first.value} />
            </NarrowButton>
          </div>
          <div className={`cut ${styles.below}`}>
            {releases.distinct === 1 ? 'only' : `and ${plural(releases.distinct - 1, 'other')}`}
          </div>
        </>
      )
    },
  },
  {
    heading: 'Delivery',
    title: 'Of the newest event',
    ...as(styles.status),
    cell: ({ deliveryStatus }) => <DeliveryStatusMark deliveryStatus={deliveryStatus} />,
  },
]

const ARROWS: Readonly<Record<string, string>> = { 'Seen ↓': 'Seen', Events: 'Events ↓' }
const BY_COUNT = COLUMNS.map((column) => ({ ...column, heading: ARROWS[column.heading] ?? column.heading }))

function ErrorCell({ group }: { readonly group: ErrorGroup }) {
  const { hash, isNew, note } = group
  return (
    <div className={styles.named}>
      <GroupMark {...group} />
      <div className={styles.names}>
        <div className={`cut ${styles.line}`}>
          <a data-row-link href={`/errors/${hash}`} title={printable(group.title)}>
            <GroupTitle group={group} />
          </a>
        </div>
        <div className={`cut mono ${styles.below}`}>
          {group.function !== null && <Received className={styles.function} text={group.function} />}
          {group.file !== null && <Received text={`${group.file}${group.line === null ? '' : `:${group.line}`}`} />}
          {group.function === null && group.file === null && 'no stack'}
        </div>
      </div>
      {note !== null && (
        <span className={styles.glyph} role="img" aria-label="has a note" title={printable(note)}>
          <Glyph name="note" />
        </span>
      )}
      {isNew && <RowMark tone="bad">new</RowMark>}
    </div>
  )
}

const MutedNote = ({ muted }: { readonly muted: number }) => (
  <>
    {plural(muted, 'muted group')} {muted === 1 ? 'is' : 'are'} hidden: <a href={errorsHref(ONLY_MUTED, false)}>show</a>
    .
  </>
)

const NoGroups = ({ muted }: { readonly muted: number }) =>
  muted > 0 ? (
    <Empty title="No open errors" what="list">
      <p>
        <MutedNote muted={muted} />
      </p>
    </Empty>
  ) : (
    <Empty title="No errors yet" what="list">
      <p>
        Errors with the same cause become one row: their type and the functions of your app are compared. A row opens
        the code that failed, what happened before, and the trace.
      </p>
      <FirstErrorSteps />
    </Empty>
  )
