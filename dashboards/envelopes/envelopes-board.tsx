'use client'

import { formatBytes, formatCount } from '../../lib/format'
import type { EnvelopeSummary } from '../../lib/wire/envelope'
import { digestText } from '../../lib/wire/status-text'
import { Empty, FirstSteps } from '../ui/board'
import { client } from '../ui/client'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { endpointText } from '../ui/labels'
import { type Column, ListTable } from '../ui/list-table'
import { LiveList } from '../ui/live-list'
import { ItemChips, Received } from '../ui/received'
import type { ListSource } from '../ui/use-live-list'
import styles from './envelopes-board.module.css'

/** `/envelopes`: the received envelopes, newest first. */
export function EnvelopesBoard() {
  return (
    <LiveList
      title="Envelopes"
      noun="envelopes"
      source={ENVELOPES}
      filterHint="type:event, delivery:pending, 17 …"
      empty={<NoEnvelopes />}
      table={(envelopes, narrow) => (
        <ListTable
          caption="Envelopes, newest arrival first"
          className={styles.table}
          columns={COLUMNS}
          rows={envelopes}
          keyOf={ENVELOPES.keyOf}
          rowProps={envelopeRowProps}
          narrow={narrow}
        />
      )}
    />
  )
}

/** Also the rows of the delivery ledger. */
export const ENVELOPES: ListSource<EnvelopeSummary> = {
  list: 'envelopes',
  readPage: async (request) => {
    const page = await client.envelopes(request)
    return { rows: page.envelopes, next: page.next, head: page.journal, leftOut: page.leftOut }
  },
  keyOf: (envelope) => String(envelope.seq),
  orderOf: (envelope) => envelope.journal,
  concerns: (fact) => fact.kind !== 'refused',
}

export const envelopeRowProps = (envelope: EnvelopeSummary) => ({ 'data-envelope': envelope.seq })

export const EnvelopeLink = ({ seq }: Pick<EnvelopeSummary, 'seq'>) => (
  <a data-row-link href={`/envelopes/${seq}`}>
    {seq}
  </a>
)

const COLUMNS: readonly Column<EnvelopeSummary>[] = [
  { heading: 'Envelope', right: true, headingClass: styles.seq, cellClass: 'num', cell: EnvelopeLink },
  {
    heading: 'Age',
    title: 'Time since it arrived, newest first',
    right: true,
    headingClass: styles.age,
    cell: ({ receivedAt }) => <Age atMs={receivedAt} />,
  },
  { heading: 'Items', cell: ({ items }) => <ItemChips items={items} /> },
  {
    heading: 'Endpoint',
    title: 'How it arrived: through the tunnel of an app, or directly at the collector',
    headingClass: styles.endpoint,
    cellProps: ({ endpoint }) => ({ title: endpointText(endpoint).meaning }),
    cell: ({ endpoint }) => endpointText(endpoint).word,
  },
  {
    heading: 'SDK',
    headingClass: styles.sdk,
    cellClass: `mono ${styles.sdkCell}`,
    cell: ({ sdk }) => sdk !== null && <Received text={sdk} />,
  },
  {
    heading: 'Bytes',
    right: true,
    headingClass: styles.bytes,
    cellClass: 'num',
    cell: ({ bytes }) => formatBytes(bytes),
  },
  {
    heading: 'Digest',
    headingClass: styles.digest,
    cellClass: styles.digestCell,
    cellProps: ({ digest }) => ({ title: digestText(digest).meaning, 'data-digest': digest }),
    cell: ({ digest }) => digestText(digest).word,
  },
  {
    heading: 'Tries',
    title: 'Attempts to deliver it',
    right: true,
    headingClass: styles.attempts,
    cellClass: 'num',
    cell: ({ deliveries }) => (deliveries === 0 ? '–' : formatCount(deliveries)),
  },
  {
    heading: 'Delivery',
    headingClass: styles.status,
    cell: ({ deliveryStatus }) => <DeliveryStatusMark deliveryStatus={deliveryStatus} withReason />,
  },
]

function NoEnvelopes() {
  return (
    <Empty title="No envelopes yet" what="list">
      <p>SDKs send everything in envelopes. This list shows each one byte for byte, with its delivery status.</p>
      <FirstSteps lab=": loading the page already sends a few." />
    </Empty>
  )
}
