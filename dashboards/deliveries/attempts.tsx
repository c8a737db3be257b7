'use client'

import type { ReactNode } from 'react'
import { formatBytes, formatDurationMs } from '../../lib/format'
import type { Delivery } from '../../lib/wire/delivery'
import { answerText, wasPosted } from '../../lib/wire/status-text'
import { Empty, FirstSteps } from '../ui/board'
import { client } from '../ui/client'
import { Age } from '../ui/clock'
import { DELIVERIES_PARAMS } from '../ui/links'
import { type Column, ListTable, NarrowButton, RowMark } from '../ui/list-table'
import { LiveList } from '../ui/live-list'
import { printable } from '../ui/printable'
import { Received } from '../ui/received'
import type { ListSource } from '../ui/use-live-list'
import styles from './attempts.module.css'

/** Every attempt to deliver an envelope, newest first. */
/** @param tabs links to the other lists of deliveries */
export function AttemptList({ tabs }: { readonly tabs: ReactNode }) {
  return (
    <LiveList
      tabs={tabs}
      title="Delivery attempts"
      noun="attempts"
      source={SOURCE}
      filterHint="status:413, status:none, envelope:17 …"
      ownParams={DELIVERIES_PARAMS}
      empty={
        <Empty title="No delivery attempts yet" what="list">
          <p>
            This list shows each post of an envelope to its upstream: the time, the upstream, its answer and the
            duration.
          </p>
          <DeliverySteps />
        </Empty>
      }
      table={(attempts, narrow) => (
        <ListTable
          caption="Delivery attempts, newest first"
          className={styles.table}
          columns={COLUMNS}
          rows={attempts}
          keyOf={SOURCE.keyOf}
          rowProps={rowProps}
          narrow={narrow}
        />
      )}
    />
  )
}

const SOURCE: ListSource<Delivery> = {
  list: 'deliveries',
  readPage: async (request) => {
    const page = await client.deliveries(request)
    return { rows: page.deliveries, next: page.next, head: page.journal }
  },
  keyOf: (delivery) => String(delivery.id),
  orderOf: (delivery) => delivery.journal,
  concerns: ({ kind }) => kind === 'delivered' || kind === 'decided' || kind === 'evicted' || kind === 'cleared',
}

const rowProps = (attempt: Delivery) => ({ 'data-attempt': attempt.id })

const COLUMNS: readonly Column<Delivery>[] = [
  {
    heading: 'Envelope',
    right: true,
    headingClass: styles.seq,
    cellClass: 'num',
    cell: ({ seq }) => (
      <a data-row-link href={`/envelopes/${seq}`}>
        {seq}
      </a>
    ),
  },
  {
    heading: 'Try',
    title: '1 is the first attempt for this envelope',
    right: true,
    headingClass: styles.attempt,
    cellClass: 'num',
    cell: ({ attempt }) => attempt,
  },
  {
    heading: 'Age',
    title: 'Time since it was posted',
    right: true,
    headingClass: styles.age,
    cell: ({ startedAt }) => <Age atMs={startedAt} />,
  },
  {
    heading: 'Upstream',
    headingClass: styles.upstream,
    cellClass: `mono ${styles.upstreamCell}`,
    cell: ({ upstream }, narrow) => (
      <NarrowButton name="upstream" value={upstream} narrow={narrow}>
        <Received text={upstream} />
      </NarrowButton>
    ),
  },
  {
    heading: 'Answer',
    cell: (attempt) => (
      <>
        <AnswerMark answered={attempt} wasPosted={wasPosted(attempt)} />
        {attempt.maybeDelivered && (
          <RowMark title="No answer arrived, but the post may have: upstream may get it twice.">
            maybe delivered
          </RowMark>
        )}
      </>
    ),
  },
  {
    heading: 'Duration',
    title: 'From the start of the post to the end of the answer',
    right: true,
    headingClass: styles.took,
    cellClass: 'num',
    cell: ({ startedAt, endedAt }) => formatDurationMs(endedAt - startedAt),
  },
  {
    heading: 'Bytes',
    title: 'Posted bytes',
    right: true,
    headingClass: styles.bytes,
    cellClass: 'num',
    cell: ({ bytes }) => formatBytes(bytes),
  },
  {
    heading: 'Form',
    title: 'How the posted bytes differ from the received ones',
    headingClass: styles.form,
    cell: ({ form }) => form.join(', '),
  },
]

interface AnswerMarkProps {
  readonly answered: { readonly status: number | null; readonly error: string | null; readonly answer: string | null }
  /** False for a damaged record. */
  readonly wasPosted: boolean
}

/** An answer of upstream: the status, or why there is none, and the body as text. */
export function AnswerMark({ answered, wasPosted: posted }: AnswerMarkProps) {
  const { word, tone, meaning } = answerText(answered, posted)
  const body = answered.answer === null || answered.answer === '' ? null : answered.answer
  return (
    <span title={body === null ? meaning : `${meaning} Answer: ${printable(body)}`}>
      <strong className={`toned ${styles.word}`} data-tone={tone}>
        <Received text={word} />
      </strong>
      {body !== null && (
        <>
          {' '}
          <Received className={styles.body} text={body} />
        </>
      )}
    </span>
  )
}

export function DeliverySteps() {
  return (
    <FirstSteps lab=": loading the page already sends a few envelopes.">
      <li>
        Without an upstream, envelopes are stored and never posted. Set <code>WAYSTATION_UPSTREAM</code> to the DSN of
        your project, or to <code>stand-in</code> to try it without one.
      </li>
    </FirstSteps>
  )
}
