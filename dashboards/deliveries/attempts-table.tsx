'use client'

import { memo } from 'react'
import { formatBytes, formatDurationMs } from '../../lib/format'
import { type Delivery, wasPosted } from '../../lib/wire/delivery'
import { Age } from '../ui/clock'
import list from '../ui/list-table.module.css'
import { type Narrow, NarrowButton } from '../ui/narrow-button'
import { Received } from '../ui/received'
import { AnswerMark } from './answer-mark'
import styles from './attempts-table.module.css'

interface AttemptsTableProps {
  readonly attempts: readonly Delivery[]
  readonly onNarrow: Narrow
}

export function AttemptsTable({ attempts, onNarrow }: AttemptsTableProps) {
  return (
    <table className={`${list.table} ${styles.table}`}>
      <caption className="visually-hidden">Attempts to deliver, newest first</caption>
      <thead>
        <tr>
          <th scope="col" className={`${list.right} ${styles.seq}`}>
            Envelope
          </th>
          <th scope="col" className={`${list.right} ${styles.attempt}`} title="1 for the first of this envelope">
            Try
          </th>
          <th scope="col" className={`${list.right} ${styles.age}`} title="When it was posted">
            Age
          </th>
          <th scope="col" className={styles.upstream}>
            Upstream
          </th>
          <th scope="col">Answer</th>
          <th scope="col" className={`${list.right} ${styles.took}`} title="From the post to the end of the answer">
            Took
          </th>
          <th scope="col" className={`${list.right} ${styles.bytes}`} title="Bytes that were posted">
            Bytes
          </th>
          <th scope="col" className={styles.form} title="How the posted bytes differ from those received">
            Form
          </th>
        </tr>
      </thead>
      <tbody>
        {attempts.map((attempt) => (
          <AttemptRow key={attempt.id} attempt={attempt} onNarrow={onNarrow} />
        ))}
      </tbody>
    </table>
  )
}

interface AttemptRowProps {
  readonly attempt: Delivery
  readonly onNarrow: Narrow
}

const AttemptRow = memo(function AttemptRow({ attempt, onNarrow }: AttemptRowProps) {
  return (
    <tr data-attempt={attempt.id}>
      <td className={`${list.right} num`}>
        <a data-row-link href={`/envelopes/${attempt.seq}`}>
          {attempt.seq}
        </a>
      </td>
      <td className={`${list.right} num`}>{attempt.attempt}</td>
      <td className={list.right}>
        <Age atMs={attempt.startedAt} />
      </td>
      <td className={`mono ${styles.upstreamCell}`}>
        <NarrowButton name="upstream" value={attempt.upstream} onNarrow={onNarrow}>
          <Received text={attempt.upstream} />
        </NarrowButton>
      </td>
      <td>
        <AnswerMark answered={attempt} wasPosted={wasPosted(attempt)} />
        {attempt.maybeDelivered && (
          <span className={list.mark} title="No answer came, but the post may have arrived: upstream may get it twice.">
            maybe delivered
          </span>
        )}
      </td>
      <td className={`${list.right} num`}>{formatDurationMs(attempt.endedAt - attempt.startedAt)}</td>
      <td className={`${list.right} num`}>{formatBytes(attempt.bytes)}</td>
      <td>{attempt.form.join(', ')}</td>
    </tr>
  )
})
