import { plural } from '../../lib/format'
import type { SignalRow } from '../../lib/wire/signal'
import { Age } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { signalsHref } from '../ui/links'
import { printable } from '../ui/printable'
import { Received } from '../ui/received'
import styles from './side.module.css'

interface FeedbackListProps {
  readonly eventId: string
  /** Signals of all kinds of the trace around the event. */
  readonly signals: readonly SignalRow[]
}

/**
 * The messages that people wrote about an error, and about the other events of its trace: an error of the server has an
 * event of the server and one of the browser, and people write about the latter.
 */
export function FeedbackList({ eventId, signals }: FeedbackListProps) {
  const feedback = signals.filter(({ kind }) => kind === 'feedback')
  if (feedback.length === 0) return null
  return (
    <section aria-labelledby="feedback">
      <h2 id="feedback">{plural(feedback.length, 'message')} of people</h2>
      <ul className={styles.messages}>
        {feedback.map(({ key, name, eventId: about, timestampUs, fields, deliveryStatus }) => (
          <li key={key}>
            <p>{printable(typeof fields.message === 'string' ? fields.message : name, 'lines')}</p>
            <p className="row small soft">
              {typeof fields.contact === 'string' && <Received text={fields.contact} />}
              <Age atMs={timestampUs / 1000} ago />
              {about !== null && about !== eventId && (
                <a href={`/events/${encodeURIComponent(about)}`}>about another event of this trace</a>
              )}
              <DeliveryStatusMark deliveryStatus={deliveryStatus} />
            </p>
          </li>
        ))}
      </ul>
      <p className="small">
        <a href={signalsHref('feedback', {})}>All feedback</a>
      </p>
    </section>
  )
}
