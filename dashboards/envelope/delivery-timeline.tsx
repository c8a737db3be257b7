import type { ReactNode } from 'react'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { wordsOfDeliveryStatus } from '../ui/delivery-statuses'
import { digestWords } from '../ui/digest-states'
import { formatCount, formatDuration } from '../ui/quantities'
import { Received } from '../ui/received'
import { AttemptStep } from './attempt-step'
import { type Decided, decidedOf } from './decided'
import styles from './delivery-timeline.module.css'
import { sentAgain } from './sent-again'
import { stepsOf } from './steps'
import { TimelineStep } from './timeline-step'
import type { Course } from './use-envelope'
import { WaitsFor } from './waits-for'

interface DeliveryTimelineProps {
  readonly envelope: EnvelopeDetail
  readonly course: Course
}

/** Received, stored, digested, each attempt to deliver, and what was decided of which item: when, and how long it took. */
export function DeliveryTimeline({ envelope, course }: DeliveryTimelineProps) {
  const { receivedAt, digestedAt, attempts, deliveryStatus } = envelope
  const digest = digestWords(envelope.digest)
  const decided = decidedOf(envelope.items, course.outcomes)
  const isOpen = deliveryStatus.name === 'pending' || deliveryStatus.name === 'copy'
  return (
    <section className={styles.timeline} aria-labelledby="deliveries">
      <h2 id="deliveries">What became of it</h2>
      <ol>
        <TimelineStep at={receivedAt} tone="good">
          <strong>received</strong>
        </TimelineStep>
        <TimelineStep at={course.storedAt} tone="good">
          <strong>stored</strong>, on disk <Later from={receivedAt} at={course.storedAt} />
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
          <TimelineStep at={null} tone={wordsOfDeliveryStatus(deliveryStatus).tone}>
            <DeliveryStatusMark deliveryStatus={deliveryStatus} withReason />
            <p className="faint">{wordsOfDeliveryStatus(deliveryStatus).means}</p>
            {deliveryStatus.name === 'pending' && deliveryStatus.reason === null && <WaitsFor envelope={envelope} />}
          </TimelineStep>
        )}
      </ol>
    </section>
  )
}

function DecidedStep({ decided }: { readonly decided: Decided }): ReactNode {
  const { at, deliveryStatus, items } = decided
  const { tone, means } = wordsOfDeliveryStatus(deliveryStatus)
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
      <p className="faint">{means}</p>
    </TimelineStep>
  )
}

function Later({ from, at }: { readonly from: number; readonly at: number | null }): ReactNode {
  if (at === null) return null
  return <span className="faint num">{formatDuration((at - from) * 1000)} later</span>
}
