'use client'

import type { ReactNode } from 'react'
import { formatDurationUs, plural } from '../../lib/format'
import type { TraceDetail } from '../../lib/wire/trace'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { CopyButton } from '../ui/facts'
import { useKeyHelp } from '../ui/keys'
import { Received, ServiceName } from '../ui/received'
import styles from './trace-heading.module.css'
import { TRACE_KEY_HELP } from './use-trace-keys'

interface TraceHeadingProps {
  readonly trace: TraceDetail
  readonly connection: ReactNode
  readonly zoomed: boolean
  readonly onResetZoom: () => void
  readonly onCollapseAll: (() => void) | null
  readonly onExpandAll: () => void
}

export function TraceHeading(props: TraceHeadingProps) {
  const { summary, truncated } = props.trace
  useKeyHelp(TRACE_KEY_HELP)
  return (
    <header className={styles.heading}>
      <div className={styles.line}>
        <h1 className={styles.name}>
          <Received text={summary.name} />
        </h1>
        {summary.op !== null && <Received className={styles.op} text={summary.op} />}
        {props.connection}
        <div className={styles.tools}>
          {props.zoomed && (
            <button type="button" className="button" onClick={props.onResetZoom}>
              Reset zoom
            </button>
          )}
          {props.onCollapseAll !== null && (
            <>
              <button type="button" className="button" onClick={props.onCollapseAll}>
                Collapse all
              </button>
              <button type="button" className="button" onClick={props.onExpandAll}>
                Expand all
              </button>
            </>
          )}
        </div>
      </div>
      <div className={styles.facts}>
        {summary.spanCount > 0 && <strong className="num">{formatDurationUs(summary.durationUs)}</strong>}
        <span className="num">{plural(summary.spanCount, 'span')}</span>
        <span className="num">{plural(summary.segmentCount, 'segment')}</span>
        <span className={summary.errorCount > 0 ? styles.bad : undefined}>
          {summary.errorCount > 0 && <span aria-hidden="true">✕ </span>}
          {plural(summary.errorCount, 'error')}
        </span>
        {summary.services.map((service) => (
          <ServiceName key={service} service={service} />
        ))}
        <Age atMs={summary.startUs / 1000} ago />
        <DeliveryStatusMark deliveryStatus={summary.deliveryStatus} withReason />
        {summary.environment !== null && <Received text={summary.environment} />}
        {summary.release !== null && <Received text={summary.release} />}
        <span className={styles.id}>
          <code>{summary.traceId}</code>
          <CopyButton quiet text={summary.traceId} label="the trace id" />
        </span>
      </div>
      {summary.copy === 'only' && (
        <p className="banner small">
          <strong>Copy only.</strong> The SDK sent only a Spotlight copy, which is shown but never relayed. Use the
          local DSN on the <a href="/">home page</a> instead.
        </p>
      )}
      {truncated && (
        <p className="banner warn small">This trace has more than 20,000 spans or 5000 segments. Not all are shown.</p>
      )}
    </header>
  )
}
