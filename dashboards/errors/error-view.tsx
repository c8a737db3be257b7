import { plural } from '../../lib/format'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import type { ErrorGroupDetail } from '../../lib/wire/error-groups'
import type { EventDetail } from '../../lib/wire/event'
import { client } from '../ui/client'
import { Age } from '../ui/clock'
import { Glyph } from '../ui/glyph'
import { type KeyHelp, useKeyHelp, useKeys } from '../ui/keys'
import { RowMark } from '../ui/list-table'
import { navigate } from '../ui/navigation'
import { printable } from '../ui/printable'
import { Received, ServiceName } from '../ui/received'
import { useAnswer } from '../ui/use-answer'
import { AttachmentList } from './attachment-list'
import { Before } from './before'
import { Copies, Marking } from './error-actions'
import { ErrorStack, LongMessage } from './error-stack'
import styles from './error-view.module.css'
import { EventRecord } from './event-facts'
import { FeedbackList } from './feedback-list'
import { TagShares, ThisEvent, WhyOneGroup } from './group-panel'
import { HopLine } from './hop-line'
import { clockText, otherSender } from './sender-clock'
import { TracePicture } from './trace-picture'
import { useMappedFrames } from './use-mapped-frames'
import { useTraceAround } from './use-trace-around'

const HELP: readonly KeyHelp[] = [
  { keys: ['e'], does: 'next event of the group' },
  { keys: ['E'], does: 'previous event of the group' },
  { keys: ['Esc'], does: 'back to the list of errors' },
]

interface ErrorViewProps {
  readonly event: EventDetail
  /** `null` when no event of it is stored any more. */
  readonly group: ErrorGroupDetail | null
  readonly onMarked: () => void
}

/** An event with its stack, what happened before it, and its group. */
export function ErrorView({ event, group, onMarked }: ErrorViewProps) {
  useKeyHelp(HELP)
  const go = (eventId: string | null) => (): boolean => {
    if (eventId === null) return false
    navigate(`/events/${encodeURIComponent(eventId)}`)
    return true
  }
  useKeys({
    e: go(event.group.newer),
    E: go(event.group.older),
    Escape: () => {
      const menu = document.querySelector('details[name="error-actions"][open]')
      if (menu === null) navigate('/errors')
      else menu.removeAttribute('open')
      return true
    },
  })
  const mapping = useMappedFrames(event.eventId)
  const around = useTraceAround(event)
  const envelope = useEnvelope(event.seq, event.deliveryStatus.name)
  const other = otherSender(event, around)
  const otherEnvelope = useEnvelope(other?.seq ?? null)
  const clocks = other === null ? [] : [clockText(event.service, envelope), clockText(other.service, otherEnvelope)]
  return (
    <div className={styles.error}>
      <header className={styles.header}>
        <div className={`row ${styles.actions}`}>
          <Copies event={event} group={group} frames={mapping.frames} />
          {group !== null && <Marking group={group} onMarked={onMarked} />}
        </div>
        <h2 className={styles.message}>
          <LongMessage text={event.exceptions[0]?.value || event.title} />
        </h2>
        <Facts event={event} group={group} />
        {group?.note != null && (
          <p className={`soft ${styles.note}`} data-note>
            <Glyph name="note" /> {printable(group.note, 'lines')}
          </p>
        )}
      </header>
      <div className={styles.columns}>
        <div className={styles.main}>
          <section aria-labelledby="stack">
            <ErrorStack heading={<h2 id="stack">Stack</h2>} event={event} mapping={mapping} />
          </section>
          <Before event={event} around={around} clocks={clocks.filter((text) => text !== null)} />
          <FeedbackList eventId={event.eventId} signals={around.logs} />
          <AttachmentList event={event} envelope={envelope} />
        </div>
        <aside className={styles.side} aria-label="About this error">
          {group !== null && <ThisEvent group={group} event={event} />}
          {event.traceId !== null && <TracePicture event={{ ...event, traceId: event.traceId }} around={around} />}
          {group !== null && <WhyOneGroup group={group} />}
          <HopLine event={event} envelope={envelope} />
          {group !== null && <TagShares group={group} event={event} />}
          <EventRecord event={event} withTags={group === null} />
        </aside>
      </div>
    </div>
  )
}

/** The heading of the page: the list it belongs to, the type of the error, and whether it was handled. */
export function ErrorTitle({ event }: { readonly event: EventDetail }) {
  return (
    <>
      <a className={styles.crumb} href="/errors">
        Errors
      </a>{' '}
      <span className={styles.crumb} aria-hidden="true">
        <Glyph name="next" />
      </span>{' '}
      <Received text={event.exceptions.length === 0 ? 'Message' : (event.exceptions[0]?.type ?? 'Error')} />
    </>
  )
}

function Facts({ event, group }: Pick<ErrorViewProps, 'event' | 'group'>) {
  return (
    <p className={`row small soft ${styles.facts}`}>
      {event.handled !== null && (
        <span className="toned" data-tone={event.handled ? undefined : 'bad'}>
          <Glyph name="error" /> {event.handled ? 'handled' : 'unhandled'}
        </span>
      )}
      {event.level !== 'error' && <Received text={event.level} />}
      {event.transaction !== null && <Received className="mono" text={event.transaction} />}
      <ServiceName service={event.service} />
      {group !== null && (
        <span>
          {plural(group.count, 'event')} in {plural(group.traces, 'trace')}
        </span>
      )}
      <span>
        happened <Age atMs={event.timestampUs / 1000} ago />
      </span>
      {group?.isNew === true && <RowMark tone="bad">new</RowMark>}
      {group?.muted === true && <span>muted</span>}
    </p>
  )
}

/** An envelope; `null` until it is read. The page itself reports an unreachable collector: without it the rest still holds. */
const useEnvelope = (seq: number | null, state?: string): EnvelopeDetail | null =>
  useAnswer(seq === null ? null : String(seq), (signal) => client.envelope(seq ?? 0, signal), state).answer ?? null
