import type { SignalRow } from '../../lib/wire/signal'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { Fact, Facts } from '../ui/facts'
import { printable, printableValue } from '../ui/printable'
import { Received } from '../ui/received'
import { formatDateTime } from '../ui/times'
import { fieldLines } from './signal-columns'
import styles from './signal-detail.module.css'

/** A shorter name is whole in its row, on a phone too. */
const WHOLE_IN_A_ROW = 24

export function SignalDetail({ signal }: { readonly signal: SignalRow }) {
  const { name, traceId, eventId, spanId, seq } = signal
  const optional: readonly (readonly [string, string | null])[] = [
    ['Environment', signal.environment],
    ['Release', signal.release],
    ['Span', spanId],
  ]
  return (
    <div className={styles.detail}>
      {name.length > WHOLE_IN_A_ROW && <p className={styles.name}>{printable(name, 'lines')}</p>}
      <div className={styles.columns}>
        <Facts>
          {fieldLines(signal.fields).map(([field, value]) => (
            <Fact key={field} name={printable(field)}>
              <bdi className={styles.value}>{printableValue(value, 'lines')}</bdi>
            </Fact>
          ))}
        </Facts>
        <Facts>
          <Fact name="Happened">
            <span className="num">{formatDateTime(signal.timestampUs / 1000)}</span>
          </Fact>
          <Fact name="Received">
            <span className="num">{formatDateTime(signal.receivedAt)}</span>
          </Fact>
          {optional.map(
            ([fact, text]) =>
              text !== null && (
                <Fact key={fact} name={fact}>
                  <Received text={text} />
                </Fact>
              ),
          )}
          {traceId !== null && (
            <Fact name="Trace" copy={traceId}>
              <a className="mono" href={`/traces/${encodeURIComponent(traceId)}`}>
                {traceId}
              </a>
            </Fact>
          )}
          {eventId !== null && (
            <Fact name="Event" copy={eventId}>
              {signal.kind === 'profile' ? (
                // A transaction's, which has no page of its own.
                <code>{printable(eventId)}</code>
              ) : (
                <a className="mono" href={`/events/${encodeURIComponent(eventId)}`}>
                  {printable(eventId)}
                </a>
              )}
            </Fact>
          )}
          <Fact name="Envelope">
            <a className="num" href={`/envelopes/${seq}`}>
              envelope {seq}
            </a>
            , item {signal.item + 1}
          </Fact>
          <Fact name="Delivery">
            <DeliveryStatusMark deliveryStatus={signal.deliveryStatus} withReason />
          </Fact>
        </Facts>
      </div>
    </div>
  )
}
