import type { ReactNode } from 'react'
import { formatBytes, formatCount, formatDurationMs } from '../../lib/format'
import type { Delivery } from '../../lib/wire/delivery'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import { deliveryStatusText, digestText, wasPosted } from '../../lib/wire/status-text'
import { useNow } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { CopyButton } from '../ui/facts'
import { printable } from '../ui/printable'
import { Received } from '../ui/received'
import { formatClock, formatDateTime } from '../ui/times'
import { useStatus } from '../ui/use-status'
import styles from './delivery-timeline.module.css'
import { type Decided, decidedOf, type EnvelopeHistory, sentAgain, stepsOf } from './timeline-steps'
import { attemptText, leftOutText, removedPath, removedText, waitBefore, waitingText } from './timeline-text'

interface DeliveryTimelineProps {
  readonly envelope: EnvelopeDetail
  readonly history: EnvelopeHistory
}

/** The steps of an envelope with their times: received, stored, digested, each delivery attempt, and the outcomes. */
export function DeliveryTimeline({ envelope, history }: DeliveryTimelineProps) {
  const { receivedAt, digestedAt, attempts, deliveryStatus } = envelope
  const digest = digestText(envelope.digest)
  const decided = decidedOf(envelope.items, history.outcomes)
  const isOpen = deliveryStatus.name === 'pending' || deliveryStatus.name === 'copy'
  return (
    <section className={styles.timeline} aria-labelledby="deliveries">
      <h2 id="deliveries">Timeline</h2>
      <ol>
        <TimelineStep at={receivedAt} tone="good">
          <strong>received</strong>
        </TimelineStep>
        <TimelineStep at={history.storedAt} tone="good">
          <strong>stored</strong> <Later from={receivedAt} at={history.storedAt} />
        </TimelineStep>
        {stepsOf(digestedAt, attempts, decided, sentAgain(attempts, deliveryStatus)).map((step) =>
          step.kind === 'attempt' ? (
            <AttemptStep key={step.at} attempts={attempts} at={step.at} />
          ) : step.kind === 'again' ? (
            <TimelineStep key={`again ${step.after}`} at={null} tone="good">
              <strong>sent again</strong> by a person
            </TimelineStep>
          ) : step.kind === 'decided' ? (
            <DecidedStep
              key={`${step.decided.deliveryStatus.name} ${step.decided.deliveryStatus.reason} ${step.decided.at}`}
              decided={step.decided}
            />
          ) : (
            <TimelineStep key="digested" at={digestedAt} tone={envelope.digest === 'undigested' ? 'warn' : 'good'}>
              <strong>{digest.word}</strong> <Later from={receivedAt} at={digestedAt} />
            </TimelineStep>
          ),
        )}
        {(isOpen || decided.length === 0) && (
          <TimelineStep at={null} tone={deliveryStatusText(deliveryStatus).tone}>
            <DeliveryStatusMark deliveryStatus={deliveryStatus} withReason />
            <p className="faint">{deliveryStatusText(deliveryStatus).meaning}</p>
            {deliveryStatus.name === 'pending' && deliveryStatus.reason === null && <WaitsFor envelope={envelope} />}
          </TimelineStep>
        )}
      </ol>
    </section>
  )
}

function DecidedStep({ decided }: { readonly decided: Decided }): ReactNode {
  const { at, deliveryStatus, items } = decided
  const { tone, meaning } = deliveryStatusText(deliveryStatus)
  return (
    <TimelineStep at={at} tone={tone}>
      <DeliveryStatusMark deliveryStatus={deliveryStatus} withReason />
      {items !== null && (
        <ul className={styles.decided} aria-label="Of these items">
          {items.map(({ index, type, quantity }) => (
            <li key={index}>
              <span className="num faint">item {index + 1}</span> <Received className="mono" text={type} />
              {quantity !== 1 && <span className="num"> ×{formatCount(quantity)}</span>}
            </li>
          ))}
        </ul>
      )}
      <p className="faint">{meaning}</p>
    </TimelineStep>
  )
}

function Later({ from, at }: { readonly from: number; readonly at: number | null }): ReactNode {
  if (at === null) return null
  return <span className="faint num">after {formatDurationMs(at - from)}</span>
}

function AttemptStep({ attempts, at }: { readonly attempts: readonly Delivery[]; readonly at: number }) {
  const attempt = attempts[at]
  if (attempt === undefined) return null
  const { word, tone, meaning, notes } = attemptText(attempt)
  const wait = waitBefore(attempts, at)
  return (
    <TimelineStep at={attempt.startedAt} tone={tone}>
      <p data-attempt={attempt.attempt}>
        attempt {attempt.attempt}: <strong>{printable(word)}</strong>
        <span className="faint num"> in {formatDurationMs(attempt.endedAt - attempt.startedAt)}</span>
        {attempt.maybeDelivered && <span className={styles.maybe}>maybe delivered</span>}
      </p>
      <p className="faint">
        to <Received text={attempt.upstream} />
        {wait !== null && <span className="num">, {wait}</span>}
      </p>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      <LeftOut leftOut={attempt.leftOut} />
      <RemovedParts removed={attempt.removed} isDone={attempt.form.includes('scrubbed')} />
      <p>{meaning}</p>
      <AnswerLine name="X-Sentry-Rate-Limits" text={attempt.rateLimits} />
      <AnswerLine name="Retry-After" text={attempt.retryAfter} />
      <AnswerLine name="Answer" text={attempt.answer} />
      {wasPosted(attempt) && (
        <p className={styles.hash} title={attempt.sha256}>
          <span className="faint">{formatBytes(attempt.bytes)} posted · sha256 </span>
          <code>{attempt.sha256.slice(0, 12)}…</code>
          <CopyButton quiet text={attempt.sha256} label="the sha256" />
        </p>
      )}
    </TimelineStep>
  )
}

function AnswerLine({ name, text }: { readonly name: string; readonly text: string | null }) {
  if (text === null || text === '') return null
  return (
    <p>
      <span className="faint">{name} </span>
      <code>{printable(text)}</code>
    </p>
  )
}

function LeftOut({ leftOut }: { readonly leftOut: Delivery['leftOut'] }) {
  if (leftOut.length === 0) return null
  return (
    <ul className={styles.parts} aria-label="Left out">
      {leftOut.map((one) => (
        <li key={one.item}>{printable(leftOutText(one))}</li>
      ))}
    </ul>
  )
}

/** With scrubbing in report mode, the list shows what would be removed. */
function RemovedParts({ removed, isDone }: { readonly removed: Delivery['removed']; readonly isDone: boolean }) {
  if (removed.length === 0) return null
  return (
    <details>
      <summary>
        {removedText(removed)} {isDone ? 'removed' : 'would be removed (report mode)'}
      </summary>
      <ul className={styles.parts} aria-label="Removed">
        {removed.map(({ rule, path }) => (
          <li key={`${rule} ${path}`}>
            <code>{printable(rule)}</code> <Received text={removedPath(path)} />
          </li>
        ))}
      </ul>
    </details>
  )
}

interface TimelineStepProps {
  /** ms since the epoch; `null` for a step that has not happened, or whose time is unknown. */
  readonly at: number | null
  readonly tone: string
  readonly children: ReactNode
}

function TimelineStep({ at, tone, children }: TimelineStepProps) {
  return (
    <li className={styles.step} data-tone={tone}>
      <span className={styles.time} title={at === null ? undefined : formatDateTime(at)}>
        {at === null ? '' : formatClock(at)}
      </span>
      <div className={styles.what}>{children}</div>
    </li>
  )
}

function WaitsFor({ envelope }: { readonly envelope: EnvelopeDetail }) {
  const read = useStatus()
  const now = useNow()
  const text = read === null ? null : waitingText(envelope, read.status, now + read.aheadMs)
  if (text === null) return null
  return (
    <p className="num" data-waits>
      {text}
    </p>
  )
}
