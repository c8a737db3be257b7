'use client'

import { useMemo, useState } from 'react'
import { formatDurationUs } from '../../lib/format'
import { hex16, hex32 } from '../../lib/protocol/json'
import type { SpanNode } from '../../lib/protocol/trace/span-tree'
import type { Span, TraceDetail } from '../../lib/wire/trace'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { Fact, Facts } from '../ui/facts'
import { printable } from '../ui/printable'
import { Breakable, Received, ServiceName } from '../ui/received'
import { formatDateTime, withSign } from '../ui/times'
import styles from './span-detail.module.css'
import { failed, filterAttributes, findNode, selfTimeUs } from './span-facts'

interface SpanDetailProps {
  readonly trace: TraceDetail
  readonly tree: readonly SpanNode<Span>[]
  readonly spanId: string
  readonly onSpan: (spanId: string) => void
}

export function SpanDetail({ trace, tree, spanId, onSpan }: SpanDetailProps) {
  const node = useMemo(() => findNode(tree, spanId), [tree, spanId])
  if (node === null) {
    return (
      <p className="small soft">
        Span <code>{printable(spanId)}</code> has not arrived. It appears here when it does.
      </p>
    )
  }
  const { span, orphan, children } = node
  const segment = trace.segments.find((one) => one.segmentId === span.segmentId)
  const carrier = trace.segments.find((one) => one.seq === span.seq && one.item === span.item)
  const here = span.parentSpanId !== null && !orphan
  return (
    <div className={styles.span}>
      <h2 className={styles.name}>
        <Received text={span.name} />
      </h2>
      {orphan && (
        <p className="banner small">
          <strong>Parent missing.</strong> Its parent <code>{span.parentSpanId}</code> has not arrived. It may still
          arrive, or was never recorded.
        </p>
      )}
      {node.skewed && (
        <p className="banner small">
          <strong>Outside its parent,</strong> which belongs to another service. Their clocks differ, or the parent did
          not wait for it. Times are shown as each service reported them.
        </p>
      )}
      <Facts>
        <Fact name="Duration">
          <span className="num">{formatDurationUs(span.endUs - span.startUs)}</span>
          {children.length > 0 && (
            <span className="num faint">
              {' '}
              ·{' '}
              {formatDurationUs(
                selfTimeUs(
                  span,
                  children.map((child) => child.span),
                ),
              )}{' '}
              self time
            </span>
          )}
        </Fact>
        <Fact name="Start">
          <span className="num">
            {withSign(formatDurationUs(span.startUs - trace.summary.startUs), span.startUs - trace.summary.startUs)}
          </span>{' '}
          <span className="num faint">{formatDateTime(span.startUs / 1000)}</span>
        </Fact>
        <Fact name="Service">
          <ServiceName service={span.service} />
        </Fact>
        {span.op !== null && (
          <Fact name="Op">
            <Received className="mono" text={span.op} />
          </Fact>
        )}
        {span.status !== null && (
          <Fact name="Status">
            <span className={failed(span.status) ? styles.failed : undefined}>
              {failed(span.status) && <span aria-hidden="true">✕ </span>}
              <Received text={span.status} />
            </span>
          </Fact>
        )}
        {span.origin !== null && (
          <Fact name="Origin">
            <Received className="mono" text={span.origin} />
          </Fact>
        )}
        <Fact name="Span" copy={span.spanId}>
          <code>{span.spanId}</code>
        </Fact>
        {span.parentSpanId !== null && (
          <Fact name="Parent" copy={span.parentSpanId}>
            {here ? (
              <ParentButton spanId={span.parentSpanId} onSpan={onSpan} />
            ) : (
              <code>{printable(span.parentSpanId)}</code>
            )}
          </Fact>
        )}
        {segment !== undefined && segment.segmentId !== span.spanId && (
          <Fact name="Segment">
            <button type="button" className={styles.link} onClick={() => onSpan(segment.segmentId)}>
              <Received text={segment.name} />
            </button>
          </Fact>
        )}
        <Fact name="Envelope">
          <a className="num" href={`/envelopes/${span.seq}`}>
            {span.seq}
          </a>{' '}
          {carrier !== undefined && <DeliveryStatusMark deliveryStatus={carrier.deliveryStatus} withReason />}
        </Fact>
        {span.links.map((link) => (
          <Fact key={`${link.traceId}${link.spanId}`} name={linkName(link.type)}>
            <LinkedTrace {...link} />
          </Fact>
        ))}
      </Facts>
      <AttributeTable attributes={span.attributes} />
    </div>
  )
}

function ParentButton({ spanId, onSpan }: { readonly spanId: string; readonly onSpan: (id: string) => void }) {
  return (
    <button type="button" className={styles.link} onClick={() => onSpan(spanId)}>
      <code>{printable(spanId)}</code>
    </button>
  )
}

/** Links only well-formed ids. */
function LinkedTrace({ traceId, spanId }: { readonly traceId: string; readonly spanId: string }) {
  const trace = hex32(traceId)
  const span = hex16(spanId)
  if (trace === null) return <code>{printable(traceId)}</code>
  return (
    <a href={`/traces/${trace}${span === null ? '' : `?span=${span}`}`}>
      <code>{trace}</code>
    </a>
  )
}

const linkName = (type: string | null): string =>
  type === 'previous_trace' ? 'Previous trace' : type === 'next_trace' ? 'Next trace' : 'Linked trace'

function AttributeTable({ attributes }: { readonly attributes: Readonly<Record<string, unknown>> }) {
  const [filter, setFilter] = useState('')
  const total = Object.keys(attributes).length
  if (total === 0) return <p className="small faint">No attributes.</p>
  const shown = filterAttributes(attributes, filter)
  return (
    <section className={styles.attributes} aria-label="Attributes">
      <div className={styles.line}>
        <h3>Attributes</h3>
        {total > 5 && (
          <input
            className="field"
            type="search"
            aria-label="Filter attributes"
            placeholder="name or value …"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        )}
      </div>
      <table>
        <tbody>
          {shown.map(({ key, text }) => (
            <tr key={key}>
              <th scope="row">
                <Breakable name={key} />
              </th>
              <td>
                <bdi>{text}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <p className="small faint">No match among {total} attributes.</p>}
    </section>
  )
}
