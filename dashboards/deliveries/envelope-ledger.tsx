'use client'

import type { ReactNode } from 'react'
import type { EnvelopeSummary } from '../../lib/wire/envelope'
import { ENVELOPES, EnvelopeLink, envelopeRowProps } from '../envelopes/envelopes-board'
import { Empty } from '../ui/board'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { DELIVERIES_PARAMS } from '../ui/links'
import { type Column, ListTable } from '../ui/list-table'
import { LiveList } from '../ui/live-list'
import { printable } from '../ui/printable'
import { ItemChips, Received } from '../ui/received'
import { AnswerMark, DeliverySteps } from './attempts'
import { type DeliveryProgress, deliveryProgress, PROGRESS_LEGEND, type ProgressStep } from './delivery-progress'
import styles from './envelope-ledger.module.css'

/** @param tabs links to the other lists of deliveries */
export function EnvelopeLedger({ tabs }: { readonly tabs: ReactNode }) {
  return (
    <LiveList
      tabs={tabs}
      title="Deliveries"
      noun="envelopes"
      source={ENVELOPES}
      filterHint="delivery:pending, type:event, 17 …"
      ownParams={DELIVERIES_PARAMS}
      empty={
        <Empty title="No envelopes yet" what="list">
          <p>
            Every envelope is stored and digested, and posted to its upstream if one is set. This list shows the
            progress of each one.
          </p>
          <DeliverySteps />
        </Empty>
      }
      table={(envelopes, narrow) => (
        <>
          <ListTable
            caption="Delivery status of each envelope, newest arrival first"
            className={styles.table}
            columns={COLUMNS}
            rows={envelopes}
            keyOf={ENVELOPES.keyOf}
            rowProps={envelopeRowProps}
            narrow={narrow}
          />
          <Legend />
        </>
      )}
    />
  )
}

const COLUMNS: readonly Column<EnvelopeSummary>[] = [
  { heading: 'Envelope', right: true, headingClass: styles.seq, cellClass: 'num', cell: EnvelopeLink },
  {
    heading: 'Age',
    title: 'Time since it arrived, newest first',
    right: true,
    headingClass: styles.age,
    cell: ({ receivedAt }) => <Age atMs={receivedAt} />,
  },
  { heading: 'Items', headingClass: styles.items, cell: ({ items }) => <ItemChips items={items} /> },
  {
    heading: 'State',
    title: 'Progress: stored, digested, posted, outcome',
    headingClass: styles.state,
    cell: (envelope) => <ProgressMark progress={deliveryProgress(envelope)} />,
  },
  {
    heading: 'Upstream',
    title: 'The last upstream it was posted to',
    headingClass: styles.upstream,
    cellClass: `mono ${styles.upstreamCell}`,
    cell: ({ lastDelivery }) =>
      lastDelivery === null ? <span className="faint">–</span> : <Received text={lastDelivery.upstream} />,
  },
  {
    heading: 'Last answer',
    title: 'The last answer of upstream',
    headingClass: styles.answer,
    cell: ({ lastDelivery, deliveryStatus }) =>
      lastDelivery === null ? (
        <span className="faint">not posted</span>
      ) : (
        <AnswerMark answered={lastDelivery} wasPosted={deliveryStatus.reason !== 'damaged_record'} />
      ),
  },
  {
    heading: 'Delivery',
    headingClass: styles.status,
    cell: ({ deliveryStatus }) => <DeliveryStatusMark deliveryStatus={deliveryStatus} withReason />,
  },
]

function ProgressMark({ progress: { steps, word, meaning } }: { readonly progress: DeliveryProgress }) {
  return (
    <span className={styles.progress} title={printable(meaning)}>
      <svg className={styles.line} aria-hidden="true" viewBox="0 0 50 12" width="50" height="12">
        <path d="M5 6h40" className={styles.track} />
        {steps.map((step, at) => (
          <StepMark key={step.name} state={step.state} x={5 + at * 13.3} />
        ))}
      </svg>
      <span aria-hidden="true">{word}</span>
      <span className="visually-hidden">{printable(meaning)}</span>
    </span>
  )
}

function Legend() {
  return (
    <div className={styles.legend} data-progress-legend>
      <span>State: stored, digested, posted, outcome.</span>
      {PROGRESS_LEGEND.map(({ state, meaning }) => (
        <span key={state} className={styles.progress}>
          <svg aria-hidden="true" viewBox="0 0 12 12" width="12" height="12">
            <StepMark state={state} x={6} />
          </svg>
          {meaning}
        </span>
      ))}
    </div>
  )
}

/** The shape repeats the colour: a filled circle, a ring, a cross, two strokes, a short stroke. */
const PATHS = {
  failed: (x: number) => `M${x - 2.5} 3.5l5 5M${x + 2.5} 3.5l-5 5`,
  lost: (x: number) => `M${x - 1.6} 3.5v5M${x + 1.6} 3.5v5`,
  skipped: (x: number) => `M${x - 2} 6h4`,
} as const

function StepMark({ state, x }: { readonly state: ProgressStep['state']; readonly x: number }) {
  if (state === 'done' || state === 'open')
    return <circle data-state={state} cx={x} cy="6" r="3" className={styles.mark} />
  return <path data-state={state} d={PATHS[state](x)} className={styles.mark} />
}
