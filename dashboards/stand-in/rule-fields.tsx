'use client'

import { useState } from 'react'
import { CategoryField } from './category-field'
import { DEEDS, EVERYTHING, type RuleForm, SPANS } from './rule-form'
import styles from './stand-in-board.module.css'

interface RuleFieldsProps {
  readonly away: boolean
  readonly onAdd: (form: RuleForm) => void
}

/** Any other misbehaviour: to which posts, and for how many or how long. */
export function RuleFields({ away, onAdd }: RuleFieldsProps) {
  const [deed, setDeed] = useState<RuleForm['deed']>('413')
  const [category, setCategory] = useState(EVERYTHING)
  const [lasts, setLasts] = useState<RuleForm['lasts']>('times')
  const [amount, setAmount] = useState('1')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onAdd({ deed, category, lasts, amount: Number(amount) })
      }}
    >
      <fieldset className={styles.form}>
        <legend>Answer otherwise</legend>
        <label>
          What it does
          <select
            className="field"
            value={deed}
            onChange={({ target }) => setDeed(DEEDS.find(({ id }) => id === target.value)?.id ?? deed)}
          >
            {DEEDS.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <CategoryField label="To posts with" everything="anything" value={category} onChange={setCategory} />
        <label>
          Holds for
          <select
            className="field"
            value={lasts}
            onChange={({ target }) => setLasts(SPANS.find(({ id }) => id === target.value)?.id ?? lasts)}
          >
            {SPANS.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {lasts !== 'ever' && (
          <label>
            {lasts === 'times' ? 'How many' : 'How long'}
            <input
              className={`field ${styles.number}`}
              type="number"
              min={1}
              max={lasts === 'seconds' ? 86_400 : 1_000_000}
              required
              value={amount}
              onChange={({ target }) => setAmount(target.value)}
            />
          </label>
        )}
        <button type="submit" className="button" disabled={away}>
          Add the rule
        </button>
      </fieldset>
    </form>
  )
}
