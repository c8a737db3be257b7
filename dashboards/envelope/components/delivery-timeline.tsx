import type { ReactNode } from 'react'
import type { Delivery } from '../../../lib/wire/delivery'
import type { EnvelopeDetail } from '../../../lib/wire/envelope'
import { CopyButton } from '../../shared/copy-button'
import { FateMark } from '../../shared/fate-mark'
import { digestWords } from '../../words/digest-states'
import { fateWords } from '../../words/fates'
import { printable } from '../../words/printable'
import { formatBytes, formatDuration } from '../../words/quantities'
import { formatClock, formatMoment } from '../../words/times'
import { deliveryWords } from '../arrange/delivery-words'
import styles from './delivery-timeline.module.css'

/** Received, digested, each attempt to deliver, and how it ended: when, and how long it took. */
export function DeliveryTimeline({ envelope }: { readonly envelope: EnvelopeDetail }) {
  const digest = digestWords(envelope.digest)
  return (
    <section className={styles.timeline} aria-labelledby="deliveries">
      <h2 id="deliveries">What became of it</h2>
      <ol>
        <Step at={envelope.receivedAt} tone="good">
          <strong>received</strong>, on disk
        </Step>
        <Step at={envelope.digestedAt} tone={envelope.digest === 'undigested' ? 'warn' : 'good'}>
          <strong>{digest.word}</strong>
          {envelope.digestedAt !== null && (
            <span className="faint num">
              {' '}
              {formatDuration((envelope.digestedAt - envelope.receivedAt) * 1000)} later
            </span>
          )}
        </Step>
        {envelope.attempts.map((attempt) => (
          <Attempt key={attempt.id} attempt={attempt} />
        ))}
        <Step at={envelope.relayedAt} tone={fateWords(envelope.fate.name).tone}>
          <FateMark fate={envelope.fate} withReason />
          <p className="faint">{fateWords(envelope.fate.name).means}</p>
        </Step>
      </ol>
    </section>
  )
}

interface StepProps {
  readonly at: number | null
  readonly tone: string
  readonly children: ReactNode
}

function Step({ at, tone, children }: StepProps) {
  return (
    <li className={styles.step} data-tone={tone}>
      <span className={styles.time} title={at === null ? undefined : formatMoment(at)}>
        {at === null ? '' : formatClock(at)}
      </span>
      <div className={styles.what}>{children}</div>
    </li>
  )
}

function Attempt({ attempt }: { readonly attempt: Delivery }) {
  const { word, tone, notes } = deliveryWords(attempt)
  return (
    <Step at={attempt.startedAt} tone={tone}>
      <p>
        attempt {attempt.attempt}: <strong>{printable(word)}</strong>
        <span className="faint num"> after {formatDuration((attempt.endedAt - attempt.startedAt) * 1000)}</span>
        {attempt.maybeDelivered && <span className={styles.maybe}>maybe delivered</span>}
      </p>
      <p className="faint">to {printable(attempt.upstream)}</p>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {attempt.rateLimits !== null && (
        <p>
          <span className="faint">rate limits </span>
          <code>{printable(attempt.rateLimits)}</code>
        </p>
      )}
      {attempt.retryAfter !== null && (
        <p>
          <span className="faint">retry after </span>
          <code>{printable(attempt.retryAfter)}</code>
        </p>
      )}
      {attempt.answer !== null && attempt.answer !== '' && (
        <p>
          <span className="faint">it said </span>
          <code>{printable(attempt.answer)}</code>
        </p>
      )}
      <p className={styles.hash} title={attempt.sha256}>
        <span className="faint">{formatBytes(attempt.bytes)} · sha256 </span>
        <code>{attempt.sha256.slice(0, 12)}…</code>
        <CopyButton quiet text={attempt.sha256} label="the sha256" />
      </p>
    </Step>
  )
}
