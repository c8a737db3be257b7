import { printable } from '../ui/printable'
import { Received } from '../ui/received'
import { answerWords } from '../ui/status-text'
import styles from './answer-mark.module.css'

interface AnswerMarkProps {
  readonly answered: { readonly status: number | null; readonly error: string | null; readonly answer: string | null }
  /** False of a record that could not be read. */
  readonly wasPosted?: boolean
}

/** What upstream answered: the status or why there is none, and its words as text. */
export function AnswerMark({ answered, wasPosted = true }: AnswerMarkProps) {
  const { word, tone, means } = answerWords(answered, wasPosted)
  const said = answered.answer === null || answered.answer === '' ? null : answered.answer
  return (
    <span title={said === null ? means : `${means} It said: ${printable(said)}`}>
      <strong className={`toned ${styles.word}`} data-tone={tone}>
        <Received text={word} />
      </strong>
      {said !== null && (
        <>
          {' '}
          <Received className={styles.said} text={said} />
        </>
      )}
    </span>
  )
}
