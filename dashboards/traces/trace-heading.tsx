'use client'

import type { ReactNode } from 'react'
import { formatCount, formatDurationUs, plural } from '../../lib/format'
import type { CriticalPath } from '../../lib/protocol/trace/critical-path'
import type { TraceSpan } from '../../lib/wire/trace-columns'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { CopyButton } from '../ui/facts'
import { useKeyHelp } from '../ui/keys'
import { Received } from '../ui/received'
import { deliveryStatusText } from '../ui/status-text'
import type { Vital } from './page-vitals'
import type { TraceData } from './trace-data'
import styles from './trace-heading.module.css'
import { isLongTask } from './trace-lanes'
import { TRACE_KEY_HELP } from './use-trace-keys'

interface TraceHeadingProps {
  readonly trace: TraceData
  readonly path: CriticalPath | undefined
  readonly spanOf: (spanId: string) => TraceSpan | undefined
  readonly orphans: number
  readonly vitals: readonly Vital[]
  readonly connection: ReactNode
}

/** The name of a trace, and its facts in one line: how long, why, what its visitor felt, and what is missing. */
export function TraceHeading({ trace, path, spanOf, orphans, vitals, connection }: TraceHeadingProps) {
  const { summary, spans, isWhole } = trace
  useKeyHelp(TRACE_KEY_HELP)
  const longest = path === undefined ? null : longestStep(path)
  const step = longest === null ? undefined : spanOf(longest.spanId)
  const tasks = spans.filter(isLongTask)
  const busyUs = tasks.reduce((sum, { startUs, endUs }) => sum + endUs - startUs, 0)
  const lcp = vitals.find(({ name }) => name === 'LCP')
  const missing = missingSentences(trace, orphans)
  return (
    <header className={styles.heading}>
      <div className={styles.line}>
        <h1 className={styles.name}>
          <Received text={summary.name} />
        </h1>
        {summary.op !== null && <Received className={styles.op} text={summary.op} />}
        {summary.errorCount > 0 && (
          <span className={styles.bad}>
            <span aria-hidden="true">✕ </span>
            {plural(summary.errorCount, 'error')}
          </span>
        )}
        {connection}
        {!isWhole && (
          <span className="faint num" role="status">
            {formatCount(trace.received)} of {plural(trace.expected, 'span')}
          </span>
        )}
      </div>
      <dl className={styles.facts}>
        {summary.spanCount > 0 && (
          <Fact name="Duration" value={formatDurationUs(summary.durationUs)}>
            <Age atMs={summary.startUs / 1000} ago />
          </Fact>
        )}
        {longest !== null && step !== undefined && path !== undefined && (
          <Fact name="Longest on the critical path" value={formatDurationUs(longest.us)}>
            <Received text={step.op ?? step.name} />, {Math.round((longest.us / longest.ofUs) * 100)} %
          </Fact>
        )}
        {path?.failure && (
          <Fact name="Critical path" value="not computed">
            {path.failure}
          </Fact>
        )}
        {lcp !== undefined && (
          <Fact name="LCP" value={lcp.text}>
            <span data-tone={lcp.tone}>{lcp.word}</span>
          </Fact>
        )}
        {tasks.length > 0 && (
          <Fact name="Main thread" value={formatDurationUs(busyUs)}>
            {plural(tasks.length, 'long task')}
          </Fact>
        )}
        <Fact name="Spans" value={formatCount(summary.spanCount)}>
          {plural(summary.segmentCount, 'segment')}
        </Fact>
        <Fact name="Delivery" value={<DeliveryStatusMark deliveryStatus={summary.deliveryStatus} withReason />} />
        {missing.length > 0 && (
          <Fact name="Missing" value={<span className={styles.warn}>{plural(missing.length, 'part')}</span>}>
            <span title={missing.join('\n')}>{missing[0]}</span>
          </Fact>
        )}
        {(summary.release ?? summary.environment) !== null && (
          <Fact name="Release" value={<Received text={summary.release ?? 'none'} />}>
            {summary.environment !== null && <Received text={summary.environment} />}
          </Fact>
        )}
        <div className={styles.id}>
          <dt className="visually-hidden">Trace id</dt>
          <dd>
            <code>{summary.traceId}</code>
            <CopyButton quiet text={summary.traceId} label="the trace id" />
          </dd>
        </div>
      </dl>
      {summary.copy === 'only' && (
        <p className="banner small">
          <strong>Copy only.</strong> The SDK sent only a Spotlight copy, which is shown but never relayed. Use the
          local DSN on the <a href="/">home page</a> instead.
        </p>
      )}
    </header>
  )
}

interface FactProps {
  readonly name: string
  readonly value: ReactNode
  readonly children?: ReactNode
}

const Fact = ({ name, value, children }: FactProps) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <span className={styles.value}>{value}</span> <span className={styles.more}>{children}</span>
    </dd>
  </div>
)

/** The span with the most time on the path. */
function longestStep({ sections }: CriticalPath): { readonly spanId: string; us: number; ofUs: number } | null {
  const times = new Map<string, number>()
  let ofUs = 0
  for (const { spanId, startUs, endUs } of sections) {
    times.set(spanId, (times.get(spanId) ?? 0) + endUs - startUs)
    ofUs += endUs - startUs
  }
  let [longest, us] = ['', 0]
  for (const [spanId, time] of times) if (time > us) [longest, us] = [spanId, time]
  return us === 0 ? null : { spanId: longest, us, ofUs }
}

/** Delivery states of what never reached upstream. */
const NEVER_ARRIVED = ['rate_limited', 'invalid', 'overflow', 'expired', 'dropped', 'filtered']

/** Sentences about what a trace lost, as far as it is known here. @param orphans spans whose parent is missing */
export function missingSentences(trace: TraceData, orphans: number): readonly string[] {
  const byState = new Map<string, number>()
  for (const { deliveryStatus } of trace.submissions)
    if (NEVER_ARRIVED.includes(deliveryStatus.name)) {
      const { word } = deliveryStatusText(deliveryStatus)
      byState.set(word, (byState.get(word) ?? 0) + 1)
    }
  const { attributes = 0, events = 0, links = 0 } = trace.dropped ?? {}
  return [
    ...[...byState].map(([word, count]) => `${plural(count, 'envelope')} ${word}: not at upstream`),
    ...(orphans > 0 ? [`${plural(orphans, 'parent')} not arrived`] : []),
    ...(attributes + events + links > 0
      ? [
          `${[plural(attributes, 'attribute'), plural(events, 'event'), plural(links, 'link')].join(', ')} dropped by the SDK`,
        ]
      : []),
    ...trace.gaps.map(
      ({ of, missing, limit }) => `${missing.toLocaleString('en')} ${of} above ${limit.toLocaleString('en')} not read`,
    ),
  ]
}
