'use client'

import { formatBytes, plural } from '../../lib/format'
import { hex32 } from '../../lib/protocol/ids'
import { isOtlp } from '../../lib/protocol/request'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import { digestText } from '../../lib/wire/status-text'
import { OneDeadLetter } from '../dead-letters/one-dead-letter'
import { client } from '../ui/client'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { Fact, Facts } from '../ui/facts'
import { endpointText } from '../ui/labels'
import { signalsHref } from '../ui/links'
import { printable, printableValue } from '../ui/printable'
import { Received } from '../ui/received'
import { formatDateTime } from '../ui/times'
import { DeliveryTimeline } from './delivery-timeline'
import styles from './envelope-view.module.css'
import { formOf, signalOfItem } from './item-payload'
import { ItemView } from './item-view'
import type { EnvelopeHistory } from './timeline-steps'
import { removedText } from './timeline-text'

interface EnvelopeViewProps {
  readonly envelope: EnvelopeDetail
  readonly history: EnvelopeHistory
}

export function EnvelopeView({ envelope, history }: EnvelopeViewProps) {
  const { seq, items, traceId, eventId } = envelope
  const digest = digestText(envelope.digest)
  const isRequest = isOtlp(envelope.endpoint)
  const isEvent = eventId !== null && items.some((item) => item.type === 'event')
  return (
    <>
      <header className={styles.heading}>
        <DeliveryStatusMark deliveryStatus={envelope.deliveryStatus} withReason />
        <Age atMs={envelope.receivedAt} ago />
        {!isRequest && <span className="num">{plural(items.length, 'item')}</span>}
        {envelope.sdk !== null && <Received className="mono" text={envelope.sdk} />}
        <nav className={styles.links} aria-label="Related pages">
          {traceId !== null && <a href={`/traces/${encodeURIComponent(traceId)}`}>trace</a>}
          {isEvent && <a href={`/events/${encodeURIComponent(eventId)}`}>event</a>}
          <a className={styles.timeline} href="#deliveries">
            timeline
          </a>
          <a href={client.rawUrl(seq)}>raw bytes ({formatBytes(envelope.bytes)})</a>
        </nav>
      </header>
      {envelope.endpoint === 'stream' && (
        <p className="banner">
          <strong>A Spotlight copy made by the SDK:</strong> shown, never relayed. Use the <a href="/">local DSN</a>{' '}
          instead. The SDK makes the copy before it applies limits, so it may differ from what the SDK sends to its own
          DSN.
        </p>
      )}
      {(envelope.digest === 'undigested' || envelope.digest === 'evicted') && (
        <p className="banner warn">
          <strong>{envelope.digest === 'evicted' ? 'Rows evicted.' : 'Undigested.'}</strong> {digest.meaning} No trace
          shows it.
        </p>
      )}
      <OneDeadLetter
        key={seq}
        seq={seq}
        isDead={envelope.deliveryStatus.name === 'pending' && envelope.deliveryStatus.reason === 'dead_letter'}
        isSettled={envelope.deliveryStatus.name !== 'pending'}
      />
      <div className={styles.columns}>
        <section className={styles.items} aria-label="Items">
          {items.map((item) => (
            <ItemView
              key={item.index}
              item={item}
              many={items.length > 1}
              form={isRequest ? formOf(envelope.facts.contentType) : 'item'}
              signals={signalsOf(envelope, item)}
            />
          ))}
          {items.length === 0 && <p className="small soft">No items.</p>}
        </section>
        <aside className={styles.side} aria-label={isRequest ? 'About this request' : 'About this envelope'}>
          <DeliveryTimeline envelope={envelope} history={history} />
          <EnvelopeFacts envelope={envelope} />
        </aside>
      </div>
    </>
  )
}

function signalsOf(envelope: EnvelopeDetail, item: EnvelopeDetail['items'][number]): string | null {
  const kind = signalOfItem(item.type)
  if (kind === null || envelope.digest !== 'digested' || item.problem !== null) return null
  return signalsHref(kind, { envelope: String(envelope.seq) })
}

function EnvelopeFacts({ envelope }: { readonly envelope: EnvelopeDetail }) {
  const { facts, eventId, traceId, header } = envelope
  const endpoint = endpointText(envelope.endpoint)
  return (
    <>
      <section className={styles.facts} aria-labelledby="how">
        <h2 id="how">Arrival</h2>
        <Facts>
          <Fact name="Received">
            <span className="num">{formatDateTime(envelope.receivedAt)}</span>
          </Fact>
          <Fact name="Endpoint">
            {endpoint.word} <span className="faint">{endpoint.meaning}</span>
          </Fact>
          <Fact name="Project">
            <code>{printable(envelope.project)}</code>{' '}
            <span className="faint">
              key <code>{printable(envelope.publicKey)}</code>
            </span>
          </Fact>
          {traceId !== null && (
            <Fact name="Trace" copy={traceId}>
              {hex32(traceId) === null ? (
                <code>{printable(traceId)}</code>
              ) : (
                <a href={`/traces/${traceId}`}>
                  <code>{traceId}</code>
                </a>
              )}
            </Fact>
          )}
          {eventId !== null && (
            <Fact name="Event id" copy={eventId}>
              <code>{printable(eventId)}</code>
            </Fact>
          )}
          <Optional name="Environment" text={envelope.environment} />
          <Optional name="Stamp" text={envelope.stamp} />
          <Fact name="Request">
            <code>
              {printable(facts.method)} {printable(facts.contentType ?? 'no content type')}
              {facts.contentEncoding !== null && `, ${printable(facts.contentEncoding)}`}
            </code>
          </Fact>
          <Optional name="Origin" text={facts.origin} />
          <Optional name="User agent" text={facts.userAgent} />
          <Optional name="Page" text={facts.page} />
          <Fact name="Receipt">
            <code>{printable(facts.receipt)}</code>
          </Fact>
          {facts.scrubbed !== undefined && (
            <Fact name="Scrubbed">
              <details>
                <summary>{removedText(facts.scrubbed)} removed before it was stored</summary>
                <code>
                  {facts.scrubbed.map(({ rule, path }) => `${printable(rule)} ${printable(path)}`).join(', ')}
                </code>
              </details>
            </Fact>
          )}
          {facts.lab && <Fact name="Lab">Sent by the lab.</Fact>}
        </Facts>
      </section>
      {!isOtlp(envelope.endpoint) && (
        <section className={styles.facts} aria-labelledby="header">
          <h2 id="header">Envelope header</h2>
          <pre className={styles.header}>{printableValue(header, 'lines')}</pre>
        </section>
      )}
    </>
  )
}

function Optional({ name, text }: { readonly name: string; readonly text: string | null }) {
  if (text === null) return null
  return (
    <Fact name={name}>
      <code>{printable(text)}</code>
    </Fact>
  )
}
