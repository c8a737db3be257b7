'use client'

import { memo } from 'react'
import { formatBytes, formatCount } from '../../lib/format'
import type { EnvelopeSummary } from '../../lib/wire/envelope'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { endpointWords } from '../ui/labels'
import list from '../ui/list-table.module.css'
import { ItemChips, Received } from '../ui/received'
import { digestWords } from '../ui/status-text'
import styles from './envelopes-table.module.css'

export function EnvelopesTable({ envelopes }: { readonly envelopes: readonly EnvelopeSummary[] }) {
  return (
    <table className={`${list.table} ${styles.table}`}>
      <caption className="visually-hidden">Envelopes, newest arrival first</caption>
      <thead>
        <tr>
          <th scope="col" className={`${list.right} ${styles.seq}`}>
            Envelope
          </th>
          <th scope="col" className={`${list.right} ${styles.age}`} title="When it arrived here; the newest first">
            Age
          </th>
          <th scope="col">Items</th>
          <th
            scope="col"
            className={styles.endpoint}
            title="How it came in: through an app’s tunnel, or straight to the collector"
          >
            Endpoint
          </th>
          <th scope="col" className={styles.sdk}>
            SDK
          </th>
          <th scope="col" className={`${list.right} ${styles.bytes}`}>
            Bytes
          </th>
          <th scope="col" className={styles.digest}>
            Digest
          </th>
          <th scope="col" className={`${list.right} ${styles.attempts}`} title="Deliveries: attempts to relay it">
            Tries
          </th>
          <th scope="col" className={styles.status}>
            Delivery
          </th>
        </tr>
      </thead>
      <tbody>
        {envelopes.map((envelope) => (
          <EnvelopeRow key={envelope.seq} envelope={envelope} />
        ))}
      </tbody>
    </table>
  )
}

const EnvelopeRow = memo(function EnvelopeRow({ envelope }: { readonly envelope: EnvelopeSummary }) {
  const endpoint = endpointWords(envelope.endpoint)
  const digest = digestWords(envelope.digest)
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
      <td title={endpoint.means}>{endpoint.word}</td>
      <td className={`mono ${styles.sdkCell}`}>{envelope.sdk !== null && <Received text={envelope.sdk} />}</td>
      <td className={`${list.right} num`}>{formatBytes(envelope.bytes)}</td>
      <td title={digest.means} className={styles.digestCell} data-digest={envelope.digest}>
        {digest.word}
      </td>
      <td className={`${list.right} num`}>{envelope.deliveries === 0 ? '–' : formatCount(envelope.deliveries)}</td>
      <td>
        <DeliveryStatusMark deliveryStatus={envelope.deliveryStatus} withReason />
      </td>
    </tr>
  )
})
