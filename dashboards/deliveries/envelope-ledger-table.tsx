'use client'

import { memo } from 'react'
import type { EnvelopeSummary } from '../../lib/wire/envelope'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import list from '../ui/list-table.module.css'
import { ItemChips, Received } from '../ui/received'
import { AnswerMark } from './answer-mark'
import { wayOf } from './delivery-progress'
import styles from './envelope-ledger-table.module.css'
import { WayLegend, WayMark } from './way-mark'

export function EnvelopeLedgerTable({ envelopes }: { readonly envelopes: readonly EnvelopeSummary[] }) {
  return (
    <>
      <table className={`${list.table} ${styles.table}`}>
        <caption className="visually-hidden">What became of each envelope, newest arrival first</caption>
        <thead>
          <tr>
            <th scope="col" className={`${list.right} ${styles.seq}`}>
              Envelope
            </th>
            <th scope="col" className={`${list.right} ${styles.age}`} title="When it arrived here; the newest first">
              Age
            </th>
            <th scope="col" className={styles.items}>
              Items
            </th>
            <th scope="col" className={styles.way} title="Stored, digested, posted, decided: how far it is">
              State
            </th>
            <th scope="col" className={styles.upstream} title="To whom it was posted last">
              Upstream
            </th>
            <th scope="col" className={styles.answer} title="What upstream answered last, in its words">
              Last answer
            </th>
            <th scope="col" className={styles.status}>
              Delivery
            </th>
          </tr>
        </thead>
        <tbody>
          {envelopes.map((envelope) => (
            <LedgerRow key={envelope.seq} envelope={envelope} />
          ))}
        </tbody>
      </table>
      <WayLegend className={styles.legend} />
    </>
  )
}

const LedgerRow = memo(function LedgerRow({ envelope }: { readonly envelope: EnvelopeSummary }) {
  const { lastDelivery, deliveryStatus } = envelope
  return (
    <tr data-envelope={envelope.seq}>
      <td className={`${list.right} num`}>
        <a data-row-link href={`/envelopes/${envelope.seq}`}>
          {envelope.seq}
        </a>
      </td>
      <td className={list.right}>
        <Age atMs={envelope.receivedAt} />
      </td>
      <td>
        <ItemChips items={envelope.items} />
      </td>
      <td>
        <WayMark way={wayOf(envelope)} />
      </td>
      <td className={`mono ${styles.upstreamCell}`}>
        {lastDelivery === null ? <span className="faint">–</span> : <Received text={lastDelivery.upstream} />}
      </td>
      <td>
        {lastDelivery === null ? (
          <span className="faint" title="It was not posted.">
            not posted
          </span>
        ) : (
          <AnswerMark answered={lastDelivery} wasPosted={deliveryStatus.reason !== 'damaged_record'} />
        )}
      </td>
      <td>
        <DeliveryStatusMark deliveryStatus={deliveryStatus} withReason />
      </td>
    </tr>
  )
})
