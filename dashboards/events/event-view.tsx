'use client'

import { plural } from '../../lib/format'
import type { EventDetail } from '../../lib/wire/event'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { CopyButton, Fact, Facts } from '../ui/facts'
import { printable, printableValue } from '../ui/printable'
import { Breakable, Received, ServiceName } from '../ui/received'
import { formatDateTime } from '../ui/times'
import { AttachmentList } from './attachment-list'
import { BreadcrumbList } from './breadcrumb-list'
import { ErrorStack } from './error-stack'
import styles from './event-view.module.css'

export function EventView({ event }: { readonly event: EventDetail }) {
  return (
    <>
      <header className={styles.heading}>
        <p className={styles.line}>
          <span className={styles.level} data-level={event.level}>
            {printable(event.level)}
          </span>
          <ServiceName service={event.service} />
          {event.handled !== null && <span>{event.handled ? 'handled' : 'unhandled'}</span>}
          <Age atMs={event.timestampUs / 1000} ago />
          <DeliveryStatusMark deliveryStatus={event.deliveryStatus} withReason />
          {event.copy === 'only' && <span>copy only: the SDK sent a Spotlight copy</span>}
          <span className={styles.links}>
            {event.traceId !== null && <a href={`/traces/${encodeURIComponent(event.traceId)}`}>trace</a>}
            <a href={`/envelopes/${event.seq}`}>envelope {event.seq}</a>
          </span>
        </p>
      </header>
      <div className={styles.columns}>
        <div className={styles.main}>
          <section aria-labelledby="stack">
            <h2 id="stack">Stack</h2>
            {event.exceptions.length === 0 ? (
              <p className="small soft">No exception, only a message.</p>
            ) : (
              <ErrorStack exceptions={event.exceptions} />
            )}
          </section>
          <section aria-labelledby="breadcrumbs">
            <h2 id="breadcrumbs">{plural(event.breadcrumbs.length, 'breadcrumb')}</h2>
            <BreadcrumbList
              breadcrumbs={event.breadcrumbs}
              originUs={event.timestampUs}
              origin="the error"
              none="No breadcrumbs."
            />
          </section>
          <AttachmentList event={event} />
          <section aria-labelledby="payload">
            <h2 id="payload">Payload</h2>
            <details>
              <summary>As received</summary>
              <pre className={styles.json}>{printableValue(event.payload, 'lines')}</pre>
            </details>
          </section>
        </div>
        <aside className={styles.side} aria-label="About this event">
          <EventFacts event={event} />
          <Json name="Tags" value={event.tags} />
          <Json name="User" value={event.payload.user ?? {}} />
          {event.request !== null && <Request request={event.request} />}
          {Object.entries(event.contexts).map(([name, value]) => (
            <Json key={name} name={`Context ${name}`} value={value} />
          ))}
        </aside>
      </div>
    </>
  )
}

function EventFacts({ event }: { readonly event: EventDetail }) {
  const optional: readonly (readonly [string, string | null])[] = [
    ['Transaction', event.transaction],
    ['Mechanism', event.mechanism],
    ['Platform', event.platform],
    ['Environment', event.environment],
    ['Release', event.release],
  ]
  return (
    <Facts>
      {event.digest !== null && (
        <Fact name="Digest" copy={event.digest}>
          <code>{printable(event.digest)}</code> <span className="faint">shown to the user instead of the message</span>
        </Fact>
      )}
      <Fact name="Happened">
        <span className="num">{formatDateTime(event.timestampUs / 1000)}</span>
      </Fact>
      <Fact name="Received">
        <span className="num">{formatDateTime(event.receivedAt)}</span>
      </Fact>
      <Fact name="Event id" copy={event.eventId}>
        <code>{printable(event.eventId)}</code>
      </Fact>
      {optional.map(
        ([name, text]) =>
          text !== null && (
            <Fact key={name} name={name}>
              <Received text={text} />
            </Fact>
          ),
      )}
    </Facts>
  )
}

/** The request, with one header per line. SDKs send headers as an object or as pairs. */
function Request({ request: { headers, ...request } }: { readonly request: Readonly<Record<string, unknown>> }) {
  const pairs = Array.isArray(headers) ? headers.filter(Array.isArray) : Object.entries(headers ?? {})
  return (
    <>
      <Json name="Request" value={request} />
      {pairs.length > 0 && (
        <section className={styles.record} aria-labelledby="headers">
          <h3 id="headers">Request headers</h3>
          <table className={styles.headers} aria-labelledby="headers">
            <tbody>
              {pairs.map(([name, value], at) => (
                <tr key={`${at} ${name}`}>
                  <th scope="row">
                    <Breakable name={String(name)} />
                  </th>
                  <td className="mono">{printableValue(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  )
}

/** An object of received values, one per line; nested values are JSON. */
function Json({ name, value }: { readonly name: string; readonly value: unknown }) {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [['', value] as const]
  if (entries.length === 0) return null
  return (
    <section className={styles.record}>
      <h3>
        {printable(name)} <CopyButton quiet text={JSON.stringify(value, null, 2)} label={name.toLowerCase()} />
      </h3>
      <Facts>
        {entries.map(([key, one]) => (
          <Fact key={key} name={printable(key)}>
            <bdi className="mono">{printableValue(one)}</bdi>
          </Fact>
        ))}
      </Facts>
    </section>
  )
}
