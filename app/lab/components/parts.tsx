'use client'

import { useState } from 'react'
import { Bars } from '../../../dashboards/errors/bars'
import { Pattern } from '../../../dashboards/errors/group-title'
import { HopLine, type HopLineProps } from '../../../dashboards/errors/hop-line'
import { ENTRIES } from '../../../dashboards/shell/entries'
import { AttributeTable } from '../../../dashboards/ui/attribute-table'
import { ConfirmButton } from '../../../dashboards/ui/confirm-button'
import { DeliveryStatusMark } from '../../../dashboards/ui/delivery-status-mark'
import { CopyButton, Fact, Facts } from '../../../dashboards/ui/facts'
import { GLYPH_NAMES, Glyph, Icon } from '../../../dashboards/ui/glyph'
import { type Column, ListTable, RowMark } from '../../../dashboards/ui/list-table'
import { ItemChips, Received, ServiceName, TraceLink } from '../../../dashboards/ui/received'
import { Segments } from '../../../dashboards/ui/segments'
import { StampField } from '../../../dashboards/ui/stamp'
import { LinkTabs, Tabs } from '../../../dashboards/ui/tabs'
import { DELIVERY_STATUSES } from '../../../lib/protocol/outcome'
import type { DeliveryStatus } from '../../../lib/wire/delivery-status'
import styles from './components.module.css'

const STATUSES: readonly DeliveryStatus[] = [
  ...DELIVERY_STATUSES.map((name) => ({ name, reason: null })),
  { name: 'pending', reason: 'dead_letter' },
]
const TABS = [
  { id: 'facts', label: 'Facts' },
  { id: 'errors', label: 'Errors 2' },
] as const
const SEGMENTS = TABS.map((tab, index) => ({ ...tab, count: index * 2 }))
const LINKS = TABS.map((tab, index) => ({ ...tab, href: '/lab/components', count: index * 2 }))

export function Glyphs() {
  return (
    <>
      <section className={styles.section} aria-label="Delivery status">
        <h2>Delivery status</h2>
        <ul className={styles.words}>
          {STATUSES.map((status) => (
            <li key={`${status.name} ${status.reason}`}>
              <DeliveryStatusMark deliveryStatus={status} />
            </li>
          ))}
        </ul>
        <DeliveryStatusMark deliveryStatus={{ name: 'rate_limited', reason: 'upstream_429' }} withReason />
      </section>
      <section className={styles.section} aria-label="Glyphs">
        <h2>Glyphs</h2>
        <ul className={styles.words}>
          {GLYPH_NAMES.map((name) => (
            <li key={name} data-glyph={name}>
              <Glyph name={name} /> {name.replaceAll('_', ' ')}
            </li>
          ))}
        </ul>
      </section>
      <section className={styles.section} aria-label="Boards">
        <h2>Boards</h2>
        <ul className={styles.words}>
          {ENTRIES.map(({ icon, name }) => (
            <li key={name}>
              <Icon name={icon} /> {name}
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

const CHIPS = [
  { type: 'transaction', quantity: 1 },
  { type: 'event', quantity: 1 },
  { type: 'log', quantity: 12 },
  { type: 'span', quantity: 1284 },
  { type: 'attachment', quantity: 1 },
]
const SENT_MS = Date.UTC(2026, 0, 1, 12)
const HOPS: readonly DeliveryStatus[] = [
  { name: 'accepted', reason: null },
  { name: 'rate_limited', reason: 'upstream_429' },
  { name: 'invalid', reason: 'upstream_413' },
  { name: 'pending', reason: null },
]

/** The delivery of an event in each tone of its last step, and the chips of an envelope's items. */
export function Delivery() {
  const envelope: HopLineProps['envelope'] = {
    bytes: 1284,
    endpoint: 'envelope',
    header: { sent_at: new Date(SENT_MS).toISOString() },
    relayedAt: SENT_MS + 240,
  }
  return (
    <section className={styles.section} aria-label="Hop line and chips">
      <h2>Hop line and chips</h2>
      {HOPS.map((status, index) => (
        <div key={status.name} data-hop={status.name}>
          <HopLine
            event={{
              ...{ seq: index + 1, service: 'server', receivedAt: SENT_MS + 12, copy: 'no' as const },
              deliveryStatus: status,
            }}
            envelope={status.name === 'pending' ? null : envelope}
          />
        </div>
      ))}
      <p className="row">
        {CHIPS.map((item) => (
          <ItemChips key={item.type} items={[item]} />
        ))}
      </p>
      <ItemChips items={CHIPS} />
      <ItemChips items={[{ type: 'photo\u202egnp', quantity: 1 }]} />
    </section>
  )
}

/** Buttons, fields, tabs, facts and received text. */
export function Controls() {
  const [tab, setTab] = useState<'facts' | 'errors'>('facts')
  const [stamp, setStamp] = useState<string | null>(null)
  return (
    <section className={styles.section} aria-label="Controls">
      <h2>Controls</h2>
      <div className="row">
        <button type="button" className="button">
          Compare
        </button>
        <button type="button" className="button primary">
          Assertion
        </button>
        <button type="button" className="button" disabled>
          Newer
        </button>
        <CopyButton text="copied from the page of components" label="a text" />
        <ConfirmButton
          label="Clear"
          confirm="Clear"
          text={{ goes: 'Nothing is deleted here.', stays: 'Everything stays.', warning: 'This is a sample.' }}
          disabled={false}
          grave
          act={() => Promise.resolve()}
        />
        <kbd>Ctrl</kbd> <kbd>K</kbd>
      </div>
      <StampField stamp={stamp} onStamp={setStamp} />
      <Tabs label="Parts" tabs={TABS} current={tab} onChange={setTab}>
        <Facts>
          <Fact name="Trace" copy="9b1f04ce9b1f04ce9b1f04ce9b1f04ce">
            <TraceLink traceId="9b1f04ce9b1f04ce9b1f04ce9b1f04ce" />
          </Fact>
          <Fact name="Received">
            <Received text={'photo\u202egnp.exe\u0007'} />
          </Fact>
        </Facts>
      </Tabs>
      <Segments label="Views" segments={SEGMENTS} current={tab} onChange={setTab} />
      <Pattern text="Only <int> of item <int> are left" />
      <Bars bars={Array.from({ length: 60 }, (_, minute) => (minute % 7) * (minute % 3))} />
      <LinkTabs label="Lists" tabs={LINKS} current={tab} onChoose={setTab} />
      <AttributeTable name="Attributes" attributes={{ 'db.system': 'postgresql', 'db.rows': 12, cached: false }} />
    </section>
  )
}

interface SampleRow {
  readonly name: string
  readonly service: string
  readonly status: DeliveryStatus
}

const ROWS: readonly SampleRow[] = [
  { name: 'GET /checkout', service: 'browser', status: { name: 'accepted', reason: null } },
  { name: 'POST /api/orders', service: 'server', status: { name: 'rate_limited', reason: 'limited' } },
  { name: 'SELECT * FROM cart', service: 'postgres', status: { name: 'pending', reason: null } },
]
const COLUMNS: readonly Column<SampleRow>[] = [
  {
    heading: 'Name',
    cell: ({ name }) => (
      <a href="/lab/components" data-row-link>
        {name}
      </a>
    ),
  },
  { heading: 'Service', cell: ({ service }) => <ServiceName service={service} /> },
  {
    heading: 'Items',
    cell: () => (
      <>
        <ItemChips items={[{ type: 'event', quantity: 1 }]} />
        <RowMark>copy only</RowMark>
        <RowMark tone="bad">new</RowMark>
      </>
    ),
  },
  { heading: 'Delivery', cell: ({ status }) => <DeliveryStatusMark deliveryStatus={status} /> },
]

export function Rows() {
  return (
    <section className={styles.section} aria-label="Rows">
      <h2>Rows</h2>
      <ListTable
        caption="Sample rows"
        className={undefined}
        columns={COLUMNS}
        rows={ROWS}
        keyOf={({ name }) => name}
        rowProps={() => ({})}
        narrow={() => undefined}
      />
    </section>
  )
}
