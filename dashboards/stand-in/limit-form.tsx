'use client'

import { useState } from 'react'
import { CategoryField } from './category-field'
import styles from './stand-in-board.module.css'

interface LimitFormProps {
  readonly away: boolean
  readonly onLimit: (category: string, seconds: number) => void
}

/** The commonest wish: one category, for so many seconds. */
export function LimitForm({ away, onLimit }: LimitFormProps) {
  const [category, setCategory] = useState('transaction')
  const [seconds, setSeconds] = useState('30')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onLimit(category, Number(seconds))
      }}
    >
      <fieldset className={styles.form}>
        <legend>Limit a category</legend>
        <CategoryField label="Category" everything="everything" value={category} onChange={setCategory} />
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
        <button type="submit" className="button primary" disabled={away}>
          Limit
        </button>
      </fieldset>
    </form>
  )
}
