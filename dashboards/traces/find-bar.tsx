'use client'

import type { RefObject } from 'react'
import { minimumDuration } from '../../lib/filter/minimum-duration'
import { formatCount } from '../../lib/format'
import { Glyph } from '../ui/glyph'
import styles from './find-bar.module.css'

export interface Switch {
  readonly id: string
  readonly label: string
  readonly count?: number
  readonly isOn: boolean
  readonly title: string
  readonly onToggle: () => void
}

interface FindBarProps {
  readonly field: RefObject<HTMLInputElement | null>
  readonly text: string
  readonly onText: (text: string) => void
  /** `null` without a search. */
  readonly found: { readonly count: number; readonly at: number } | null
  /** Terms that have no meaning, as sentences. */
  readonly problems: readonly string[]
  readonly onStep: (by: 1 | -1) => void
  /** @param value such as `10ms` or `5%`; `null` for spans of any duration */
  readonly onMinimum: (value: string | null) => void
  readonly switches: readonly Switch[]
}

/** Absolute, then as shares of the trace. */
const MINIMA = ['1ms', '10ms', '100ms', '1s', '1%', '5%', '10%']

/** Search in a trace, with the number of matches, and switches. */
export function FindBar({ field, text, onText, found, problems, onStep, onMinimum, switches }: FindBarProps) {
  const minimum = minimumDuration(text)
  const minima = minimum === null || MINIMA.includes(minimum) ? MINIMA : [minimum, ...MINIMA]
  return (
    <search className={styles.bar}>
      <div className={styles.find}>
        <Glyph name="find" />
        <input
          ref={field}
          type="search"
          className="mono"
          aria-label="Find in this trace"
          aria-describedby="find-problems"
          placeholder="op:db duration:>20ms"
          title="Words, op:, name:, service:, status:, duration:>50ms, duration:>2%; a minus leaves out"
          value={text}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1)
            else if (event.key === 'Escape') {
              event.stopPropagation()
              onText('')
              event.currentTarget.blur()
            } else return
            event.preventDefault()
          }}
        />
      </div>
      <span className={styles.count} role="status">
        {found !== null &&
          (found.at < 0
            ? `${formatCount(found.count)} ${found.count === 1 ? 'match' : 'matches'}`
            : `${formatCount(found.at + 1)} of ${formatCount(found.count)}`)}
      </span>
      {found !== null && (
        <span className={styles.steps}>
          <Step by={-1} label="Previous match" onStep={onStep} isOff={found.count === 0} />
          <Step by={1} label="Next match" onStep={onStep} isOff={found.count === 0} />
        </span>
      )}
      <select
        className={styles.minimum}
        aria-label="Minimum duration"
        value={minimum ?? ''}
        onChange={(event) => onMinimum(event.target.value || null)}
      >
        <option value="">Any duration</option>
        {minima.map((value) => (
          <option key={value} value={value}>
            ≥ {value.replace(/(?<=\d)(?=\D*$)/, ' ')}
          </option>
        ))}
      </select>
      <fieldset className={styles.switches} aria-label="Show">
        {switches.map(({ id, label, count, isOn, title, onToggle }) => (
          <button key={id} type="button" aria-pressed={isOn} title={title} onClick={onToggle}>
            {label}
            {count !== undefined && <span className="num"> {formatCount(count)}</span>}
          </button>
        ))}
      </fieldset>
      <p id="find-problems" className={styles.problems}>
        {problems.join(' ')}
      </p>
    </search>
  )
}

interface StepProps {
  readonly by: 1 | -1
  readonly label: string
  readonly isOff: boolean
  readonly onStep: (by: 1 | -1) => void
}

const Step = ({ by, label, isOff, onStep }: StepProps) => (
  <button type="button" aria-label={label} title={label} disabled={isOff} onClick={() => onStep(by)}>
    <Glyph name={by < 0 ? 'newer' : 'older'} />
  </button>
)
