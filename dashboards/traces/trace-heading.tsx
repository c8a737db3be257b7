'use client'

import { type ReactNode, useMemo } from 'react'
import { formatCount, formatDurationUs, plural } from '../../lib/format'
import { type CriticalPath, timesOnPath } from '../../lib/protocol/trace/critical-path'
import type { SignalRow } from '../../lib/wire/signal'
import { Age, useIsRecent } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { CopyButton } from '../ui/facts'
import { useKeyHelp } from '../ui/keys'
import { Received } from '../ui/received'
import { usualText } from './comparison'
import { missingSentences } from './missing'
import type { PageFacts } from './page-facts'
import type { PageReport } from './page-reports'
import type { TraceData } from './trace-data'
import styles from './trace-heading.module.css'
import type { TraceAnalysis } from './use-analysis'
import { TRACE_KEY_HELP } from './use-trace-keys'
import { mainSegment, useUsual } from './use-usual'

interface TraceHeadingProps {
  readonly trace: TraceData
  readonly analysis: TraceAnalysis
  readonly page: PageFacts
  readonly signals: readonly SignalRow[]
  readonly reports: readonly PageReport[]
  readonly connection: ReactNode
  readonly onLongest: () => void
  readonly onErrors: () => void
}

/** A trace of which something was received in this time is still arriving. */
const ARRIVING_MS = 5000

/** The name of a trace, and its facts in one line: how long, why, what its visitor felt, and what is missing. */
export function TraceHeading(props: TraceHeadingProps) {
  const { trace, analysis, page, signals, reports, connection, onLongest, onErrors } = props
  const { summary, isWhole } = trace
  const { nodes, orphans, longTasks: tasks, path } = analysis
  useKeyHelp(TRACE_KEY_HELP)
  const longest = useMemo(() => (path === null ? null : longestStep(path)), [path])
  const step = longest === null ? undefined : nodes.get(longest.spanId)?.span
  const busyUs = tasks.reduce((sum, { startUs, endUs }) => sum + endUs - startUs, 0)
  const lcp = page.vitals.find(({ name }) => name === 'LCP')
  const isArriving = useIsRecent(trace.submissions[0]?.receivedAt ?? 0, ARRIVING_MS)
  const missing = useMemo(
    () => missingSentences({ trace, signals, reports, orphans, isArriving }),
    [trace, signals, reports, orphans, isArriving],
  )
  return (
    <header className={styles.heading}>
      <div className={styles.line}>
        <h1 className={styles.name}>
          <Received text={summary.name} />
        </h1>
        {summary.op !== null && <Received className={styles.op} text={summary.op} />}
        {summary.errorCount > 0 && (
          <button type="button" className={`link-button ${styles.bad}`} title="Show the errors" onClick={onErrors}>
            <span aria-hidden="true">✕ </span>
            {plural(summary.errorCount, 'error')}
          </button>
        )}
        {page.neighbours.map(({ name, href }) => (
          <a key={href} className="small" href={href}>
            {name}
          </a>
        ))}
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
            <UsualDuration trace={trace} />
            <Age atMs={summary.startUs / 1000} ago />
          </Fact>
        )}
        {longest !== null && step !== undefined && (
          <Fact name="Longest on the critical path" value={formatDurationUs(longest.us)}>
            <button type="button" className="link-button" title="Show this span (b)" onClick={onLongest}>
              <Received text={step.op ?? step.name} />
            </button>
            , {Math.round((longest.us / longest.ofUs) * 100)} %
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
          {trace.file === undefined && plural(summary.segmentCount, 'segment')}
        </Fact>
        {trace.file === undefined && (
          <Fact name="Delivery" value={<DeliveryStatusMark deliveryStatus={summary.deliveryStatus} withReason />} />
        )}
        {missing.length > 0 && (
          <Fact name="Missing" value={<span className={styles.warn}>{plural(missing.length, 'part')}</span>}>
            <span title={missing.join('\n')}>
              {missing[0]}
              <span className="visually-hidden">{missing.slice(1).map((one) => `; ${one}`)}</span>
            </span>
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
          local DSN of the board <a href="/">Live</a> instead.
        </p>
      )}
    </header>
  )
}

/** `p95 1.92 s` of the segment that names the trace, beside the duration of the trace. */
function UsualDuration({ trace }: { readonly trace: TraceData }) {
  // Read after the rows.
  const segment = trace.isWhole ? mainSegment(trace) : undefined
  const usual = useUsual(segment)
  const { p95Us = null, us = 0, isSlow = false } = usual?.comparison ?? {}
  if (usual === null || p95Us === null) return null
  // A trace may go on after the segment that names it.
  const isAll = us >= trace.summary.durationUs * 0.99
  return (
    <span data-tone={isSlow ? 'warn' : undefined} title={usualText(usual.comparison, usual.isCut)}>
      {!isAll && `${segment?.op ?? 'first segment'} ${formatDurationUs(us)}, `}p95 {formatDurationUs(p95Us)},{' '}
    </span>
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
export function longestStep(path: CriticalPath): { readonly spanId: string; us: number; ofUs: number } | null {
  let [longest, us, ofUs] = ['', 0, 0]
  for (const [spanId, time] of timesOnPath(path)) {
    ofUs += time
    if (time > us) [longest, us] = [spanId, time]
  }
  return us === 0 ? null : { spanId: longest, us, ofUs }
}
