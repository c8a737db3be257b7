'use client'

import { useState } from 'react'
import { formatDurationUs } from '../../lib/format'
import { selfIntervals } from '../../lib/protocol/trace/self-time'
import { isAlwaysOutsideParent, type SpanNode } from '../../lib/protocol/trace/span-tree'
import { statusOf } from '../../lib/wire/list-filter'
import type { SpanDetail as ReadSpan } from '../../lib/wire/trace'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import { AttributeTable } from '../ui/attribute-table'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { Fact, Facts } from '../ui/facts'
import { OtelSource } from '../ui/otel-source'
import { printable } from '../ui/printable'
import { Received, ServiceName } from '../ui/received'
import { formatDateTime, formatOffset } from '../ui/times'
import { CopyAs } from './copy-as'
import { modelCall } from './detail-facts'
import { GenAi } from './gen-ai-view'
import { OtelFacts, SpanEvents } from './otel-detail'
import { sdkOfSpan } from './otel-facts'
import styles from './span-detail.module.css'
import { failed } from './span-facts'
import { SpanLinks } from './span-links'
import { AttributeTools, FindValue, SourceFact } from './span-tools'
import type { TraceData } from './trace-data'
import type { TraceAnalysis } from './use-analysis'
import { useSpan } from './use-span'
import { UsualDistribution } from './usual-distribution'

interface SpanDetailProps {
  readonly trace: TraceData
  readonly analysis: TraceAnalysis
  readonly spanId: string
  readonly onSpan: (spanId: string) => void
}

export function SpanDetail({ trace, analysis, spanId, onSpan }: SpanDetailProps) {
  const { nodes, tree } = analysis
  const node = nodes.get(spanId)
  const { detail, failure } = useSpan(trace.summary.traceId, node?.span ?? null)
  // A choice of attributes belongs to one span.
  const [chosen, setChosen] = useState<{ readonly of: string; readonly names: readonly string[] }>()
  const names = chosen?.of === spanId ? chosen.names : []
  if (node === undefined) {
    return (
      <p className="small soft">
        Span <code>{printable(spanId)}</code> has not arrived. It appears here when it does.
      </p>
    )
  }
  const { span, orphan } = node
  const below = tree.childrenOf(node)
  const selfUs = selfIntervals(span, below).reduce((sum, { startUs, endUs }) => sum + endUs - startUs, 0)
  const otel = detail?.span.otel
  const call = modelCall(detail?.span.attributes ?? {})
  const sdk = detail ? sdkOfSpan(detail.span, trace.segments) : null
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
      {span.movedUs !== undefined && (
        <p className="banner small">
          <strong>Moved by {formatOffset(span.movedUs)},</strong> because it starts before the parent of another service
          that caused it: their clocks differ. As sent, it starts at{' '}
          <span className="num">{formatDateTime((span.startUs - span.movedUs) / 1000)}</span>.
        </p>
      )}
      {span.isOpen && (
        <p className="banner small">
          <strong>Still open.</strong> It was sent without an end, so it has no duration here. It had not ended when its
          SDK sent it.
        </p>
      )}
      {span.isRepeated && (
        <p className="banner small">
          <strong>Sent again.</strong> Several spans of this trace have this id, in one envelope or in several. The one
          that ends last is shown: a span is sent twice when its sender repeats a request, or made the same id twice.
        </p>
      )}
      <Facts>
        <Fact name="Duration">
          <span className="num">{span.isOpen ? 'no end was sent' : formatDurationUs(span.endUs - span.startUs)}</span>
          {below.length > 0 && <span className="num faint"> · {formatDurationUs(selfUs)} self time</span>}
        </Fact>
        <Fact name="Start">
          <span className="num">{formatOffset(span.startUs - trace.summary.startUs)}</span>{' '}
          <span className="num faint">{formatDateTime(span.startUs / 1000)}</span>
        </Fact>
        <Fact name="Service" tools={<FindValue name="service" value={span.service} />}>
          <ServiceName service={span.service} />
        </Fact>
        {sdk !== null && (
          <Fact name="SDK">
            <Received className="mono" text={sdk} />
          </Fact>
        )}
        {span.op !== null && (
          <Fact name="Op" tools={<FindValue name="op" value={span.op} />}>
            <Received className="mono" text={span.op} />
          </Fact>
        )}
        {span.status !== null && (
          <Fact name="Status" tools={<FindValue name="status" value={statusOf(span.status)} />}>
            <span className={failed(span.status) ? styles.failed : undefined}>
              {failed(span.status) && <span aria-hidden="true">✕ </span>}
              <Received text={span.status} />
            </span>
          </Fact>
        )}
        {call !== null && call.model !== null && (
          <Fact name="Model">
            <Received className="mono" text={call.model} />
          </Fact>
        )}
        {call !== null && call.tokens !== null && <Fact name="Tokens">{call.tokens}</Fact>}
        {otel !== undefined && <OtelFacts otel={otel} />}
        {detail && detail.span.origin !== null && (
          <Fact name="Origin">
            <Received className="mono" text={detail.span.origin} />
          </Fact>
        )}
        {detail && <SourceFact attributes={detail.span.attributes} />}
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
        {trace.file === undefined && (
          <Fact name="Envelope">
            <a className="num" href={`/envelopes/${span.seq}`}>
              {span.seq}
            </a>{' '}
            {carrier !== undefined && <DeliveryStatusMark deliveryStatus={carrier.deliveryStatus} withReason />}
          </Fact>
        )}
      </Facts>
      <UsualDistribution trace={trace} span={span} />
      {failure !== null && <p className="small soft">Its attributes could not be read.</p>}
      {failure === null && detail === undefined && <p className="small faint">Loading attributes …</p>}
      {detail === null && <p className="small soft">Its record was evicted or cleared.</p>}
      {detail && (
        <>
          <SpanLinks links={detail.span.links} traceId={trace.summary.traceId} onSpan={onSpan} />
          {otel !== undefined && <SpanEvents otel={otel} />}
          <GenAi attributes={detail.span.attributes} />
          <AttributeTable
            name="Attributes"
            attributes={detail.span.attributes}
            tools={(name, value) => (
              <AttributeTools
                name={name}
                value={value}
                isRequired={names.includes(name)}
                onRequire={() =>
                  setChosen({
                    of: spanId,
                    names: names.includes(name) ? names.filter((one) => one !== name) : [...names, name],
                  })
                }
              />
            )}
          />
          <DeprecatedNames deprecated={detail.deprecated} />
          {trace.file === undefined && (
            <CopyAs
              traceId={trace.summary.traceId}
              span={span}
              root={rootOf(nodes, span)}
              detail={detail.span}
              required={Object.fromEntries(names.map((name) => [name, detail.span.attributes[name]]))}
            />
          )}
          {otel !== undefined && <OtelSource resource={otel.resource} scope={otel.scope} />}
        </>
      )}
    </div>
  )
}

/** The page load above a span, else the root of its tree as sent; `null` for these themselves. */
function rootOf(nodes: ReadonlyMap<string, SpanNode<TraceSpan>>, span: TraceSpan): TraceSpan | null {
  const passed = new Set<TraceSpan>()
  let root = span
  while (!isAlwaysOutsideParent(root) && !passed.has(root)) {
    passed.add(root)
    root = nodes.get(root.parentSpanId ?? '')?.span ?? root
  }
  return root === span ? null : root
}

/** The present names of attributes that OpenTelemetry renamed. */
function DeprecatedNames({ deprecated }: Pick<ReadSpan, 'deprecated'>) {
  const names = Object.entries(deprecated)
  if (names.length === 0) return null
  return (
    <ul className="small soft" aria-label="Deprecated names of attributes">
      {names.map(([name, present]) => (
        <li key={name}>
          <code>{printable(name)}</code> is deprecated{present === null ? '' : ', now '}
          {present !== null && <code>{present}</code>}
        </li>
      ))}
    </ul>
  )
}

function ParentButton({ spanId, onSpan }: { readonly spanId: string; readonly onSpan: (id: string) => void }) {
  return (
    <button type="button" className={styles.link} onClick={() => onSpan(spanId)}>
      <code>{printable(spanId)}</code>
    </button>
  )
}
