'use client'

import { useState } from 'react'
import { formatCount, formatDurationMs } from '../../lib/format'
import { wasPosted } from '../../lib/wire/status-text'
import { HopLine } from '../errors/hop-line'
import { client } from '../ui/client'
import { IconButton } from '../ui/facts'
import { useAnswer } from '../ui/use-answer'
import styles from './attempt-plot.module.css'
import { AnswerMark } from './attempts'
import { answerOf, type Bin, type PlottedAttempt } from './plotted-attempts'

const MOST_SHOWN = 8

interface AttemptPanelProps {
  readonly bin: Bin
  readonly heading: string
  readonly onClose: () => void
}

/** The attempts of one part of the plot, accepted ones last, and the way of the chosen one's envelope. */
export function AttemptPanel({ bin, heading, onClose }: AttemptPanelProps) {
  const isAccepted = (one: PlottedAttempt): boolean => answerOf(one) === 'accepted'
  const attempts = [...bin.attempts].sort((a, b) => Number(isAccepted(a)) - Number(isAccepted(b)))
  const [chosen, setChosen] = useState(attempts[0]?.id)
  const attempt = attempts.find(({ id }) => id === chosen) ?? attempts[0]
  const more = attempts.length - MOST_SHOWN
  return (
    <div className={styles.panel} data-attempts-at>
      <div className={styles.found}>
        <div className={styles.head}>
          <strong className="small num">{heading}</strong>
          <IconButton glyph="close" label="Close these attempts" onPress={onClose} />
        </div>
        <ul aria-label="Attempts of this time, accepted ones last">
          {attempts.slice(0, MOST_SHOWN).map((one) => (
            <li key={one.id} data-chosen={one.id === attempt?.id}>
              <button type="button" aria-pressed={one.id === attempt?.id} onClick={() => setChosen(one.id)}>
                {one.seq}
              </button>
              <span className="cut">
                {one.attempt > 1 && <span className="faint num">try {one.attempt} </span>}
                <AnswerMark answered={one} wasPosted={wasPosted(one)} />
              </span>
              <span className="num faint">{formatDurationMs(one.endedAt - one.startedAt)}</span>
            </li>
          ))}
        </ul>
        {more > 0 && <p className="small faint">and {formatCount(more)} more</p>}
      </div>
      {attempt !== undefined && <EnvelopeHops attempt={attempt} />}
    </div>
  )
}

function EnvelopeHops({ attempt: { seq, id } }: { readonly attempt: Pick<PlottedAttempt, 'seq' | 'id'> }) {
  const { answer, failure } = useAnswer(String(seq), (signal) => client.envelope(seq, signal), String(id))
  if (answer === undefined)
    return <p className="small faint">{failure === null ? 'Loading …' : 'The envelope could not be read.'}</p>
  if (answer === null) return <p className="small faint">Envelope {seq} was evicted or cleared.</p>
  const { sdk, receivedAt, deliveryStatus } = answer
  return (
    <HopLine event={{ seq, service: sdk ?? 'a program', receivedAt, deliveryStatus, copy: 'no' }} envelope={answer} />
  )
}
