import { type Delivery, wasPosted } from '../../lib/wire/delivery'
import { CopyButton } from '../ui/copy-button'
import { printable } from '../ui/printable'
import { formatBytes, formatDuration } from '../ui/quantities'
import { Received } from '../ui/received'
import styles from './delivery-timeline.module.css'
import { deliveryWords, leftOutWords, removedPlace, removedWords, waitBefore } from './delivery-words'
import { TimelineStep } from './timeline-step'

interface AttemptStepProps {
  readonly attempts: readonly Delivery[]
  readonly at: number
}

/** One attempt: what was posted, what came back, and what follows from it. */
export function AttemptStep({ attempts, at }: AttemptStepProps) {
  const attempt = attempts[at]
  if (attempt === undefined) return null
  const { word, tone, means, notes } = deliveryWords(attempt)
  const wait = waitBefore(attempts, at)
  return (
    <TimelineStep at={attempt.startedAt} tone={tone}>
      <p data-attempt={attempt.attempt}>
        attempt {attempt.attempt}: <strong>{printable(word)}</strong>
        <span className="faint num"> in {formatDuration((attempt.endedAt - attempt.startedAt) * 1000)}</span>
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
      <p>{means}</p>
      <Said name="X-Sentry-Rate-Limits" text={attempt.rateLimits} />
      <Said name="Retry-After" text={attempt.retryAfter} />
      <Said name="it said" text={attempt.answer} />
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

function Said({ name, text }: { readonly name: string; readonly text: string | null }) {
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
        <li key={one.item}>{printable(leftOutWords(one))}</li>
      ))}
    </ul>
  )
}

/** Where only reports are made, what would be removed is told all the same. */
function RemovedParts({ removed, isDone }: { readonly removed: Delivery['removed']; readonly isDone: boolean }) {
  if (removed.length === 0) return null
  return (
    <details>
      <summary>
        {removedWords(removed)} {isDone ? 'removed' : 'would be removed: scrubbing only reports'}
      </summary>
      <ul className={styles.parts} aria-label="Removed">
        {removed.map(({ rule, path }) => (
          <li key={`${rule} ${path}`}>
            <code>{printable(rule)}</code> <Received text={removedPlace(path)} />
          </li>
        ))}
      </ul>
    </details>
  )
}
