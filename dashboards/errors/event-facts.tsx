'use client'

import type { EventDetail } from '../../lib/wire/event'
import { CopyButton, Fact, Facts } from '../ui/facts'
import { printable, printableValue } from '../ui/printable'
import { Breakable, Received } from '../ui/received'
import { formatDateTime } from '../ui/times'
import styles from './event-facts.module.css'

/** The fields of an event: its ids, times and origin, user, request and contexts. */
export function EventRecord({ event, withTags }: { readonly event: EventDetail; readonly withTags: boolean }) {
  return (
    <div className={styles.records}>
      <h2>Details</h2>
      <EventFacts event={event} />
      {withTags && <Json name="Tags" value={event.tags} />}
      <Json name="User" value={event.payload.user ?? {}} />
      {event.request !== null && <Request request={event.request} />}
      {Object.entries(event.contexts).map(([name, value]) => (
        <Json key={name} name={`Context ${name}`} value={value} />
      ))}
      <details>
        <summary>Payload as received</summary>
        <pre className={styles.json}>{printableValue(event.payload, 'lines')}</pre>
      </details>
    </div>
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
            {typeof one === 'string' ? <ReceivedLink text={one} /> : <bdi className="mono">{printableValue(one)}</bdi>}
          </Fact>
        ))}
      </Facts>
    </section>
  )
}

/** The address of a received text that is a link with http or https, and its host; `null` for other texts. */
export function linkOf(text: string): { readonly href: string; readonly host: string } | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null
  const { href, host, protocol, username, password } = new URL(text)
  // A name before the host could pass for the host.
  if ((protocol !== 'http:' && protocol !== 'https:') || username !== '' || password !== '') return null
  return { href, host }
}

/** A received text. Only addresses with http and https are links, with their host next to them. */
export function ReceivedLink({ text }: { readonly text: string }) {
  const link = linkOf(text)
  const shown = <bdi className="mono">{printable(text)}</bdi>
  if (link === null) return shown
  return (
    <>
      {shown}{' '}
      <a href={link.href} rel="noreferrer noopener" target="_blank">
        open {link.host}
      </a>
    </>
  )
}
