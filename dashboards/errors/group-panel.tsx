import type { ReactNode } from 'react'
import { formatCount, plural } from '../../lib/format'
import type { ErrorGroupDetail } from '../../lib/wire/error-groups'
import type { EventDetail } from '../../lib/wire/event'
import { client } from '../ui/client'
import { Age } from '../ui/clock'
import { Fact, Facts } from '../ui/facts'
import { Glyph } from '../ui/glyph'
import { printable } from '../ui/printable'
import { Received } from '../ui/received'
import { useAnswer } from '../ui/use-answer'
import { Bars } from './bars'
import { contributionsOf, numberOf, topFrameText, variantText } from './group-text'
import { Pattern } from './group-title'
import styles from './side.module.css'
import { failureText } from './use-mapped-frames'

interface GroupPanelProps {
  readonly group: ErrorGroupDetail
  readonly event: EventDetail
}

/** The place of an event in its group, with its neighbours by time. */
export function ThisEvent({ group, event }: GroupPanelProps) {
  const number = numberOf(group.events, group.count, event.eventId)
  const [release] = group.releases.values
  return (
    <section className={styles.section} aria-labelledby="this-event">
      <div className={styles.head}>
        <h2 id="this-event">This event</h2>
        <span className="row soft">
          <Neighbour eventId={event.group.older} name="previous" />
          <span className="num">
            {number === null ? 'one' : formatCount(number)} of {formatCount(group.count)}
          </span>
          <Neighbour eventId={event.group.newer} name="next" />
        </span>
      </div>
      <Bars bars={group.bars} />
      <p className={styles.ends}>
        <span>
          first <Age atMs={group.firstSeenUs / 1000} ago />
          {release !== undefined && (
            <>
              , <Received text={release.value} />
              {group.releases.distinct > 1 && ` and ${plural(group.releases.distinct - 1, 'other')}`}
            </>
          )}
        </span>
        <span>
          last <Age atMs={group.lastSeenUs / 1000} ago />
        </span>
      </p>
    </section>
  )
}

function Neighbour({ eventId, name }: { readonly eventId: string | null; readonly name: 'previous' | 'next' }) {
  const label = `${name} event (${name === 'next' ? 'e' : 'E'})`
  if (eventId === null)
    return (
      <span className={styles.step} data-none>
        <Glyph name={name} />
      </span>
    )
  return (
    <a className={styles.step} href={`/events/${encodeURIComponent(eventId)}`} aria-label={label} title={label}>
      <Glyph name={name} />
    </a>
  )
}

/** Ignored parts beyond these are in the answer of the collector alone. */
const MOST_PARTS = 12

/** The parts that made these events one group, and those that were ignored. */
export function WhyOneGroup({ group }: Pick<GroupPanelProps, 'group'>) {
  const parts = contributionsOf(group.why)
  return (
    <section className={styles.section} aria-labelledby="why">
      <div className={styles.head}>
        <h2 id="why">
          {group.count === 1 ? 'What makes its group' : `Why these ${formatCount(group.count)} are one group`}
        </h2>
        <span className="small faint">rules v{group.why.version}</span>
      </div>
      <p className="small soft">{variantText(group.why)}</p>
      <ul className={styles.list}>
        {parts.slice(0, MOST_PARTS).map(({ counts, text, hint }) => (
          <li key={`${counts} ${text} ${hint}`} className={counts ? undefined : 'faint'}>
            <span className="toned" data-tone={counts ? 'good' : undefined}>
              <Glyph name={counts ? 'accepted' : 'dropped'} />
            </span>
            <span>
              <Received text={text} />
              {hint !== null && (
                <>
                  : <Received text={hint} />
                </>
              )}
              {!counts && hint === null && ': ignored'}
            </span>
          </li>
        ))}
      </ul>
      {parts.length > MOST_PARTS && <p className="small faint">{plural(parts.length - MOST_PARTS, 'more part')}.</p>}
      {group.messages.distinct > 1 && (
        <>
          <h3>{plural(group.messages.distinct, 'distinct message')}</h3>
          <ul className={styles.list}>
            {group.messages.values.slice(0, MOST_PARTS).map(({ value, ...row }) => (
              <CountRow key={value} {...row}>
                <Pattern text={value} />
              </CountRow>
            ))}
          </ul>
        </>
      )}
      {group.count > 1 && <TopFrames hash={group.hash} />}
    </section>
  )
}

interface CountRowProps {
  /** An event that has the value; `null` when none is listed. */
  readonly eventId: string | null
  readonly count: number
  readonly children: ReactNode
}

const CountRow = ({ eventId, count, children }: CountRowProps) => (
  <li>
    {eventId === null ? <span>{children}</span> : <a href={`/events/${encodeURIComponent(eventId)}`}>{children}</a>}
    <span className={`num ${styles.end}`}>{formatCount(count)}</span>
  </li>
)

/** The places at which the events of a group were thrown, as source maps say. A single one is not listed: the stack shows it. */
function TopFrames({ hash }: { readonly hash: string }) {
  const { answer, failure } = useAnswer(hash, (signal) => client.groupFrames(hash, signal))
  if (failure !== null) return <p className="small soft">Top frames not read: {failureText(failure)}.</p>
  if (answer == null) return null
  const { frames, read, stopped } = answer
  return (
    <>
      {frames.length > 1 && (
        <>
          <h3>
            {plural(frames.length, 'distinct top frame')} of the newest {plural(read, 'event')}
          </h3>
          <ul className={styles.list} aria-label="Top frames">
            {frames.map((frame) => (
              <CountRow key={frame.eventId} {...frame}>
                <Received text={topFrameText(frame)} />
              </CountRow>
            ))}
          </ul>
        </>
      )}
      {stopped !== null && (
        <p className="small soft">
          Top frames of {plural(read, 'event')} alone: {printable(stopped)}.
        </p>
      )}
    </>
  )
}

/** The tags of the newest events of a group: the value of this event, and in how many of them it is the same. */
export function TagShares({ group, event }: GroupPanelProps) {
  const own = Object.entries(event.tags)
  if (own.length === 0) return null
  return (
    <section className={styles.section} aria-labelledby="tags">
      <div className={styles.head}>
        <h2 id="tags">Tags</h2>
        <span className="small faint">shares of the newest {formatCount(group.sampled)}</span>
      </div>
      <Facts>
        {own.map(([key, value]) => {
          const tag = group.tags.find((one) => one.key === key)
          const same = tag?.values.values.find((one) => one.value === value)
          return (
            <Fact key={key} name={printable(key)}>
              <Received text={value} />
              {same !== undefined && (
                <span className="faint num">
                  {' '}
                  in {formatCount(same.count)} of {formatCount(group.sampled)}
                </span>
              )}
            </Fact>
          )
        })}
      </Facts>
    </section>
  )
}
