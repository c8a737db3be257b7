import { plural } from '../../lib/format'
import type { SpanOtel } from '../../lib/wire/trace'
import { PlainAttributes } from '../ui/attribute-table'
import { Fact } from '../ui/facts'
import { printable } from '../ui/printable'
import { Received } from '../ui/received'
import styles from './otel-detail.module.css'
import { droppedText, flagsText, inTimeOrder, nanosBetween } from './otel-facts'

/** The facts that only a span of OpenTelemetry has. */
export function OtelFacts({ otel }: { readonly otel: SpanOtel }) {
  const { statusMessage, traceState } = otel
  const dropped = droppedText(otel.dropped)
  return (
    <>
      {statusMessage !== null && (
        <Fact name="Message">
          <span className={styles.lines}>{printable(statusMessage, 'lines')}</span>
        </Fact>
      )}
      <Fact name="Kind">{otel.kind}</Fact>
      <Fact name="Start, ns" copy={otel.startNanos}>
        <code>{otel.startNanos}</code>
      </Fact>
      <Fact name="End, ns" copy={otel.endNanos}>
        <code>{otel.endNanos}</code>{' '}
        <span className="num faint">{nanosBetween(otel.startNanos, otel.endNanos).exact}</span>
      </Fact>
      <Fact name="Flags">
        <span className="num">{flagsText(otel.flags)}</span>
      </Fact>
      {traceState !== null && (
        <Fact name="Trace state">
          <Received className="mono" text={traceState} />
        </Fact>
      )}
      {dropped !== null && <Fact name="Left out">{dropped}, by the SDK</Fact>}
    </>
  )
}

/** The events of a span in order of time, with their offset from its start. */
export function SpanEvents({ otel }: { readonly otel: SpanOtel }) {
  if (otel.events.length === 0) return null
  return (
    <section className={styles.events} aria-label="Events of the span">
      <h3>{plural(otel.events.length, 'event')}</h3>
      <ol>
        {inTimeOrder(otel.events).map((event, at) => {
          const offset = nanosBetween(otel.startNanos, event.timeNanos)
          return (
            // Events have no ids, and their order is fixed.
            <li key={`${at} ${event.timeNanos}`}>
              <p className={styles.event}>
                <span className={styles.offset} title={`${offset.exact} from the start, at ${event.timeNanos} ns`}>
                  {offset.text}
                </span>
                <Received className={styles.name} text={event.name} />
              </p>
              <PlainAttributes attributes={event.attributes} dropped={event.droppedAttributes} />
            </li>
          )
        })}
      </ol>
    </section>
  )
}
