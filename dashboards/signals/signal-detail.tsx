import { isObject } from '../../lib/protocol/json-value'
import type { Exemplar, OtelResource, OtelScope } from '../../lib/wire/open-telemetry'
import type { SignalRow } from '../../lib/wire/signal'
import { AttributeTable } from '../ui/attribute-table'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { Fact, Facts } from '../ui/facts'
import { spanHref } from '../ui/links'
import { OtelSource } from '../ui/otel-source'
import { printable, printableValue } from '../ui/printable'
import { Received } from '../ui/received'
import { formatDateTime } from '../ui/times'
import { Distribution, Exemplars } from './distribution'
import { unitText } from './measurement-text'
import { attributesOf, fieldLines, numberField } from './signal-columns'
import styles from './signal-detail.module.css'

/** A shorter name is whole in its row, on a phone too. */
const WHOLE_IN_A_ROW = 24

export function SignalDetail({ signal }: { readonly signal: SignalRow }) {
  const { name, traceId, eventId, spanId, seq, fields } = signal
  const { body, resource, scope, exemplars } = otelFields(signal)
  const attributes = attributesOf(fields)
  const hasAttributes = Object.keys(attributes).length > 0 || numberField(fields, 'droppedAttributes')
  const optional: readonly (readonly [string, string | null])[] = [
    ['Environment', signal.environment],
    ['Release', signal.release],
    ['Span', spanId],
  ]
  return (
    <div className={styles.detail}>
      {body === null && name.length > WHOLE_IN_A_ROW && <p className={styles.name}>{printable(name, 'lines')}</p>}
      <div className={styles.columns}>
        <div className={styles.part}>
          {body !== null && (
            <section className={styles.body} aria-label="Body">
              <h3>Body</h3>
              <pre>{printableValue(body, 'lines')}</pre>
            </section>
          )}
          <Distribution fields={fields} />
          <Facts>
            {fieldLines(signal).map(([field, value]) => (
              <Fact key={field} name={printable(field)}>
                <bdi className={styles.value}>{printableValue(value, 'lines')}</bdi>
              </Fact>
            ))}
          </Facts>
          {hasAttributes ? (
            <AttributeTable
              name="Attributes"
              attributes={attributes}
              dropped={numberField(fields, 'droppedAttributes') ?? 0}
            />
          ) : null}
          {exemplars !== null && <Exemplars exemplars={exemplars} unit={unitText(fields.unit)} />}
        </div>
        <div className={styles.part}>
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
                <a className="mono" href={spanHref(traceId, spanId) ?? undefined}>
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
          <OtelSource resource={resource} scope={scope} />
        </div>
      </div>
    </div>
  )
}

interface OtelFields {
  /** Of a log whose body is a list or an object; text is the name already. */
  readonly body: object | null
  readonly resource: OtelResource | null
  readonly scope: OtelScope | null
  readonly exemplars: readonly Exemplar[] | null
}

/** The fields of a log or metric of OpenTelemetry that are no plain values. */
function otelFields({ kind, fields }: SignalRow): OtelFields {
  if (kind !== 'log' && kind !== 'metric') return { body: null, resource: null, scope: null, exemplars: null }
  return {
    body: kind === 'log' && typeof fields.body === 'object' ? fields.body : null,
    resource: isResource(fields.resource) ? fields.resource : null,
    scope: isScope(fields.scope) ? fields.scope : null,
    exemplars: isExemplars(fields.exemplars) ? fields.exemplars : null,
  }
}

// Only OpenTelemetry's signals have these fields, and the collector writes them whole.
const isResource = (value: unknown): value is OtelResource => isObject(value) && isObject(value.attributes)
const isScope = (value: unknown): value is OtelScope => isResource(value) && 'name' in value
const isExemplars = (value: unknown): value is readonly Exemplar[] => Array.isArray(value) && value.length > 0
