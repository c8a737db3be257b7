import { hex32 } from '../../lib/protocol/ids'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import { endpointWords } from '../ui/endpoints'
import { Fact, Facts } from '../ui/facts'
import { printable, printableValue } from '../ui/printable'
import { formatMoment } from '../ui/times'
import { removedWords } from './delivery-words'
import styles from './envelope-facts.module.css'

/** How it came, and what its header says. */
export function EnvelopeFacts({ envelope }: { readonly envelope: EnvelopeDetail }) {
  const { facts, eventId, traceId, header } = envelope
  const endpoint = endpointWords(envelope.endpoint)
  return (
    <>
      <section className={styles.facts} aria-labelledby="how">
        <h2 id="how">How it came</h2>
        <Facts>
          <Fact name="Received">
            <span className="num">{formatMoment(envelope.receivedAt)}</span>
          </Fact>
          <Fact name="Endpoint">
            {endpoint.word} <span className="faint">{endpoint.means}</span>
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
                <summary>{removedWords(facts.scrubbed)} removed before the record was written</summary>
                <code>
                  {facts.scrubbed.map(({ rule, path }) => `${printable(rule)} ${printable(path)}`).join(', ')}
                </code>
              </details>
            </Fact>
          )}
          {facts.lab && <Fact name="Lab">Caused by the lab of this app.</Fact>}
        </Facts>
      </section>
      <section className={styles.facts} aria-labelledby="header">
        <h2 id="header">Envelope header</h2>
        <pre className={styles.header}>{printableValue(header, 'lines')}</pre>
      </section>
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
