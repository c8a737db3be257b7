'use client'

import { formatBytes, formatCount } from '../../lib/format'
import type { DeadLetter } from '../../lib/wire/delivery'
import { Age } from '../ui/clock'
import { typeOfCategory } from '../ui/labels'
import { printable } from '../ui/printable'
import { ItemChips, Received } from '../ui/received'
import styles from './dead-letters.module.css'
import { isSelected, type Selection } from './letter-selection'

interface DeadLettersTableProps {
  readonly letters: readonly DeadLetter[]
  readonly chosen: Selection
  readonly all: 'none' | 'some' | 'all'
  readonly disabled: boolean
  readonly onToggle: (seq: number) => void
  readonly onToggleAll: () => void
}

export function DeadLettersTable({ letters, chosen, all, disabled, onToggle, onToggleAll }: DeadLettersTableProps) {
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">Dead letters, newest envelope first</caption>
      <thead>
        <tr>
          <th scope="col" className={styles.choose}>
            <label className={styles.box} title="Select all visible">
              <input
                type="checkbox"
                aria-label="Select all visible"
                ref={(box) => {
                  if (box !== null) box.indeterminate = all === 'some'
                }}
                checked={all === 'all'}
                disabled={disabled}
                onChange={onToggleAll}
              />
            </label>
          </th>
          <th scope="col" className={styles.seq}>
            Envelope
          </th>
          <th scope="col" className={styles.age} title="Time since the last answer">
            Answered
          </th>
          <th scope="col" className={styles.tableWhat}>
            Items
          </th>
          <th scope="col" className={styles.bytes}>
            Bytes
          </th>
          <th scope="col" className={styles.upstream}>
            Upstream
          </th>
          <th scope="col">Answer</th>
          <th scope="col" className={styles.tries}>
            Tries
          </th>
        </tr>
      </thead>
      <tbody>
        {letters.map((letter) => (
          <LetterRow
            key={letter.seq}
            letter={letter}
            chosen={isSelected(chosen, letter.seq)}
            disabled={disabled}
            onToggle={onToggle}
          />
        ))}
      </tbody>
    </table>
  )
}

interface LetterRowProps {
  readonly letter: DeadLetter
  readonly chosen: boolean
  readonly disabled: boolean
  readonly onToggle: (seq: number) => void
}

function LetterRow({ letter, chosen, disabled, onToggle }: LetterRowProps) {
  const { seq, status, answer } = letter
  return (
    <tr data-dead-letter={seq} data-chosen={chosen}>
      <td>
        <label className={styles.box}>
          <input
            type="checkbox"
            aria-label={`Select envelope ${seq}`}
            checked={chosen}
            disabled={disabled}
            onChange={() => onToggle(seq)}
          />
        </label>
      </td>
      <td className="num">
        <a data-row-link href={`/envelopes/${seq}`}>
          {seq}
        </a>
      </td>
      <td>
        <Age atMs={letter.at} />
      </td>
      <td>
        <ItemChips
          items={letter.items.map(({ category, quantity }) => ({
            type: typeOfCategory(category) ?? category,
            quantity,
          }))}
        />
      </td>
      <td className="num">{formatBytes(letter.bytes)}</td>
      <td className={`mono ${styles.upstreamCell}`}>
        <Received text={letter.upstream} />
      </td>
      <td>
        <strong className={styles.status}>{status}</strong>{' '}
        {answer === null || answer === '' ? (
          <span className="faint">no body</span>
        ) : (
          <span className={styles.answer} title={printable(answer)}>
            <Received text={answer} />
          </span>
        )}
      </td>
      <td className="num">{formatCount(letter.attempts)}</td>
    </tr>
  )
}
