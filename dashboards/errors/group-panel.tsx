import { formatCount, plural } from '../../lib/format'
import type { ErrorGroupDetail } from '../../lib/wire/error-groups'
import type { EventDetail } from '../../lib/wire/event'
import { Age } from '../ui/clock'
import { Glyph } from '../ui/glyph'
import { Received } from '../ui/received'
import { Bars } from './bars'
import { contributionsOf, numberOf, variantText } from './group-text'
import { Pattern } from './pattern'
import styles from './side.module.css'

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
        <span className={styles.steps}>
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
      <ul className={styles.parts}>
        {parts.slice(0, MOST_PARTS).map(({ counts, text, hint }) => (
          <li key={`${counts} ${text} ${hint}`} data-counts={counts}>
            <Glyph name={counts ? 'accepted' : 'dropped'} />
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
          <ul className={styles.counts}>
            {group.messages.values.slice(0, MOST_PARTS).map(({ value, count }) => (
              <li key={value}>
                <Pattern text={value} />
                <span className="num">{formatCount(count)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
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
      <dl className={styles.tags}>
        {own.map(([key, value]) => {
          const tag = group.tags.find((one) => one.key === key)
          const same = tag?.values.values.find((one) => one.value === value)
          return (
            <div key={key}>
              <dt>
                <Received text={key} />
              </dt>
              <dd>
                <Received text={value} />
                {same !== undefined && (
                  <span className="faint num">
                    {' '}
                    in {formatCount(same.count)} of {formatCount(group.sampled)}
                  </span>
                )}
              </dd>
            </div>
          )
        })}
      </dl>
    </section>
  )
}
