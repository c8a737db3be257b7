'use client'

import { formatCount } from '../../lib/format'
import { adviceFor, causeText } from '../../lib/wire/loss-advice'
import { BY_TEXT, lossReason, lossUnit } from '../../lib/wire/loss-text'
import type { Loss, Losses } from '../../lib/wire/losses'
import { Bars } from '../errors/bars'
import { categoryWord } from '../ui/category-word'
import { ShortSecond } from '../ui/clock'
import { DeliveryStatusMark } from '../ui/delivery-status-mark'
import { Glyph } from '../ui/glyph'
import { printable } from '../ui/printable'
import { Section } from '../ui/section'
import styles from './causes.module.css'
import { lostEnvelopesHref, statusOfLoss } from './lost-envelopes'
import { keyOf, type Reported, useAround, useLossMinutes } from './use-loss-sources'

interface CausesProps {
  readonly losses: Losses
  /** The category of the flow, whose causes come first; `null` without telemetry. */
  readonly category: string | null
}

/** Each cause of a loss with its place, its time and what to do; next to it what was chosen, and affected traces. */
export function Causes({ losses: { losses, notSent, stamp }, category }: CausesProps) {
  const around = useAround({ stamp, losses })
  return (
    <div className={styles.causes}>
      <Section id="lost" title="What was lost, and what to do">
        {losses.length === 0 ? (
          <p className="small soft">
            Nothing was lost{stamp === null ? '' : ' with this stamp'}: everything that was sent is accepted, kept, or
            still pending.
          </p>
        ) : (
          <CauseTable losses={losses} category={category} stamp={stamp} reported={around.reported} />
        )}
      </Section>
      {(around.traces.length > 0 || notSent.length > 0) && (
        <div className={styles.others}>
          {around.traces.length > 0 && <AffectedTraces traces={around.traces} />}
          <NotSent notSent={notSent} />
        </div>
      )}
    </div>
  )
}

interface CauseTableProps extends Pick<CausesProps, 'category'> {
  readonly losses: readonly Loss[]
  readonly stamp: string | null
  readonly reported: ReadonlyMap<string, Reported>
}

function CauseTable({ losses, category, stamp, reported }: CauseTableProps) {
  const minutesOf = useLossMinutes()
  const first = losses.filter((loss) => loss.category === category)
  return (
    <>
      <table className={styles.table} aria-labelledby="lost">
        <thead>
          <tr>
            <th scope="col" className={styles.right}>
              Lost
            </th>
            <th scope="col">Category</th>
            <th scope="col">Cause and advice</th>
            <th scope="col">Last hour</th>
          </tr>
        </thead>
        <tbody>
          {[...first, ...losses.filter((loss) => !first.includes(loss))].map((loss) => (
            <tr key={keyOf(loss)} data-loss={loss.reason} data-by={loss.by} data-chosen={loss.category === category}>
              <td
                className={`num ${styles.right} ${styles.lost}`}
                data-bad={loss.by === 'endpoint' || statusOfLoss(loss) === 'invalid'}
              >
                {formatCount(loss.quantity)}
              </td>
              <th scope="row">{printable(lossUnit(loss))}</th>
              <td>
                <Cause loss={loss} stamp={stamp} reported={reported.get(keyOf(loss))} />
              </td>
              <td className={styles.bars}>
                {stamp === null && loss.category !== null && minutesOf !== null && (
                  <LastHour minutes={minutesOf(loss)} noun={loss.category} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="small faint">
        Bars show the last hour per minute, the newest on the right
        {stamp === null ? '' : ', and only without a stamp'}; they count from outcomes and client reports when those
        were received. Refusals count envelopes, because their items are unknown. Programs are those of the newest 200
        stored client reports.
      </p>
    </>
  )
}

interface LastHourProps {
  readonly minutes: readonly number[]
  readonly noun: string
}

const LastHour = ({ minutes, noun }: LastHourProps) => (
  <>
    <span className="num small">{formatCount(minutes.reduce((sum, count) => sum + count, 0))}</span>
    <Bars bars={minutes} noun={noun} />
  </>
)

interface CauseProps {
  readonly loss: Loss
  readonly stamp: string | null
  readonly reported: Reported | undefined
}

function Cause({ loss, stamp, reported }: CauseProps) {
  const { text, link } = adviceFor(loss)
  const href = lostEnvelopesHref(loss, stamp)
  const unit = printable(lossUnit(loss))
  return (
    <>
      <p>
        {printable(causeText(loss))} <code className="faint">{printable(loss.reason)}</code>{' '}
        <span className="soft" title={BY_TEXT[loss.by].meaning}>
          by {BY_TEXT[loss.by].word}
          {reported !== undefined && reported.programs.length > 0 && ` in ${printable(reported.programs.join(', '))}`}
        </span>
        {reported !== undefined && (
          <span className="soft">
            , reported last at <ShortSecond atMs={reported.lastAt} />
          </span>
        )}
      </p>
      <p className="soft">
        {text}{' '}
        {link !== null && (
          <a href={link.href} aria-label={`${link.label}: ${unit}, ${printable(loss.reason)}`}>
            {link.label}
          </a>
        )}
        {link !== null && href !== null && ', '}
        {href !== null && (
          <a href={href} aria-label={`stored ones: envelopes with this loss of ${unit}`}>
            stored ones
          </a>
        )}
      </p>
    </>
  )
}

function AffectedTraces({ traces }: Pick<ReturnType<typeof useAround>, 'traces'>) {
  return (
    <Section id="affected" title="Affected traces">
      <ul className={styles.traces}>
        {traces.map(({ traceId, name, receivedAt, deliveryStatus }) => (
          <li key={traceId} data-affected={traceId}>
            <Glyph name="group" />
            <a className="cut" href={`/traces/${traceId}`}>
              <bdi>{printable(name)}</bdi>
            </a>
            <DeliveryStatusMark deliveryStatus={deliveryStatus} />
            <span className="num faint">
              <ShortSecond atMs={receivedAt} />
            </span>
          </li>
        ))}
      </ul>
      <p className="small faint">The newest traces with a part that did not reach upstream. Each says what it lost.</p>
    </Section>
  )
}

/** Items that the program chose not to send, by reason. */
function NotSent({ notSent }: Pick<Losses, 'notSent'>) {
  if (notSent.length === 0) return null
  return (
    <Section id="not-sent" title="Not sent by choice">
      <p className="small soft">The program sampled or filtered these items itself. They are not lost.</p>
      <ul className={styles.chosen}>
        {notSent.map(({ reason, category, quantity }) => (
          <li key={`${reason} ${category}`} data-not-sent={reason}>
            <span className="num">{formatCount(quantity)}</span> {categoryWord(category, quantity)}:{' '}
            {printable(lossReason({ by: 'sdk', reason }))} <code className="faint">{printable(reason)}</code>
          </li>
        ))}
      </ul>
    </Section>
  )
}
