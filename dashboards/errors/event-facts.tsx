'use client'

import type { EventDetail } from '../../lib/wire/event'
import { CopyButton, Fact, Facts } from '../ui/facts'
import { printable, printableValue } from '../ui/printable'
import { Received } from '../ui/received'
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
  const texts: readonly (readonly [string, string | null])[] = [
    ['Happened', formatDateTime(event.timestampUs / 1000)],
    ['Received', formatDateTime(event.receivedAt)],
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
      <Fact name="Event id" copy={event.eventId}>
        <code>{printable(event.eventId)}</code>
      </Fact>
      {texts.map(
        ([name, text]) =>
          text !== null && (
            <Fact key={name} name={name}>
              <Received className="num" text={text} />
            </Fact>
          ),
      )}
    </Facts>
  )
}

/** The request, with one header per line. SDKs send headers as an object or as pairs. */
function Request({ request: { headers, ...request } }: { readonly request: Readonly<Record<string, unknown>> }) {
  const pairs: readonly unknown[][] = Array.isArray(headers)
    ? headers.filter(Array.isArray)
    : Object.entries(headers ?? {})
  return (
    <>
      <Json name="Request" value={request} />
      <Values name="Request headers" copy={headers} entries={pairs.map(([name, value]) => [String(name), value])} />
    </>
  )
}

/** An object of received values; nested values are JSON. */
const Json = ({ name, value }: { readonly name: string; readonly value: unknown }) => (
  <Values
    name={name}
    copy={value}
    entries={typeof value === 'object' && value !== null ? Object.entries(value) : [['', value]]}
  />
)

interface ValuesProps {
  readonly name: string
  readonly copy: unknown
  readonly entries: readonly (readonly [name: string, value: unknown])[]
}

/** Received values, one per line. */
function Values({ name, copy, entries }: ValuesProps) {
  if (entries.length === 0) return null
  return (
    <section className={styles.record}>
      <h3>
        {printable(name)} <CopyButton quiet text={JSON.stringify(copy, null, 2)} label={name.toLowerCase()} />
      </h3>
      <Facts>
        {entries.map(([key, value], at) => (
          <Fact key={`${at} ${key}`} name={printable(key)}>
            {typeof value === 'string' ? (
              <ReceivedLink text={value} />
            ) : (
              <bdi className="mono">{printableValue(value)}</bdi>
            )}
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
