'use client'

import { type ReactNode, useState } from 'react'
import { describeScript } from '../../lib/wire/scripted-answers'
import type { PlayedAnswer } from '../../lib/wire/stand-in'
import { printable } from '../ui/printable'
import { activePreset, CATEGORIES, EVERYTHING, PRESETS, type PresetId } from './preset-scripts'
import styles from './stand-in-board.module.css'

interface PresetsProps {
  readonly answers: readonly PlayedAnswer[]
  readonly now: number
  readonly isAway: boolean
  readonly onPlay: (preset: PresetId, category: string, seconds: number) => void
}

export function Presets({ answers, now, isAway, onPlay }: PresetsProps) {
  const [category, setCategory] = useState('transaction')
  const [seconds, setSeconds] = useState('30')
  const active = activePreset(answers)
  const script = describeScript(answers, now)
  return (
    <form
      className={styles.presets}
      aria-labelledby="answers"
      onSubmit={(event) => {
        event.preventDefault()
        onPlay('limit', category, Number(seconds))
      }}
    >
      <h2 id="answers">How it answers</h2>
      <ul className={styles.list}>
        {PRESETS.map(({ id, name, effect }) => (
          <Row key={id} id={id} isActive={id === active} effect={id === 'limit' ? '' : effect}>
            <button
              type={id === 'limit' ? 'submit' : 'button'}
              className="button"
              aria-pressed={id === active}
              disabled={isAway}
              onClick={id === 'limit' ? undefined : () => onPlay(id, category, Number(seconds))}
            >
              {name}
            </button>
            {id === 'limit' && (
              <div className={styles.fields}>
                <label>
                  Category
                  <select className="field" value={category} onChange={({ target }) => setCategory(target.value)}>
                    {CATEGORIES.map((one) => (
                      <option key={one} value={one}>
                        {one === EVERYTHING ? 'everything' : one}
                      </option>
                    ))}
                  </select>
                </label>
                <label>
                  Seconds
                  <input
                    className={`field ${styles.number}`}
                    type="number"
                    min={1}
                    max={86_400}
                    required
                    value={seconds}
                    onChange={({ target }) => setSeconds(target.value)}
                  />
                </label>
                <p className="small soft">
                  {effect} <a href="/limits">Limits in force</a>
                </p>
              </div>
            )}
          </Row>
        ))}
      </ul>
      {script !== null && (
        <p className="small" data-script>
          {active === null ? 'A script from a test or a terminal: ' : 'Now: '}
          <span className="num">{printable(script)}</span>
        </p>
      )}
    </form>
  )
}

interface RowProps {
  readonly id: PresetId
  readonly isActive: boolean
  readonly effect: string
  readonly children: ReactNode
}

const Row = ({ id, isActive, effect, children }: RowProps) => (
  <li data-preset={id} data-active={isActive}>
    {children}
    {effect !== '' && <p className="small soft">{effect}</p>}
    {isActive && <span className={styles.active}>active</span>}
  </li>
)
